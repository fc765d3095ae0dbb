// Every instruction set, real or emulated, against the reference device.
#include <gtest/gtest.h>
#include <string>

#include "kernels/reference/reference_device.h"
#include "tests/kernels/all_devices.h"
#include "tests/kernels/random_model.h"

namespace hearth::kernels {
namespace {

struct Tolerance {
  double median;  // of the rows of all steps
  double worst;
};

// With float weights the sums differ in the seventh digit, and so do the rows; but where that tips the
// rounding of a key or a value to fp16 the other way, one of its elements is off by 1/2048, and with it
// the rows that attend to it. (Deeper layers then tip more of theirs, so these have one or two.)
constexpr Tolerance kFloatTolerance{1e-5, 1e-3};
constexpr Tolerance kDeepFloatTolerance{2e-4, 1e-3};

// Rounding an activation to int8 with the block's largest as 127 errs by at most 1/254 of it; with about
// three deviations as the largest that is 0.7 % of a deviation, in each of some ten products that follow
// one another, so 2 to 3 % in the middle and twice that for the worst of the rows.
constexpr Tolerance kInt8Tolerance{0.025, 0.06};

// Rounding an activation to bf16 errs by 0.16 % of it in the root mean square, in as many products.
constexpr Tolerance kBf16Tolerance{0.006, 0.015};

// With BF16 pages a tipped rounding is 1/256 of an element.
constexpr Tolerance kBf16PagesTolerance{1e-3, 4e-3};

bool rounds_to_bf16(const std::string& device) { return device.ends_with("bf16") || device.ends_with("amx"); }

// Devices that round the inputs of BF16 weights may err as much as that.
void check(const RandomModel& model, const Tolerance& exact, const std::vector<std::size_t>& steps,
           const Tolerance& rounded) {
  ThreadPool threads(2);
  const std::unique_ptr<Device> truth = make_reference_device();
  for (const auto& device : all_devices(threads)) {
    SCOPED_TRACE(device->name());
    const Tolerance& tolerance = rounds_to_bf16(device->name()) ? rounded : exact;
    std::mt19937 random(7);
    Runner expected(*truth, model);
    Runner actual(*device, model);
    std::vector<double> errors;
    for (const std::size_t count : steps) {
      const std::vector<Runner::Part> parts{{0, random_tokens(random, count, model.shape.n_vocab)},
                                            {1, random_tokens(random, 5, model.shape.n_vocab)}};
      const auto want = expected.step(parts);
      const auto got = actual.step(parts);
      for (std::size_t r = 0; r < want.size(); ++r) errors.push_back(relative_error(got[r], want[r]));
    }
    std::sort(errors.begin(), errors.end());
    EXPECT_LT(errors[errors.size() / 2], tolerance.median);
    EXPECT_LT(errors.back(), tolerance.worst);
  }
}

void check(const RandomModel& model, const Tolerance& tolerance, const std::vector<std::size_t>& steps) {
  check(model, tolerance, steps, tolerance);
}

const std::vector<std::size_t> kShortSteps{1, 19, 2, 40, 1, 3};

TEST(CpuParity, EveryWeightTypeAgreesWithTheReferenceOnOddShapes) {
  for (const WeightType type : kAllTypes) {
    SCOPED_TRACE(name(type));
    const Tolerance& exact = block_elements(type) != 1 ? kInt8Tolerance : kFloatTolerance;
    check(RandomModel(1, odd_shape(type), LayerTypes::all(type)), exact, kShortSteps,
          type == WeightType::kBF16 ? kBf16Tolerance : exact);
  }
}

TEST(CpuParity, MixedTypesOfOneLayerAgree) {
  using enum WeightType;
  const LayerTypes mixes[] = {{kQ8_0, kF16, kQ4_1, kF32, kF16, kQ8_0, kQ5_0},
                              {kBF16, kQ5_0, kF32, kQ4_0, kQ4_0, kF32, kF16}};
  for (const LayerTypes& types : mixes)
    check(RandomModel(2, odd_shape(WeightType::kQ8_0), types), kInt8Tolerance, kShortSteps);
}

TEST(CpuParity, SquaredReluAndBiasesAndOtherRopesAgree) {
  ModelShape shape = odd_shape(WeightType::kF32);
  shape.activation = Activation::kReluSquared;
  shape.rope.style = RopeStyle::kHalfSplit;
  shape.rope.position_scale = 0.25f;
  shape.rope.frequency_factors = {1.0f, 1.5f, 2.0f, 4.0f, 4.0f, 8.0f};
  check(RandomModel(3, shape, LayerTypes::all(WeightType::kF32), Extras::kBiases), kFloatTolerance,
        kShortSteps);
  shape.activation = Activation::kSiluGated;
  shape.head_dim = 80;
  shape.rope = RopeParameters();
  shape.rope.dimensions = 80;
  check(RandomModel(4, shape, LayerTypes::all(WeightType::kF16), Extras::kBiases), kFloatTolerance,
        kShortSteps);
}

TEST(CpuParity, LayerNormsAndGeluAgree) {
  for (const WeightType type : {WeightType::kF32, WeightType::kQ8_0}) {
    ModelShape shape = odd_shape(type);
    shape.norm = NormStyle::kLayer;
    shape.activation = Activation::kGelu;
    shape.rope.style = RopeStyle::kHalfSplit;
    check(RandomModel(7, shape, LayerTypes::all(type), Extras::kBiases),
          type == WeightType::kF32 ? kFloatTolerance : kInt8Tolerance, kShortSteps);
  }
}

TEST(CpuParity, NormsOfHeadsAgree) {
  for (const WeightType type : {WeightType::kF32, WeightType::kQ5_K}) {
    ModelShape shape = odd_shape(type);
    shape.rope.style = RopeStyle::kHalfSplit;
    shape.rope.dimensions = shape.head_dim;
    check(RandomModel(8, shape, LayerTypes::all(type), Extras::kHeadNorms),
          type == WeightType::kF32 ? kFloatTolerance : kInt8Tolerance, kShortSteps);
  }
}

TEST(CpuParity, LayersKeepTheirOwnPages) {
  ModelShape shape = odd_shape(WeightType::kF32);
  shape.n_layers = 3;
  check(RandomModel(9, shape, LayerTypes::all(WeightType::kF32)), kDeepFloatTolerance, kShortSteps);
}

TEST(CpuParity, ManyHeadsShareOneKvHead) {
  ModelShape shape = odd_shape(WeightType::kF32);
  shape.n_heads = 21;
  shape.n_kv_heads = 1;
  check(RandomModel(5, shape, LayerTypes::all(WeightType::kF32)), kFloatTolerance, kShortSteps);
}

// The reference rounds keys and values as well; what is left are the queries and the softmax's weights, which
// some devices round.
TEST(CpuParity, BF16PagesAgree) {
  ModelShape shape = odd_shape(WeightType::kF32);
  for (const int head_dim : {shape.head_dim, 17, 64}) {
    shape.head_dim = head_dim;
    RandomModel model(10, shape, LayerTypes::all(WeightType::kF32));
    model.pages = PageFormat::kBF16;
    check(model, kBf16PagesTolerance, kShortSteps, kBf16Tolerance);
  }
  RandomModel model(11, odd_shape(WeightType::kF32), LayerTypes::all(WeightType::kF32));
  model.pages = PageFormat::kBF16;
  check(model, kBf16PagesTolerance, {250, 5, 3, 250, 4, 1, 2}, kBf16Tolerance);
}

TEST(CpuParity, LongSequencesAgreeAcrossSplits) {
  ModelShape shape = odd_shape(WeightType::kF32);
  // Past two splits of 256 positions, in steps of many rows and of few.
  check(RandomModel(6, shape, LayerTypes::all(WeightType::kF32)), kFloatTolerance, {250, 5, 3, 250, 4, 1, 2});
}

}  // namespace
}  // namespace hearth::kernels
