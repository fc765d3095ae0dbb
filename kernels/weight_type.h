// The element types a weight matrix may have in a model file, and their block geometry.
// Layouts are those of GGUF (github.com/ggml-org/ggml, docs/gguf.md): little endian, blocks along a row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace hearth::kernels {

enum class WeightType : std::uint8_t { kF32, kF16, kBF16, kQ8_0, kQ5_0, kQ4_0, kQ4_1 };

// Elements a block; 1 for the float types, 32 for the quantised ones.
constexpr int block_elements(WeightType type) { return type <= WeightType::kBF16 ? 1 : 32; }

// Bytes of one block in a model file.
constexpr int block_bytes(WeightType type) {
  switch (type) {
    case WeightType::kF32: return 4;
    case WeightType::kF16: return 2;
    case WeightType::kBF16: return 2;
    case WeightType::kQ8_0: return 34;  // fp16 scale, 32 int8
    case WeightType::kQ5_0: return 22;  // fp16 scale, 32 high bits, 32 nibbles
    case WeightType::kQ4_0: return 18;  // fp16 scale, 32 nibbles
    case WeightType::kQ4_1: return 20;  // fp16 scale, fp16 minimum, 32 nibbles
  }
  return 0;
}

// Bytes of a row of `cols` elements; `cols` is a multiple of block_elements(type).
constexpr std::size_t row_bytes(WeightType type, std::size_t cols) {
  return cols / block_elements(type) * block_bytes(type);
}

constexpr const char* name(WeightType type) {
  constexpr const char* kNames[] = {"F32", "F16", "BF16", "Q8_0", "Q5_0", "Q4_0", "Q4_1"};
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
