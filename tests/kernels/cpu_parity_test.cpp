// Every instruction set this machine has, and a 16-lane instance of the portable kernels, against the
// reference device.
#include <gtest/gtest.h>
#include <string>

#include "kernels/cpu/all_kernels.h"
#include "kernels/cpu/cpu_device.h"
#include "kernels/cpu/device_on_kernels.h"
#include "kernels/cpu/simd_portable.h"
#include "kernels/reference/reference_device.h"
#include "tests/kernels/random_model.h"

namespace hearth::kernels {
namespace {

constinit const KernelTable kWidePortableKernels = all_kernels<SimdPortable<16>>("portable16");

std::vector<std::unique_ptr<Device>> all_devices(ThreadPool& threads) {
  std::vector<std::unique_ptr<Device>> devices;
  for (const CpuIsa isa : supported_cpu_isas()) devices.push_back(make_cpu_device(threads, isa));
  devices.push_back(make_device_on(kWidePortableKernels, threads));
  return devices;
}

// With float weights the sums differ in the seventh digit; where that tips the rounding of a key or a
// value to fp16 the other way, one of its elements is off by 1/2048.
constexpr double kFloatTolerance = 1e-4;

// Rounding an activation to int8 with the block's largest as 127 errs by at most 1/254 of it; with about
// three deviations as the largest that is 0.7 % of a deviation, in each of some ten products that follow
// one another, so 2 to 3 % in the middle and twice that for the worst of the rows.
constexpr double kInt8Tolerance = 0.06;

void check(const RandomModel& model, double tolerance) {
  ThreadPool threads(2);
  const std::unique_ptr<Device> truth = make_reference_device();
  for (const auto& device : all_devices(threads)) {
    std::mt19937 random(7);
    Runner expected(*truth, model);
    Runner actual(*device, model);
    for (const std::size_t count : {1, 19, 2, 40, 1, 3}) {
      const std::vector<Runner::Part> parts{{0, random_tokens(random, count, model.shape.n_vocab)},
                                            {1, random_tokens(random, 5, model.shape.n_vocab)}};
      const auto want = expected.step(parts);
      const auto got = actual.step(parts);
      ASSERT_EQ(got.size(), want.size());
      for (std::size_t r = 0; r < want.size(); ++r) {
        ASSERT_LT(relative_error(got[r], want[r]), tolerance)
            << device->name() << " row " << r << " of " << count;
      }
    }
  }
}

TEST(CpuParity, EveryWeightTypeAgreesWithTheReferenceOnOddShapes) {
  for (const WeightType type : kAllTypes) {
    SCOPED_TRACE(name(type));
    const bool quantized = block_elements(type) != 1;
    check(RandomModel(1, odd_shape(quantized), LayerTypes::all(type)),
          quantized ? kInt8Tolerance : kFloatTolerance);
  }
}

TEST(CpuParity, MixedTypesOfOneLayerAgree) {
  using enum WeightType;
  const LayerTypes mixes[] = {{kQ8_0, kF16, kQ4_1, kF32, kF16, kQ8_0, kQ5_0},
                              {kBF16, kQ5_0, kF32, kQ4_0, kQ4_0, kF32, kF16}};
  for (const LayerTypes& types : mixes) check(RandomModel(2, odd_shape(true), types), kInt8Tolerance);
}

TEST(CpuParity, SquaredReluAndBiasesAndOtherRopesAgree) {
  ModelShape shape = odd_shape(false);
  shape.activation = Activation::kReluSquared;
  shape.rope.style = RopeStyle::kHalfSplit;
  shape.rope.position_scale = 0.25f;
  shape.rope.frequency_factors = {1.0f, 1.5f, 2.0f, 4.0f, 4.0f, 8.0f};
  check(RandomModel(3, shape, LayerTypes::all(WeightType::kF32), true), kFloatTolerance);
  shape.activation = Activation::kSiluGated;
  shape.head_dim = 80;
  shape.rope = RopeParameters();
  shape.rope.dimensions = 80;
  check(RandomModel(4, shape, LayerTypes::all(WeightType::kF16), true), kFloatTolerance);
}

TEST(CpuParity, ManyHeadsShareOneKvHead) {
  ModelShape shape = odd_shape(false);
  shape.n_heads = 21;
  shape.n_kv_heads = 1;
  shape.n_layers = 1;
  check(RandomModel(5, shape, LayerTypes::all(WeightType::kF32)), kFloatTolerance);
}

TEST(CpuParity, LongSequencesAgreeAcrossSplits) {
  ModelShape shape = odd_shape(false);
  shape.n_layers = 1;
  const RandomModel model(6, shape, LayerTypes::all(WeightType::kF32));
  ThreadPool threads(2);
  const std::unique_ptr<Device> truth = make_reference_device();
  for (const auto& device : all_devices(threads)) {
    std::mt19937 random(8);
    Runner expected(*truth, model);
    Runner actual(*device, model);
    for (const std::size_t count : {250, 5, 3, 250, 4, 1, 2}) {
      const std::vector<Runner::Part> parts{{0, random_tokens(random, count, shape.n_vocab)}};
      const auto want = expected.step(parts);
      const auto got = actual.step(parts);
      for (std::size_t r = 0; r < want.size(); ++r)
        ASSERT_LT(relative_error(got[r], want[r]), kFloatTolerance);
    }
  }
}

}  // namespace
}  // namespace hearth::kernels
