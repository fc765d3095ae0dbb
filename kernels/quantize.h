// Rows of weights to and from F32, in the layouts of weight_type.h. Rounding is ggml's plain one
// (symmetric types: the scale is the extreme value over the largest code; Q4_1: minimum and range; the K
// types as super_block.h says).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "kernels/weight_type.h"

namespace hearth::kernels {

// `row` holds row_bytes(type, out.size()) bytes.
void dequantize_row(WeightType type, std::span<const std::byte> row, std::span<float> out);

// `out` holds row_bytes(type, row.size()) bytes.
void quantize_row(WeightType type, std::span<const float> row, std::span<std::byte> out);

// The index of the first element whose value, or whose block's scale or minimum, is NaN or infinite.
std::optional<std::size_t> find_non_finite(const MatrixView& matrix);

float f16_to_f32(std::uint16_t bits);
inline float bf16_to_f32(std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16); }
// To nearest even; overflow to infinity.
std::uint16_t f32_to_f16(float value);
inline std::uint16_t f32_to_bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffffU) > 0x7f800000U) return static_cast<std::uint16_t>((bits >> 16) | 0x40U);
  return static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16);
}

}  // namespace hearth::kernels
