#include "kernels/super_block.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <vector>

#include "kernels/quantize.h"

namespace hearth::kernels {
namespace {

constexpr WeightType kTypes[] = {WeightType::kQ4_K, WeightType::kQ5_K, WeightType::kQ6_K};

std::vector<std::byte> random_bytes(std::mt19937& random, WeightType type) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(block_bytes(type)));
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

TEST(SuperBlock, EveryBitIsReadAndWrittenBack) {
  std::mt19937 random(1);
  for (const WeightType type : kTypes) {
    for (int i = 0; i < 50; ++i) {
      const std::vector<std::byte> bytes = random_bytes(random, type);
      std::vector<std::byte> back(bytes.size());
      write_super_block(type, read_super_block(type, bytes.data()), back.data());
      ASSERT_EQ(back, bytes) << name(type);
    }
  }
}

struct Case {
  WeightType type;
  std::vector<std::pair<std::size_t, int>> bytes;  // what is not zero, by place
  std::size_t element;
  float value;  // all others are `rest`
  float rest;
};

// One bit each, from the format's description: which element it belongs to and what it is worth. Scale
// 1.0 is 0x3c00; a block's scale is 1 where not said otherwise.
TEST(SuperBlock, BitsStandWhereGgmlPutsThem) {
  using enum WeightType;
  using Bytes = std::vector<std::pair<std::size_t, int>>;
  const Bytes q4{{1, 0x3c}, {4, 1}, {5, 1}, {6, 1}, {7, 1}, {12, 1}, {13, 1}, {14, 1}, {15, 1}};
  Bytes q6{{209, 0x3c}};
  for (std::size_t i = 0; i < 16; ++i) q6.emplace_back(192 + i, 1);
  const auto with = [](Bytes bytes, std::size_t at, int value) {
    bytes.emplace_back(at, value);
    return bytes;
  };
  const Case cases[] = {
      {kQ4_K, with(q4, 16 + 5, 0x07), 5, 7, 0},          {kQ4_K, with(q4, 16 + 5, 0x70), 37, 7, 0},
      {kQ4_K, with(q4, 16 + 96 + 31, 0x30), 255, 3, 0},  {kQ5_K, with(q4, 48 + 32 + 2, 0x09), 66, 9, 0},
      {kQ5_K, with(q4, 16 + 3, 0x01), 3, 16, 0},         {kQ5_K, with(q4, 16 + 3, 0x20), 163, 16, 0},
      {kQ6_K, with(q6, 5, 0x04), 5, 4 - 32, -32},        {kQ6_K, with(q6, 32 + 5, 0x04), 37, 4 - 32, -32},
      {kQ6_K, with(q6, 5, 0x40), 69, 4 - 32, -32},       {kQ6_K, with(q6, 32 + 5, 0x40), 101, 4 - 32, -32},
      {kQ6_K, with(q6, 64 + 5, 0x04), 133, 4 - 32, -32}, {kQ6_K, with(q6, 128 + 7, 0x02), 7, 0, -32},
      {kQ6_K, with(q6, 128 + 7, 0x04), 39, -16, -32},    {kQ6_K, with(q6, 128 + 32 + 7, 0xc0), 231, 16, -32},
  };
  for (const Case& c : cases) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(block_bytes(c.type)));
    for (const auto& [at, value] : c.bytes) bytes[at] = static_cast<std::byte>(value);
    std::vector<float> out(kSuperBlock);
    dequantize_row(c.type, bytes, out);
    for (std::size_t i = 0; i < out.size(); ++i) {
      ASSERT_EQ(out[i], i == c.element ? c.value : c.rest) << name(c.type) << " element " << i;
    }
  }
}

// Scales and minima of six bits, of which blocks 4 .. 7 keep the upper two elsewhere.
TEST(SuperBlock, SixBitScalesStandWhereGgmlPutsThem) {
  struct SixBits {
    std::size_t at;
    int byte;
    std::size_t block;
    int scale, minimum;
  };
  for (const SixBits& c : {SixBits{4, 0x3f, 0, 63, 0},
                           {7, 0x2a, 3, 42, 0},
                           {8, 0x3f, 0, 0, 63},
                           {12, 0x0f, 4, 15, 0},
                           {15, 0xf0, 7, 0, 15},
                           {4, 0xc0, 4, 48, 0},
                           {11, 0xc0, 7, 0, 48}}) {
    for (const WeightType type : {WeightType::kQ4_K, WeightType::kQ5_K}) {
      std::vector<std::byte> bytes(static_cast<std::size_t>(block_bytes(type)));
      bytes[c.at] = static_cast<std::byte>(c.byte);
      const SuperBlock block = read_super_block(type, bytes.data());
      for (std::size_t b = 0; b < 8; ++b) {
        EXPECT_EQ(block.scales[b], b == c.block ? c.scale : 0) << "byte " << c.at << " block " << b;
        EXPECT_EQ(block.minima[b], b == c.block ? c.minimum : 0) << "byte " << c.at << " block " << b;
      }
    }
  }
}

}  // namespace
}  // namespace hearth::kernels
