// Super-blocks of 256 weights, the K types of GGUF: small integer codes, whose blocks have small integer
// scales (and minima), which share one fp16 scale (and one fp16 minimum). Layouts and the order of the
// bits: github.com/ggml-org/ggml, src/ggml-common.h.
//   Q4_K, Q5_K: weight = scale * scales[i / 32] * codes[i] - minimum * minima[i / 32]
//   Q6_K:       weight = scale * scales[i / 16] * (codes[i] - 32)
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/weight_type.h"

namespace hearth::kernels {

inline constexpr int kSuperBlock = 256;  // weights

// A super-block taken apart.
struct SuperBlock {
  std::uint16_t scale = 0, minimum = 0;  // fp16
  std::uint8_t codes[kSuperBlock] = {};  // 0 .. 15, 31 or 63
  std::int8_t scales[16] = {};           // eight of 0 .. 63; Q6_K: sixteen of -128 .. 127
  std::uint8_t minima[8] = {};           // 0 .. 63
};

// `bytes`: block_bytes(type) of them.
SuperBlock read_super_block(WeightType type, const std::byte* bytes);
void write_super_block(WeightType type, const SuperBlock& block, std::byte* bytes);

void dequantize(WeightType type, const SuperBlock& block, std::span<float, kSuperBlock> out);

// Rounds without a search: a block's scale is its range (Q6_K: its extreme value) over the codes', the
// shared one the largest of them over theirs.
SuperBlock quantize_super_block(WeightType type, std::span<const float, kSuperBlock> x);

}  // namespace hearth::kernels
