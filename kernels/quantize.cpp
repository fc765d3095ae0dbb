#include "kernels/quantize.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "kernels/super_block.h"

namespace hearth::kernels {
namespace {

constexpr int kBlock = 32;

std::uint16_t load_u16(const std::byte* from) {
  std::uint16_t bits;
  std::memcpy(&bits, from, sizeof bits);
  return bits;
}

std::uint32_t load_u32(const std::byte* from) {
  std::uint32_t bits;
  std::memcpy(&bits, from, sizeof bits);
  return bits;
}

void store_u16(std::byte* to, std::uint16_t bits) { std::memcpy(to, &bits, sizeof bits); }

// Truncation into [0, largest]; what is not a number becomes 0.
std::uint8_t to_code(float value, int largest) {
  if (!(value > 0.0f)) return 0;
  return static_cast<std::uint8_t>(std::min(value, static_cast<float>(largest)));
}

float inverse(float scale) { return scale != 0.0f ? 1.0f / scale : 0.0f; }

float extreme(const float* x) {
  float result = 0.0f;
  for (int i = 0; i < kBlock; ++i) {
    if (std::fabs(x[i]) > std::fabs(result)) result = x[i];
  }
  return result;
}

void dequantize_block(WeightType type, const std::byte* block, float* out) {
  const float scale = f16_to_f32(load_u16(block));
  if (type == WeightType::kQ8_0) {
    for (int i = 0; i < kBlock; ++i)
      out[i] = scale * static_cast<float>(static_cast<std::int8_t>(block[2 + i]));
    return;
  }
  const std::byte* nibbles = block + block_bytes(type) - kBlock / 2;
  const std::uint32_t high = type == WeightType::kQ5_0 ? load_u32(block + 2) : 0;
  const int offset = type == WeightType::kQ4_0 ? 8 : type == WeightType::kQ5_0 ? 16 : 0;
  const float minimum = type == WeightType::kQ4_1 ? f16_to_f32(load_u16(block + 2)) : 0.0f;
  for (int i = 0; i < kBlock; ++i) {
    const int byte = std::to_integer<int>(nibbles[i % 16]);
    const int code = (i < 16 ? byte & 15 : byte >> 4) | static_cast<int>(high >> i & 1U) << 4;
    out[i] = scale * static_cast<float>(code - offset) + minimum;
  }
}

void quantize_q8_0(const float* x, std::byte* block) {
  const float scale = std::fabs(extreme(x)) / 127.0f;
  const float inv = inverse(scale);
  store_u16(block, f32_to_f16(scale));
  for (int i = 0; i < kBlock; ++i) {
    const float code = std::round(x[i] * inv);
    block[2 + i] =
        static_cast<std::byte>(code >= -127.0f && code <= 127.0f ? static_cast<std::int8_t>(code) : 0);
  }
}

// Q4_0 and Q5_0: codes 0 .. 2^bits - 1 around 2^(bits - 1), the extreme value getting code 0.
void quantize_centred(WeightType type, const float* x, std::byte* block) {
  const int half = type == WeightType::kQ5_0 ? 16 : 8;
  const float scale = extreme(x) / static_cast<float>(-half);
  const float inv = inverse(scale);
  store_u16(block, f32_to_f16(scale));
  std::byte* nibbles = block + block_bytes(type) - kBlock / 2;
  std::uint32_t high = 0;
  for (int i = 0; i < kBlock / 2; ++i) {
    const float rounding = static_cast<float>(half) + 0.5f;
    const std::uint8_t low_code = to_code(x[i] * inv + rounding, 2 * half - 1);
    const std::uint8_t high_code = to_code(x[i + 16] * inv + rounding, 2 * half - 1);
    nibbles[i] = static_cast<std::byte>((low_code & 15) | (high_code & 15) << 4);
    high |= static_cast<std::uint32_t>(low_code >> 4) << i | static_cast<std::uint32_t>(high_code >> 4)
                                                                 << (i + 16);
  }
  if (type == WeightType::kQ5_0) std::memcpy(block + 2, &high, sizeof high);
}

void quantize_q4_1(const float* x, std::byte* block) {
  const auto [low, high] = std::minmax_element(x, x + kBlock);
  const float minimum = *low;
  const float scale = (*high - minimum) / 15.0f;
  const float inv = inverse(scale);
  store_u16(block, f32_to_f16(scale));
  store_u16(block + 2, f32_to_f16(minimum));
  for (int i = 0; i < kBlock / 2; ++i) {
    const std::uint8_t low_code = to_code((x[i] - minimum) * inv + 0.5f, 15);
    const std::uint8_t high_code = to_code((x[i + 16] - minimum) * inv + 0.5f, 15);
    block[4 + i] = static_cast<std::byte>(low_code | high_code << 4);
  }
}

void dequantize_super_blocks(WeightType type, const std::byte* row, std::span<float> out) {
  for (std::size_t i = 0; i < out.size(); i += kSuperBlock, row += block_bytes(type)) {
    dequantize(type, read_super_block(type, row), out.subspan(i).first<kSuperBlock>());
  }
}

void quantize_super_blocks(WeightType type, std::span<const float> row, std::byte* out) {
  for (std::size_t i = 0; i < row.size(); i += kSuperBlock, out += block_bytes(type)) {
    write_super_block(type, quantize_super_block(type, row.subspan(i).first<kSuperBlock>()), out);
  }
}

bool is_finite_f16(std::uint16_t bits) { return (bits & 0x7c00U) != 0x7c00U; }

bool is_finite_element(WeightType type, const std::byte* at) {
  switch (type) {
    case WeightType::kF32: return (load_u32(at) & 0x7f800000U) != 0x7f800000U;
    case WeightType::kBF16: return (load_u16(at) & 0x7f80U) != 0x7f80U;
    case WeightType::kQ4_1:
    case WeightType::kQ4_K:
    case WeightType::kQ5_K: return is_finite_f16(load_u16(at)) && is_finite_f16(load_u16(at + 2));
    case WeightType::kQ6_K: return is_finite_f16(load_u16(at + block_bytes(type) - 2));
    default: return is_finite_f16(load_u16(at));
  }
}

}  // namespace

float f16_to_f32(std::uint16_t bits) {
  const std::uint32_t sign = std::uint32_t{bits & 0x8000U} << 16;
  const std::uint32_t magnitude = bits & 0x7fffU;
  if (magnitude >= 0x7c00U) return std::bit_cast<float>(sign | 0x7f800000U | (magnitude & 0x3ffU) << 13);
  // Shifted into place the exponent is 112 too small; the product also normalises subnormals.
  const float shifted = std::bit_cast<float>(magnitude << 13) * 0x1p112f;
  return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(shifted));
}

std::uint16_t f32_to_f16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000U);
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  if (magnitude > 0x7f800000U) {
    return static_cast<std::uint16_t>(sign | 0x7e00U | (magnitude >> 13 & 0x3ffU));
  }
  if (magnitude >= 0x47800000U) return static_cast<std::uint16_t>(sign | 0x7c00U);  // 65536 and above
  if (magnitude < 0x38800000U) {
    // Below 2^-14: adding 0.5 leaves the rounded subnormal in the low bits of the sum.
    const float sum = std::bit_cast<float>(magnitude) + 0.5f;
    return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(sum) - 0x3f000000U));
  }
  const std::uint32_t rounded = magnitude + 0xfffU + (magnitude >> 13 & 1U) - 0x38000000U;
  return static_cast<std::uint16_t>(sign | rounded >> 13);
}

void dequantize_row(WeightType type, std::span<const std::byte> row, std::span<float> out) {
  assert(row.size() >= row_bytes(type, out.size()));
  switch (type) {
    case WeightType::kF32: std::memcpy(out.data(), row.data(), out.size_bytes()); return;
    case WeightType::kF16:
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = f16_to_f32(load_u16(row.data() + 2 * i));
      return;
    case WeightType::kBF16:
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = bf16_to_f32(load_u16(row.data() + 2 * i));
      return;
    case WeightType::kQ4_K:
    case WeightType::kQ5_K:
    case WeightType::kQ6_K: dequantize_super_blocks(type, row.data(), out); return;
    default: break;
  }
  for (std::size_t b = 0; b < out.size() / kBlock; ++b) {
    dequantize_block(type, row.data() + b * static_cast<std::size_t>(block_bytes(type)),
                     out.data() + b * kBlock);
  }
}

void quantize_row(WeightType type, std::span<const float> row, std::span<std::byte> out) {
  assert(out.size() >= row_bytes(type, row.size()));
  switch (type) {
    case WeightType::kF32: std::memcpy(out.data(), row.data(), row.size_bytes()); return;
    case WeightType::kF16:
      for (std::size_t i = 0; i < row.size(); ++i) store_u16(out.data() + 2 * i, f32_to_f16(row[i]));
      return;
    case WeightType::kBF16:
      for (std::size_t i = 0; i < row.size(); ++i) store_u16(out.data() + 2 * i, f32_to_bf16(row[i]));
      return;
    case WeightType::kQ4_K:
    case WeightType::kQ5_K:
    case WeightType::kQ6_K: quantize_super_blocks(type, row, out.data()); return;
    default: break;
  }
  for (std::size_t b = 0; b < row.size() / kBlock; ++b) {
    const float* x = row.data() + b * kBlock;
    std::byte* block = out.data() + b * static_cast<std::size_t>(block_bytes(type));
    if (type == WeightType::kQ8_0) {
      quantize_q8_0(x, block);
    } else if (type == WeightType::kQ4_1) {
      quantize_q4_1(x, block);
    } else {
      quantize_centred(type, x, block);
    }
  }
}

std::optional<std::size_t> find_non_finite(const MatrixView& matrix) {
  const std::size_t elements = static_cast<std::size_t>(matrix.rows) * static_cast<std::size_t>(matrix.cols);
  const std::size_t per_block = static_cast<std::size_t>(block_elements(matrix.type));
  const std::size_t stride = static_cast<std::size_t>(block_bytes(matrix.type));
  for (std::size_t b = 0; b < elements / per_block; ++b) {
    if (!is_finite_element(matrix.type, matrix.bytes.data() + b * stride)) return b * per_block;
  }
  return std::nullopt;
}

}  // namespace hearth::kernels
