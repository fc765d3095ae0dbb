#include "kernels/quantize.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>

#include "tests/kernels/random_model.h"

namespace hearth::kernels {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

std::vector<float> round_trip(WeightType type, const std::vector<float>& row) {
  std::vector<std::byte> bytes(row_bytes(type, row.size()));
  quantize_row(type, row, bytes);
  std::vector<float> out(row.size());
  dequantize_row(type, bytes, out);
  return out;
}

TEST(F16, EveryFiniteNumberSurvivesTheTripThroughF32) {
  for (unsigned bits = 0; bits < 0x10000U; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    if ((half & 0x7c00U) == 0x7c00U && (half & 0x3ffU) != 0) {
      EXPECT_TRUE(std::isnan(f16_to_f32(half)));
      EXPECT_TRUE(std::isnan(f16_to_f32(f32_to_f16(f16_to_f32(half)))));
    } else {
      ASSERT_EQ(f32_to_f16(f16_to_f32(half)), half);
    }
  }
}

TEST(F16, ValuesAreThoseOfIeee) {
  const struct {
    float value;
    std::uint16_t bits;
  } cases[] = {{0.0f, 0x0000},      {-0.0f, 0x8000},     {1.0f, 0x3c00},     {-2.0f, 0xc000},
               {65504.0f, 0x7bff},  {0x1p-14f, 0x0400},  {0x1p-24f, 0x0001}, {1.0f / 3, 0x3555},
               {kInfinity, 0x7c00}, {-kInfinity, 0xfc00}};
  for (const auto& c : cases) {
    EXPECT_EQ(f32_to_f16(c.value), c.bits) << c.value;
    if (c.value != 1.0f / 3) {
      EXPECT_EQ(f16_to_f32(c.bits), c.value);
    }
  }
}

TEST(F16, RoundsToNearestEvenAndOverflowsToInfinity) {
  EXPECT_EQ(f32_to_f16(1.0f + 0x1p-11f), 0x3c00);             // a tie, down to even
  EXPECT_EQ(f32_to_f16(1.0f + 3 * 0x1p-11f), 0x3c02);         // a tie, up to even
  EXPECT_EQ(f32_to_f16(1.0f + 0x1p-11f + 0x1p-20f), 0x3c01);  // just above a tie
  EXPECT_EQ(f32_to_f16(0x1p-25f), 0x0000);
  EXPECT_EQ(f32_to_f16(0x1.8p-24f), 0x0002);
  EXPECT_EQ(f32_to_f16(65519.0f), 0x7bff);
  EXPECT_EQ(f32_to_f16(65520.0f), 0x7c00);
  EXPECT_EQ(f32_to_f16(-1e30f), 0xfc00);
}

// Half a step of the type's grid, a little more for the scale's own rounding to fp16.
double largest_error(WeightType type, const std::vector<float>& row, std::size_t at) {
  const std::size_t size = block_elements(type) == 256 ? 256 : 32;
  const float* block = row.data() + at / size * size;
  const auto [low, high] = std::minmax_element(block, block + size);
  const double magnitude =
      std::max(std::fabs(static_cast<double>(*low)), std::fabs(static_cast<double>(*high)));
  switch (type) {
    case WeightType::kF32: return 0;
    case WeightType::kF16: return magnitude * 0x1p-11;
    case WeightType::kBF16: return magnitude * 0x1p-8;
    case WeightType::kQ8_0: return magnitude / 127 * 0.5 + magnitude * 0x1p-10;
    // The end of the range opposite the extreme value is one code short.
    case WeightType::kQ5_0: return magnitude / 16 + magnitude * 0x1p-10;
    case WeightType::kQ4_0: return magnitude / 8 + magnitude * 0x1p-10;
    case WeightType::kQ4_1:
      return (static_cast<double>(*high) - static_cast<double>(*low)) / 30 + magnitude * 0x1p-9;
    // Scale and minimum of a block are within 1/126 of the super-block's largest. That moves the grid's
    // ends, whose codes then lie off by the number of steps.
    case WeightType::kQ4_K:
    case WeightType::kQ5_K: {
      const double steps = type == WeightType::kQ4_K ? 15 : 31;
      const double scale = (static_cast<double>(*high) - static_cast<double>(*low)) / steps;
      return scale * (0.5 + steps / 126) + magnitude / 126 + magnitude * 0x1p-9;
    }
    // The same with 1/256; and the end opposite the extreme value is one code short.
    case WeightType::kQ6_K: return magnitude / 32 * (1 + 32.0 / 256) + magnitude * 0x1p-9;
  }
  return 0;
}

TEST(Quantize, RoundTripsWithinHalfAStep) {
  std::mt19937 random(1);
  for (const WeightType type : kAllTypes) {
    const std::vector<float> row = random_floats(random, 32 * 200, 0.7f, 0.1f);
    const std::vector<float> back = round_trip(type, row);
    double squared = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const double error = std::fabs(static_cast<double>(back[i]) - static_cast<double>(row[i]));
      ASSERT_LE(error, largest_error(type, row, i)) << name(type) << " at " << i;
      squared += error * error;
    }
    const double root = std::sqrt(squared / static_cast<double>(row.size())) / 0.7;
    const double limits[] = {0, 3e-4, 2.5e-3, 6e-3, 0.045, 0.09, 0.085, 0.085, 0.045, 0.02};
    EXPECT_LE(root, limits[static_cast<int>(type)]) << name(type);
  }
}

TEST(Quantize, WhatItMadeItMakesAgain) {
  std::mt19937 random(2);
  for (const WeightType type : {WeightType::kF16, WeightType::kBF16, WeightType::kQ8_0}) {
    const std::vector<float> once = round_trip(type, random_floats(random, 320, 1.0f));
    const std::vector<float> twice = round_trip(type, once);
    for (std::size_t i = 0; i < once.size(); ++i) ASSERT_NEAR(twice[i], once[i], 2e-3f * std::fabs(once[i]));
  }
}

TEST(Quantize, ZerosStayZeroInEveryType) {
  for (const WeightType type : kAllTypes) {
    for (const float value : round_trip(type, std::vector<float>(512, 0.0f)))
      ASSERT_EQ(value, 0.0f) << name(type);
  }
}

TEST(Quantize, LaysBlocksOutAsGgmlDoes) {
  std::vector<float> row(32);
  for (int i = 0; i < 32; ++i) row[static_cast<std::size_t>(i)] = static_cast<float>(i - 16);  // -16 .. 15
  std::vector<std::byte> q5(row_bytes(WeightType::kQ5_0, 32));
  quantize_row(WeightType::kQ5_0, row, q5);
  // Scale 1, codes 0 .. 31: the second half has the high bit, and low nibbles equal the first half's.
  EXPECT_EQ(q5[0], std::byte{0x00});
  EXPECT_EQ(q5[1], std::byte{0x3c});
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(q5[static_cast<std::size_t>(2 + i)], i < 2 ? std::byte{0} : std::byte{0xff});
  for (unsigned i = 0; i < 16; ++i) EXPECT_EQ(q5[6 + i], static_cast<std::byte>(i * 17));
  EXPECT_EQ(round_trip(WeightType::kQ5_0, row), row);

  for (int i = 0; i < 32; ++i) row[static_cast<std::size_t>(i)] = static_cast<float>(i / 2) * 2.0f - 3.0f;
  std::vector<std::byte> q4(row_bytes(WeightType::kQ4_1, 32));
  quantize_row(WeightType::kQ4_1, row, q4);
  EXPECT_EQ(q4[1], std::byte{0x40});  // scale 2
  EXPECT_EQ(q4[3], std::byte{0xc2});  // minimum -3
  EXPECT_EQ(q4[4], std::byte{0x80});
  EXPECT_EQ(q4[19], std::byte{0xf7});
  EXPECT_EQ(round_trip(WeightType::kQ4_1, row), row);
}

TEST(FindNonFinite, NamesTheFirstElementOrBlock) {
  std::mt19937 random(3);
  for (const WeightType type : kAllTypes) {
    RandomMatrix matrix(random, type, 3, 512);
    EXPECT_EQ(find_non_finite(matrix.view()), std::nullopt) << name(type);
    const auto block = static_cast<std::size_t>(block_elements(type));
    const std::size_t at = 768;
    const std::size_t scale_at = type == WeightType::kQ6_K ? 208 : 0;
    std::byte* bytes = matrix.bytes.data() + row_bytes(type, at) + scale_at;
    if (type == WeightType::kF32) {
      std::memcpy(bytes, &kInfinity, 4);
    } else {
      const std::uint16_t bits = type == WeightType::kBF16 ? 0x7f80 : 0x7c01;
      std::memcpy(bytes, &bits, 2);
    }
    EXPECT_EQ(find_non_finite(matrix.view()), at / block * block) << name(type);
  }
}

TEST(FindNonFinite, LooksAtMinima) {
  std::mt19937 random(4);
  RandomMatrix matrix(random, WeightType::kQ4_1, 2, 32);
  const std::uint16_t nan = 0x7e00;
  std::memcpy(matrix.bytes.data() + 20 + 2, &nan, sizeof nan);
  EXPECT_EQ(find_non_finite(matrix.view()), std::optional<std::size_t>(32));
  for (const WeightType type : {WeightType::kQ4_K, WeightType::kQ5_K}) {
    RandomMatrix super(random, type, 2, 256);
    std::memcpy(super.bytes.data() + block_bytes(type) + 2, &nan, sizeof nan);
    EXPECT_EQ(find_non_finite(super.view()), std::optional<std::size_t>(256)) << name(type);
  }
}

TEST(Quantize, NonFiniteInputIsNoUndefinedBehaviour) {
  std::vector<float> row(256, 1.0f);
  row[3] = kNan;
  row[7] = kInfinity;
  for (const WeightType type : kAllTypes) round_trip(type, row);
}

}  // namespace
}  // namespace hearth::kernels
