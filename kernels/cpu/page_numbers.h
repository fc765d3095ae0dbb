// How attention reads the numbers of a page, by format: a lane has kTogether of them, side by side in the
// page, which are multiplied by as many inputs, floats or, where the machine has dot products of bf16, one
// pair of those. page_pool.h has the layouts.
#pragma once

#include <cstdint>

#include "kernels/cpu/row_kernels.h"

namespace hearth::kernels {
namespace {

template <class V>
struct F16Numbers {
  static constexpr int kTogether = 1;
  static constexpr int kInputs = 1;  // floats, or pairs in their place, that are multiplied by them
  using Lanes = typename V::Float;

  static Lanes load(const std::uint16_t* from) { return V::load_f16(from); }
  // sum + numbers * inputs, the inputs of a lane being `stride` apart.
  static typename V::Float add_products(typename V::Float sum, const Lanes& numbers, const float* inputs,
                                        int /*stride*/) {
    return V::fma(numbers, V::splat(*inputs), sum);
  }
  // Puts the weights of tokens t, t + 1 ... as inputs into the row of scores they come from.
  static void store_weights(float* row, int t, typename V::Float weights) { V::store(row + t, weights); }
};

template <class V>
struct BF16Numbers {
  static constexpr int kTogether = 2;
  static constexpr int kInputs = V::kBf16Dots ? 1 : 2;
  using Lanes = typename V::Bytes;

  static Lanes load(const std::uint16_t* from) { return V::load_bytes(from); }
  static typename V::Float add_products(typename V::Float sum, const Lanes& numbers, const float* inputs,
                                        int stride) {
    if constexpr (V::kBf16Dots) {
      std::int32_t pair;
      __builtin_memcpy(&pair, inputs, sizeof pair);
      return V::dot_bf16(sum, numbers, pair);
    } else {
      sum = V::fma(V::first_bf16(numbers), V::splat(inputs[0]), sum);
      return V::fma(V::second_bf16(numbers), V::splat(inputs[stride]), sum);
    }
  }
  static void store_weights(float* row, int t, typename V::Float weights) {
    if constexpr (V::kBf16Dots) {
      V::store_bf16(reinterpret_cast<std::uint16_t*>(row) + t, weights);
    } else {
      V::store(row + t, weights);
    }
  }
};

}  // namespace
}  // namespace hearth::kernels
