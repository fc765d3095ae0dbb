#include "engine/model.h"

#include <cmath>
#include <gtest/gtest.h>

#include "kernels/reference/reference_device.h"
#include "tests/support/test_model.h"

namespace hearth::engine {
namespace {

using kernels::WeightType;
using testing::RandomModelOptions;
using testing::TestModel;

struct Agreement {
  RandomModelOptions options;
  double tolerance;  // norm of the difference over norm of the logits
};

struct Norms {
  double difference = 0;
  double truth = 0;

  void add(const std::vector<float>& a, const std::vector<float>& expected) {
    for (std::size_t i = 0; i < expected.size(); ++i) {
      difference += (a[i] - expected[i]) * static_cast<double>(a[i] - expected[i]);
      truth += static_cast<double>(expected[i]) * expected[i];
    }
  }
  double ratio() const { return std::sqrt(difference / truth); }
};

// Rounded to bf16 an activation is off by up to 1/256 of itself, 0.16 % in the root mean square; a layer has
// four such products in a row, and the head one more.
double rounded_tolerance(int layers) { return 0.002 * std::sqrt(4.0 * layers + 1); }

double tolerance_on(const Agreement& agreement, kernels::CpuIsa isa) {
  const bool rounds = agreement.options.type == WeightType::kBF16 && isa >= kernels::CpuIsa::kAvx512Bf16;
  return rounds ? rounded_tolerance(agreement.options.n_layers) : agreement.tolerance;
}

// Over all rows together the tolerance holds; a single row may be off by four times as much, because a
// key or value that lies between two fp16 numbers may be rounded either way.
void check(const Agreement& agreement) {
  const auto tokens = testing::random_tokens(77, 3);
  const TestModel truth(agreement.options, kernels::make_reference_device());
  const auto expected = truth.logits(tokens, 77);
  for (const auto isa : kernels::supported_cpu_isas()) {
    SCOPED_TRACE(agreement.options.architecture + ' ' + name(agreement.options.type) + ' ' + name(isa));
    kernels::ThreadPool threads(2);
    const TestModel ours(agreement.options, kernels::make_cpu_device(threads, isa));
    const auto logits = ours.logits(tokens, 29);
    const double tolerance = tolerance_on(agreement, isa);
    Norms all;
    for (std::size_t row = 0; row < tokens.size(); ++row) {
      Norms one;
      one.add(logits[row], expected[row]);
      ASSERT_LT(one.ratio(), 4 * tolerance) << "row " << row;
      all.add(logits[row], expected[row]);
    }
    EXPECT_LT(all.ratio(), tolerance);
  }
}

// Quantised weights meet activations rounded to 8 bits in blocks of 32. The error is uniform within a step
// of max/127, so its root mean square is max / 440; a block's largest value is 2 to 4 times its root mean
// square, hence 0.5 % to 0.9 % of it. A layer has four such products in a row, and the head one more; their
// errors are independent and add up in squares.
double quantised_tolerance(int layers) { return 0.009 * std::sqrt(4.0 * layers + 1); }

TEST(Model, AgreesWithDoublePrecisionOnEveryArchitectureInF32) {
  for (const char* architecture : testing::kArchitectures) {
    check({{.architecture = architecture}, 1e-4});
    check({{.architecture = architecture,
            .n_layers = 3,
            .d_model = 70,
            .n_heads = 5,
            .n_kv_heads = 5,
            .head_dim = 18,
            .d_ffn = 83,
            .tied_output = false,
            .seed = 5},
           1e-4});
    check({{.architecture = architecture,
            .d_model = 129,
            .n_heads = 6,
            .n_kv_heads = 2,
            .head_dim = 40,
            .d_ffn = 201,
            .seed = 6},
           1e-4});
  }
}

TEST(Model, AgreesWithDoublePrecisionOnHalfFloatWeights) {
  for (const auto type : {WeightType::kF16, WeightType::kBF16}) {
    check({{.architecture = "llama", .type = type}, 1e-4});
    check({{.architecture = "qwen2", .type = type, .d_model = 50, .n_heads = 7, .head_dim = 10, .d_ffn = 33},
           1e-4});
  }
}

TEST(Model, AgreesWithDoublePrecisionWithinWhatQuantisedActivationsExplain) {
  for (const auto type : {WeightType::kQ8_0, WeightType::kQ5_0, WeightType::kQ4_0, WeightType::kQ4_1}) {
    for (const char* architecture : testing::kArchitectures) {
      check({{.architecture = architecture, .type = type}, quantised_tolerance(2)});
    }
    // Odd heads: the output projection's inputs are no whole blocks, so it stays F16.
    check({{.type = type,
            .n_layers = 3,
            .d_model = 160,
            .n_heads = 5,
            .n_kv_heads = 5,
            .head_dim = 18,
            .d_ffn = 96},
           quantised_tolerance(3)});
  }
}

// The K types want inputs in multiples of 256.
TEST(Model, AgreesWithDoublePrecisionOnSuperBlocks) {
  for (const auto type : {WeightType::kQ4_K, WeightType::kQ5_K, WeightType::kQ6_K}) {
    for (const char* architecture : testing::kArchitectures) {
      check({{.architecture = architecture,
              .type = type,
              .d_model = 256,
              .n_heads = 4,
              .n_kv_heads = 2,
              .head_dim = 64,
              .d_ffn = 512},
             quantised_tolerance(2)});
    }
  }
}

TEST(Model, RefusesAFileWhoseTensorsDoNotFit) {
  std::string bytes = testing::random_model({});
  bytes.replace(bytes.find("blk.1.ffn_up.weight"), 19, "blk.1.ffn_xx.weight");
  const auto file = GgufFile::parse(std::as_bytes(std::span(bytes)), "broken.gguf");
  ASSERT_TRUE(file);
  const auto device = kernels::make_reference_device();
  const auto model = Model::load(*file, *device, [](double) { return true; });
  ASSERT_FALSE(model);
  EXPECT_NE(model.error().message.find("broken.gguf"), std::string::npos);
  EXPECT_NE(model.error().message.find("blk.1.ffn_"), std::string::npos) << model.error().message;
}

TEST(Model, KeepsItsKvInTheTypeAskedFor) {
  kernels::ThreadPool threads(1);
  const auto format = [&](WeightType weights, KvType type) {
    const std::string bytes = testing::random_model({.type = weights});
    const auto file = GgufFile::parse(std::as_bytes(std::span(bytes)), "random.gguf");
    const auto device = kernels::make_cpu_device(threads);
    const auto model = Model::load(
        *file, *device, [](double) { return true; }, type);
    return (*model)->make_page_pool(1)->format();
  };
  using kernels::PageFormat;
  const PageFormat fastest = kernels::make_cpu_device(threads)->fastest_pages();
  EXPECT_EQ(format(WeightType::kQ8_0, KvType::kAuto), fastest);
  EXPECT_EQ(format(WeightType::kF16, KvType::kAuto), PageFormat::kF16);
  EXPECT_EQ(format(WeightType::kF32, KvType::kAuto), PageFormat::kF16);
  EXPECT_EQ(format(WeightType::kQ8_0, KvType::kF16), PageFormat::kF16);
  EXPECT_EQ(format(WeightType::kF16, KvType::kBF16), PageFormat::kBF16);
}

TEST(Model, StopsLoadingWhenTold) {
  const std::string bytes = testing::random_model({});
  const auto file = GgufFile::parse(std::as_bytes(std::span(bytes)), "random.gguf");
  const auto device = kernels::make_reference_device();
  EXPECT_FALSE(Model::load(*file, *device, [](double share) { return share < 0.3; }));
}

}  // namespace
}  // namespace hearth::engine
