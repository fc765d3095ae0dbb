// Rows of weights to and from F32, in the layouts of weight_type.h. Rounding is ggml's plain one
// (symmetric types: the scale is the extreme value over the largest code; Q4_1: minimum and range; the K
// types as super_block.h says).
#pragma once

#include <cstddef>
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
float bf16_to_f32(std::uint16_t bits);
// To nearest even; overflow to infinity.
std::uint16_t f32_to_f16(float value);
std::uint16_t f32_to_bf16(float value);

}  // namespace hearth::kernels
