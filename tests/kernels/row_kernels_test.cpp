#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include "tests/kernels/all_devices.h"
#include "tests/kernels/random_model.h"

namespace hearth::kernels {
namespace {

constexpr float kNone = -std::numeric_limits<float>::infinity();

TEST(SiluGate, AgreesWithDoublesOverTheWholeRange) {
  for (const KernelTable* kernels : all_tables()) {
    std::vector<float> gate, h;
    for (float x = -120.0f; x < 120.0f; x += 0.3f) gate.push_back(x);
    gate.resize(gate.size() / 16 * 16);
    h.assign(gate.size(), 1.5f);
    kernels->silu_gate(gate.data(), h.data(), static_cast<int>(gate.size()));
    for (std::size_t i = 0; i < gate.size(); ++i) {
      const double x = static_cast<double>(gate[i]);
      const double want = 1.5 * x / (1.0 + std::exp(-x));
      ASSERT_NEAR(h[i], want, 4e-7 * std::fabs(want) + 1e-35) << kernels->name << " at " << x;
    }
  }
}

TEST(ReluSquared, DropsNegativesAndSquaresTheRest) {
  for (const KernelTable* kernels : all_tables()) {
    std::vector<float> h(16, -3.0f);
    h[5] = 2.0f;
    h[6] = 0.0f;
    kernels->relu_squared(h.data(), 16);
    for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(h[i], i == 5 ? 4.0f : 0.0f);
  }
}

TEST(ToF16, RoundsLikeTheScalarConversionAndSaturates) {
  std::mt19937 random(1);
  for (const KernelTable* kernels : all_tables()) {
    std::vector<float> x = random_floats(random, 1600, 3.0f);
    for (std::size_t i = 0; i < 800; ++i) x[i] *= std::ldexp(1.0f, static_cast<int>(i % 40) - 27);
    x[0] = 1.0f + 0x1p-11f;
    x[1] = 0.0f;
    std::vector<std::uint16_t> halves(x.size());
    kernels->to_f16(x.data(), halves.data(), static_cast<int>(x.size()));
    for (std::size_t i = 0; i < x.size(); ++i) {
      ASSERT_EQ(halves[i], f32_to_f16(std::clamp(x[i], -65504.0f, 65504.0f))) << kernels->name << " " << x[i];
    }
    const std::vector<float> huge(16, -1e20f);
    kernels->to_f16(huge.data(), halves.data(), 16);
    EXPECT_EQ(f16_to_f32(halves[0]), -65504.0f);
  }
}

TEST(Statistics, AgreeWithDoublesAndIgnoreWhatIsMasked) {
  std::mt19937 random(2);
  for (const KernelTable* kernels : all_tables()) {
    std::vector<float> logits = random_floats(random, 1024, 20.0f);
    for (std::size_t i = 0; i < logits.size(); i += 3) logits[i] = kNone;
    double sum = 0, weighted = 0;
    const float max = *std::max_element(logits.begin(), logits.end());
    for (const float logit : logits) {
      if (logit == kNone) continue;
      const double above = static_cast<double>(logit) - static_cast<double>(max);
      sum += std::exp(above);
      weighted += std::exp(above) * above;
    }
    const LogitStatistics got = kernels->statistics(logits.data(), 1024);
    EXPECT_EQ(got.max, max);
    EXPECT_NEAR(got.sum, sum, 1e-6 * sum);
    EXPECT_NEAR(got.weighted, weighted, 1e-6 * std::fabs(weighted));
    const std::vector<float> nothing(32, kNone);
    EXPECT_EQ(kernels->statistics(nothing.data(), 32).sum, 0.0f);
  }
}

}  // namespace
}  // namespace hearth::kernels
