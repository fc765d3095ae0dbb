#include <cmath>
#include <cstring>
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

TEST(Gelu, AgreesWithDoublesOverTheWholeRange) {
  for (const KernelTable* kernels : all_tables()) {
    std::vector<float> x;
    for (float value = -12.0f; value < 12.0f; value += 0.01f) x.push_back(value);
    x.insert(x.end(), {-3e4f, 3e4f, 0.0f});
    x.resize(x.size() / 16 * 16 + 16);
    std::vector<float> h = x;
    kernels->gelu(h.data(), static_cast<int>(h.size()));
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double value = static_cast<double>(x[i]);
      const double inner = std::sqrt(2 / std::acos(-1.0)) * (value + 0.044715 * value * value * value);
      const double want = value / (1.0 + std::exp(-2.0 * inner));
      // An exponent's rounding is an error of e^u in proportion to u.
      const double tolerance = 4e-7 + 2e-7 * std::fabs(2.0 * inner);
      ASSERT_NEAR(h[i], want, tolerance * std::fabs(want) + 1e-30) << kernels->name << " at " << value;
    }
  }
}

// Norms in place over d floats, zeros after them.
TEST(Norms, AgreeWithDoublesForEveryLength) {
  std::mt19937 random(3);
  for (const KernelTable* kernels : all_tables()) {
    for (const std::size_t d : {1, 2, 7, 8, 18, 31, 32, 33, 64, 100, 576, 577}) {
      const std::vector<float> x = random_floats(random, d, 2.0f, 1.5f);
      const std::vector<float> gain = random_floats(random, d, 0.3f, 1.0f);
      const std::vector<float> bias = random_floats(random, d, 0.3f);
      double mean = 0, square = 0, variance = 0;
      for (const float value : x) mean += static_cast<double>(value) / static_cast<double>(d);
      for (const float value : x) {
        square += std::pow(static_cast<double>(value), 2) / static_cast<double>(d);
        variance += std::pow(static_cast<double>(value) - mean, 2) / static_cast<double>(d);
      }
      std::vector<float> rms = x, layer = x;
      rms.resize(d + 5, 9.0f);
      layer.resize(d + 5, 9.0f);
      const auto size = static_cast<int>(d);
      kernels->rms_norm(rms.data(), gain.data(), size, size + 3, 1e-5f, rms.data());
      kernels->layer_norm(layer.data(), gain.data(), bias.data(), size, size + 3, 1e-5f, layer.data());
      for (std::size_t i = 0; i < d; ++i) {
        const double value = static_cast<double>(x[i]), scaled = static_cast<double>(gain[i]);
        const double want = value / std::sqrt(square + 1e-5) * scaled;
        ASSERT_NEAR(rms[i], want, 1e-6 * std::fabs(want)) << kernels->name << " " << d;
        ASSERT_NEAR(layer[i],
                    (value - mean) / std::sqrt(variance + 1e-5) * scaled + static_cast<double>(bias[i]), 3e-6)
            << kernels->name << " " << d;
      }
      for (std::size_t i = d; i < d + 5; ++i) {
        ASSERT_EQ(rms[i], i < d + 3 ? 0.0f : 9.0f);
        ASSERT_EQ(layer[i], i < d + 3 ? 0.0f : 9.0f);
      }
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

TEST(ToPage, RoundsToBF16LikeTheScalarConversion) {
  std::mt19937 random(2);
  for (const KernelTable* kernels : all_tables()) {
    std::vector<float> x = random_floats(random, 1600, 3.0f);
    for (std::size_t i = 0; i < 800; ++i) x[i] *= std::ldexp(1.0f, static_cast<int>(i % 40) - 27);
    x[0] = 1.0f + 0x1p-8f;      // a tie, down to even
    x[1] = 1.0f + 3 * 0x1p-8f;  // a tie, up to even
    std::vector<std::uint16_t> halves(x.size());
    const auto to_page = kernels->to_page[static_cast<int>(PageFormat::kBF16)];
    to_page(x.data(), halves.data(), static_cast<int>(x.size()));
    for (std::size_t i = 0; i < x.size(); ++i)
      ASSERT_EQ(halves[i], f32_to_bf16(x[i])) << kernels->name << " " << x[i];
    to_page(x.data(), reinterpret_cast<std::uint16_t*>(x.data()), static_cast<int>(x.size()));
    EXPECT_EQ(std::memcmp(x.data(), halves.data(), 2 * halves.size()), 0) << kernels->name << " in place";
  }
}

TEST(ToPage, RoundsToF16LikeTheScalarConversionAndSaturates) {
  std::mt19937 random(1);
  for (const KernelTable* kernels : all_tables()) {
    std::vector<float> x = random_floats(random, 1600, 3.0f);
    for (std::size_t i = 0; i < 800; ++i) x[i] *= std::ldexp(1.0f, static_cast<int>(i % 40) - 27);
    x[0] = 1.0f + 0x1p-11f;
    x[1] = 0.0f;
    std::vector<std::uint16_t> halves(x.size());
    const auto to_page = kernels->to_page[static_cast<int>(PageFormat::kF16)];
    to_page(x.data(), halves.data(), static_cast<int>(x.size()));
    for (std::size_t i = 0; i < x.size(); ++i) {
      ASSERT_EQ(halves[i], f32_to_f16(std::clamp(x[i], -65504.0f, 65504.0f))) << kernels->name << " " << x[i];
    }
    const std::vector<float> huge(16, -1e20f);
    to_page(huge.data(), halves.data(), 16);
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
