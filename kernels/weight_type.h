// The element types a weight matrix may have in a model file, and their block geometry.
// Layouts are those of GGUF (github.com/ggml-org/ggml, docs/gguf.md): little endian, blocks along a row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace hearth::kernels {

enum class WeightType : std::uint8_t { kF32, kF16, kBF16, kQ8_0, kQ5_0, kQ4_0, kQ4_1, kQ4_K, kQ5_K, kQ6_K };

// Elements a block: 1 for the float types, 256 for the K types (super_block.h), else 32.
constexpr int block_elements(WeightType type) {
  if (type <= WeightType::kBF16) return 1;
  return type < WeightType::kQ4_K ? 32 : 256;
}

// Bytes of one block in a model file.
constexpr int block_bytes(WeightType type) {
  switch (type) {
    case WeightType::kF32: return 4;
    case WeightType::kF16: return 2;
    case WeightType::kBF16: return 2;
    case WeightType::kQ8_0: return 34;   // fp16 scale, 32 int8
    case WeightType::kQ5_0: return 22;   // fp16 scale, 32 high bits, 32 nibbles
    case WeightType::kQ4_0: return 18;   // fp16 scale, 32 nibbles
    case WeightType::kQ4_1: return 20;   // fp16 scale, fp16 minimum, 32 nibbles
    case WeightType::kQ4_K: return 144;  // fp16 scale and minimum, 8 + 8 six-bit ones, 256 nibbles
    case WeightType::kQ5_K: return 176;  // as Q4_K, and 256 high bits
    case WeightType::kQ6_K: return 210;  // 256 nibbles, 256 pairs of high bits, 16 int8 scales, fp16 scale
  }
  return 0;
}

// Bytes of a row of `cols` elements; `cols` is a multiple of block_elements(type).
constexpr std::size_t row_bytes(WeightType type, std::size_t cols) {
  return cols / block_elements(type) * block_bytes(type);
}

constexpr const char* name(WeightType type) {
  constexpr const char* kNames[] = {"F32",  "F16",  "BF16", "Q8_0", "Q5_0",
                                    "Q4_0", "Q4_1", "Q4_K", "Q5_K", "Q6_K"};
  return kNames[static_cast<int>(type)];
}

// A matrix as it lies in a model file: `rows` outputs, each a row of `cols` inputs.
// The bytes are borrowed and unaligned; they must hold rows * row_bytes(type, cols).
struct MatrixView {
  WeightType type = WeightType::kF32;
  int rows = 0;
  int cols = 0;
  std::span<const std::byte> bytes;
};

}  // namespace hearth::kernels
