#include "kernels/super_block.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernels/quantize.h"

namespace hearth::kernels {
namespace {

constexpr int kBlock = 32;

// Where the parts of a file's super-block begin.
constexpr std::size_t kSixBitScalesAt = 4;  // 12 bytes, in Q4_K and Q5_K
constexpr std::size_t kHighBitsAt = 16;     // 32 bytes, in Q5_K
constexpr std::size_t kHighPairsAt = 128;   // 64 bytes, in Q6_K
constexpr std::size_t kByteScalesAt = 192;  // 16 bytes, in Q6_K
constexpr std::size_t kLastScaleAt = 208;   // in Q6_K

constexpr std::size_t nibbles_at(WeightType type) {
  return type == WeightType::kQ4_K ? 16 : type == WeightType::kQ5_K ? 48 : 0;
}

std::uint16_t load_u16(const std::byte* from) {
  std::uint16_t bits;
  std::memcpy(&bits, from, sizeof bits);
  return bits;
}

void store_u16(std::byte* to, std::uint16_t bits) { std::memcpy(to, &bits, sizeof bits); }

const std::uint8_t* as_u8(const std::byte* bytes) { return reinterpret_cast<const std::uint8_t*>(bytes); }
std::uint8_t* as_u8(std::byte* bytes) { return reinterpret_cast<std::uint8_t*>(bytes); }

// Twelve bytes hold the low six bits of scales 0 .. 3 and of minima 0 .. 3, then the low nibbles of both for
// blocks 4 .. 7, whose upper two bits lie above those of blocks 0 .. 3.
void read_six_bit_scales(const std::uint8_t* from, SuperBlock& block) {
  for (int b = 0; b < 4; ++b) {
    block.scales[b] = static_cast<std::int8_t>(from[b] & 63);
    block.minima[b] = from[b + 4] & 63;
    block.scales[b + 4] = static_cast<std::int8_t>((from[b + 8] & 15) | from[b] >> 6 << 4);
    block.minima[b + 4] = static_cast<std::uint8_t>(from[b + 8] >> 4 | from[b + 4] >> 6 << 4);
  }
}

void write_six_bit_scales(const SuperBlock& block, std::uint8_t* to) {
  for (int b = 0; b < 4; ++b) {
    to[b] = static_cast<std::uint8_t>(block.scales[b] | block.scales[b + 4] >> 4 << 6);
    to[b + 4] = static_cast<std::uint8_t>(block.minima[b] | block.minima[b + 4] >> 4 << 6);
    to[b + 8] = static_cast<std::uint8_t>((block.scales[b + 4] & 15) | block.minima[b + 4] << 4);
  }
}

// Q4_K and Q5_K: 32 bytes hold the nibbles of two neighbouring blocks.
void read_neighbours(const std::uint8_t* nibbles, std::uint8_t* codes) {
  for (int pair = 0; pair < kSuperBlock / 64; ++pair, nibbles += kBlock, codes += 64) {
    for (int i = 0; i < kBlock; ++i) codes[i] = nibbles[i] & 15;
    for (int i = 0; i < kBlock; ++i) codes[i + kBlock] = nibbles[i] >> 4;
  }
}

void write_neighbours(const std::uint8_t* codes, std::uint8_t* nibbles) {
  for (int pair = 0; pair < kSuperBlock / 64; ++pair, nibbles += kBlock, codes += 64) {
    for (int i = 0; i < kBlock; ++i) {
      nibbles[i] = static_cast<std::uint8_t>((codes[i] & 15) | codes[i + kBlock] << 4);
    }
  }
}

// Q5_K: bit b of byte i belongs to element i of block b.
void read_high_bits(const std::uint8_t* bits, std::uint8_t* codes) {
  for (int b = 0; b < kSuperBlock / kBlock; ++b, codes += kBlock) {
    for (int i = 0; i < kBlock; ++i) codes[i] |= static_cast<std::uint8_t>((bits[i] >> b & 1) << 4);
  }
}

void write_high_bits(const std::uint8_t* codes, std::uint8_t* bits) {
  std::fill_n(bits, kBlock, std::uint8_t{0});
  for (int b = 0; b < kSuperBlock / kBlock; ++b, codes += kBlock) {
    for (int i = 0; i < kBlock; ++i) bits[i] |= static_cast<std::uint8_t>(codes[i] >> 4 << b);
  }
}

// Q6_K: 64 bytes hold the nibbles of elements i and i + 64 of 128, and 32 bytes the pairs of bits of
// elements i, i + 32, i + 64 and i + 96.
void read_halves(const std::uint8_t* nibbles, const std::uint8_t* pairs, std::uint8_t* codes) {
  for (int half = 0; half < 2; ++half, nibbles += 64, pairs += kBlock, codes += 128) {
    for (int i = 0; i < 64; ++i) codes[i] = nibbles[i] & 15;
    for (int i = 0; i < 64; ++i) codes[i + 64] = nibbles[i] >> 4;
    for (int b = 0; b < 4; ++b) {
      for (int i = 0; i < kBlock; ++i) {
        codes[b * kBlock + i] |= static_cast<std::uint8_t>((pairs[i] >> 2 * b & 3) << 4);
      }
    }
  }
}

void write_halves(const std::uint8_t* codes, std::uint8_t* nibbles, std::uint8_t* pairs) {
  std::fill_n(pairs, 2 * kBlock, std::uint8_t{0});
  for (int half = 0; half < 2; ++half, nibbles += 64, pairs += kBlock, codes += 128) {
    for (int i = 0; i < 64; ++i) {
      nibbles[i] = static_cast<std::uint8_t>((codes[i] & 15) | codes[i + 64] << 4);
    }
    for (int b = 0; b < 4; ++b) {
      for (int i = 0; i < kBlock; ++i) {
        pairs[i] |= static_cast<std::uint8_t>(codes[b * kBlock + i] >> 4 << 2 * b);
      }
    }
  }
}

float inverse(float scale) { return scale != 0.0f ? 1.0f / scale : 0.0f; }

// To the nearest integer in [least, most]; what is not a number becomes the least.
int nearest(float value, int least, int most) {
  if (!(value > static_cast<float>(least))) return least;
  return static_cast<int>(std::lround(std::min(value, static_cast<float>(most))));
}

SuperBlock quantize_ranges(std::span<const float, kSuperBlock> x, int largest_code) {
  constexpr int kBlocks = kSuperBlock / kBlock;
  constexpr int kLargestScale = 63;
  float scales[kBlocks], minima[kBlocks];
  for (int b = 0; b < kBlocks; ++b) {
    const auto [low, high] = std::minmax_element(x.begin() + b * kBlock, x.begin() + (b + 1) * kBlock);
    minima[b] = std::max(-*low, 0.0f);
    scales[b] = (*high + minima[b]) / static_cast<float>(largest_code);
  }
  SuperBlock block;
  block.scale = f32_to_f16(*std::max_element(scales, scales + kBlocks) / kLargestScale);
  block.minimum = f32_to_f16(*std::max_element(minima, minima + kBlocks) / kLargestScale);
  const float scale = f16_to_f32(block.scale);
  const float minimum = f16_to_f32(block.minimum);
  for (int b = 0; b < kBlocks; ++b) {
    const int own_scale = nearest(scales[b] * inverse(scale), 0, kLargestScale);
    const int own_minimum = nearest(minima[b] * inverse(minimum), 0, kLargestScale);
    block.scales[b] = static_cast<std::int8_t>(own_scale);
    block.minima[b] = static_cast<std::uint8_t>(own_minimum);
    const float inv = inverse(scale * static_cast<float>(own_scale));
    const float offset = minimum * static_cast<float>(own_minimum);
    for (int i = b * kBlock; i < (b + 1) * kBlock; ++i) {
      const auto at = static_cast<std::size_t>(i);
      block.codes[i] = static_cast<std::uint8_t>(nearest((x[at] + offset) * inv, 0, largest_code));
    }
  }
  return block;
}

SuperBlock quantize_extremes(std::span<const float, kSuperBlock> x) {
  constexpr int kBlocks = 16, kSize = kSuperBlock / kBlocks;
  const auto smaller = [](float a, float b) { return std::fabs(a) < std::fabs(b); };
  float scales[kBlocks];
  for (int b = 0; b < kBlocks; ++b) {
    scales[b] = *std::max_element(x.begin() + b * kSize, x.begin() + (b + 1) * kSize, smaller) / -32.0f;
  }
  SuperBlock block;
  block.scale = f32_to_f16(*std::max_element(scales, scales + kBlocks, smaller) / -128.0f);
  const float scale = f16_to_f32(block.scale);
  for (int b = 0; b < kBlocks; ++b) {
    const int own_scale = nearest(scales[b] * inverse(scale), -128, 127);
    block.scales[b] = static_cast<std::int8_t>(own_scale);
    const float inv = inverse(scale * static_cast<float>(own_scale));
    for (int i = b * kSize; i < (b + 1) * kSize; ++i) {
      block.codes[i] = static_cast<std::uint8_t>(nearest(x[static_cast<std::size_t>(i)] * inv, -32, 31) + 32);
    }
  }
  return block;
}

}  // namespace

SuperBlock read_super_block(WeightType type, const std::byte* bytes) {
  SuperBlock block;
  const std::uint8_t* nibbles = as_u8(bytes + nibbles_at(type));
  if (type == WeightType::kQ6_K) {
    block.scale = load_u16(bytes + kLastScaleAt);
    std::memcpy(block.scales, bytes + kByteScalesAt, sizeof block.scales);
    read_halves(nibbles, as_u8(bytes + kHighPairsAt), block.codes);
    return block;
  }
  block.scale = load_u16(bytes);
  block.minimum = load_u16(bytes + 2);
  read_six_bit_scales(as_u8(bytes + kSixBitScalesAt), block);
  read_neighbours(nibbles, block.codes);
  if (type == WeightType::kQ5_K) read_high_bits(as_u8(bytes + kHighBitsAt), block.codes);
  return block;
}

void write_super_block(WeightType type, const SuperBlock& block, std::byte* bytes) {
  std::uint8_t* nibbles = as_u8(bytes + nibbles_at(type));
  if (type == WeightType::kQ6_K) {
    store_u16(bytes + kLastScaleAt, block.scale);
    std::memcpy(bytes + kByteScalesAt, block.scales, sizeof block.scales);
    write_halves(block.codes, nibbles, as_u8(bytes + kHighPairsAt));
    return;
  }
  store_u16(bytes, block.scale);
  store_u16(bytes + 2, block.minimum);
  write_six_bit_scales(block, as_u8(bytes + kSixBitScalesAt));
  write_neighbours(block.codes, nibbles);
  if (type == WeightType::kQ5_K) write_high_bits(block.codes, as_u8(bytes + kHighBitsAt));
}

void dequantize(WeightType type, const SuperBlock& block, std::span<float, kSuperBlock> out) {
  const bool centred = type == WeightType::kQ6_K;
  const int size = centred ? 16 : kBlock;
  const float shared_scale = f16_to_f32(block.scale);
  const float shared_minimum = f16_to_f32(block.minimum);
  for (int b = 0; b < kSuperBlock / size; ++b) {
    const float scale = shared_scale * static_cast<float>(block.scales[b]);
    const float minimum = centred ? 0.0f : shared_minimum * static_cast<float>(block.minima[b]);
    for (int i = b * size; i < (b + 1) * size; ++i) {
      const int code = block.codes[i] - (centred ? 32 : 0);
      out[static_cast<std::size_t>(i)] = scale * static_cast<float>(code) - minimum;
    }
  }
}

SuperBlock quantize_super_block(WeightType type, std::span<const float, kSuperBlock> x) {
  if (type == WeightType::kQ6_K) return quantize_extremes(x);
  return quantize_ranges(x, type == WeightType::kQ5_K ? 31 : 15);
}

}  // namespace hearth::kernels
