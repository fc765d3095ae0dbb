// Products of packed panels of the K types with a tile of activations. A block's small integer scales
// multiply its integer sums, exactly; only the super-block's fp16 numbers meet floats. As in
// matmul_kernels.h, every lane adds up its own output along the input in ascending order.
#pragma once

#include <cstdint>

#include "kernels/cpu/kernel_table.h"
#include "kernels/cpu/matmul_kernels.h"

namespace hearth::kernels {
namespace {

struct BlockQ4_K {
  static constexpr bool kHasMinimum = true;
  static constexpr int kHighBytes = 0;  // a lane and block

  template <class V, int kRows>
  [[gnu::always_inline]] static void dot(const std::byte* codes, const std::byte*, const std::byte* scales,
                                         const std::int8_t* x, const std::int32_t*, typename V::Int* out) {
    const auto scale = V::load_scales(scales);
    typename V::Sums products[kRows];
    multiply_nibbles<V, kRows>(codes, x, products);
    for (int r = 0; r < kRows; ++r) out[r] = V::scaled_total(products[r], scale);
  }
};

struct BlockQ5_K {
  static constexpr bool kHasMinimum = true;
  static constexpr int kHighBytes = 4;

  template <class V, int kRows>
  [[gnu::always_inline]] static void dot(const std::byte* codes, const std::byte* high_bits,
                                         const std::byte* scales, const std::int8_t* x, const std::int32_t*,
                                         typename V::Int* out) {
    const auto scale = V::load_scales(scales);
    const auto bits = V::load_bytes(high_bits);
    typename V::Sums products[kRows];
    BlockQ5_0::multiply_half<V, kRows, 0>(codes, bits, x, products);
    for (int r = 0; r < kRows; ++r) out[r] = V::scaled_total(products[r], scale);
    BlockQ5_0::multiply_half<V, kRows, 4>(codes, bits, x, products);
    for (int r = 0; r < kRows; ++r) out[r] = V::add_int(out[r], V::scaled_total(products[r], scale));
  }
};

// Codes 0 .. 63 of which 32 is to be taken off: nibbles and, above them, pairs of bits 2 (g % 4) of two
// words of their own. 16 bits hold the products of two groups; two scales a block, of four groups each.
struct BlockQ6_K {
  static constexpr bool kHasMinimum = false;
  static constexpr int kHighBytes = 8;

  template <class V, int kRows>
  [[gnu::always_inline]] static void dot(const std::byte* codes, const std::byte* high_bits,
                                         const std::byte* scales, const std::int8_t* x,
                                         const std::int32_t* half_sums, typename V::Int* out) {
    const auto pairs = V::load_scale_pairs(scales);
    for (int r = 0; r < kRows; ++r) out[r] = V::zero_int();
    const auto first = V::load_bytes(high_bits);
    add_two_groups<V, kRows, 0>(codes, first, V::first_scales(pairs), x, out);
    add_two_groups<V, kRows, 2>(codes, first, V::first_scales(pairs), x, out);
    const auto second = V::load_bytes(high_bits + 4 * V::kLanes);
    add_two_groups<V, kRows, 4>(codes, second, V::second_scales(pairs), x, out);
    add_two_groups<V, kRows, 6>(codes, second, V::second_scales(pairs), x, out);
    for (int r = 0; r < kRows; ++r) {
      out[r] = V::template sub_shifted<5>(out[r], V::dot_pair(pairs, half_sums[r]));
    }
  }

  // Groups kFirst and kFirst + 1.
  template <class V, int kRows, int kFirst>
  [[gnu::always_inline]] static void add_two_groups(const std::byte* codes, const typename V::Bytes& pairs,
                                                    const typename V::Scales& scales, const std::int8_t* x,
                                                    typename V::Int* out) {
    const auto low = weights<V, kFirst>(codes, pairs);
    const auto high = weights<V, kFirst + 1>(codes, pairs);
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      auto products = V::multiply_add(V::zero_sums(), low, four_codes(x + r * kQuantBlock, kFirst));
      products = V::multiply_add(products, high, four_codes(x + r * kQuantBlock, kFirst + 1));
      out[r] = V::add_int(out[r], V::scaled_total(products, scales));
    }
  }

  template <class V, int kGroup>
  static typename V::Bytes weights(const std::byte* codes, const typename V::Bytes& pairs) {
    const auto both = V::load_bytes(codes + kGroup % 4 * 4 * V::kLanes);
    const auto nibbles = kGroup < 4 ? V::low_nibbles(both) : V::high_nibbles(both);
    return V::template with_pair<kGroup % 4>(nibbles, pairs);
  }
};

template <class Block>
struct SuperBlockMatmul {
  template <class V>
  static constexpr int kMostRows = kTileRows;

  template <class V, int kRows>
  static void run(const PanelView& weights, int first_panel, int panels, const ActivationTile& inputs,
                  float* out, std::size_t out_stride) {
    constexpr std::size_t kCodeBytes = 16 * V::kLanes;
    constexpr std::size_t kHighBytes = Block::kHighBytes * V::kLanes;
    constexpr std::size_t kScaleBytes = 2 * V::kLanes;
    constexpr std::size_t kBlockBytes = kCodeBytes + kHighBytes + kScaleBytes + V::kLanes / 2;
    const std::size_t blocks = static_cast<std::size_t>(weights.cols / kQuantBlock);
    const std::size_t ahead = prefetch_distance(weights);
    for (int p = 0; p < panels; ++p) {
      const std::byte* codes =
          weights.panels + static_cast<std::size_t>(first_panel + p) * weights.panel_bytes;
      const std::byte* high_bits = codes + blocks * kCodeBytes;
      const std::byte* scales = high_bits + blocks * kHighBytes;
      const std::byte* shared = scales + blocks * kScaleBytes;
      typename V::Float totals[kRows];
      for (int r = 0; r < kRows; ++r) totals[r] = V::zero();
      for (std::size_t first = 0; first < blocks; first += kBlocksOfSuper) {
        const auto scale = V::load_f16(shared);
        shared += 2 * V::kLanes;
        auto minimum = V::zero();
        if constexpr (Block::kHasMinimum) {
          minimum = V::load_f16(shared);
          shared += 2 * V::kLanes;
        }
        for (std::size_t b = first; b < first + kBlocksOfSuper; ++b) {
          const float* x_scale = inputs.scales + b * kTileRows;
          typename V::Int dots[kRows];
          prefetch<kBlockBytes>(codes + ahead + b * kBlockBytes);
          Block::template dot<V, kRows>(codes + b * kCodeBytes, high_bits + b * kHighBytes,
                                        scales + b * kScaleBytes, inputs.codes + b * kTileRows * kQuantBlock,
                                        inputs.half_sums + b * kTileRows, dots);
          for (int r = 0; r < kRows; ++r) {
            totals[r] = V::fma(V::to_float(dots[r]), V::mul(scale, V::splat(x_scale[r])), totals[r]);
          }
          if constexpr (Block::kHasMinimum) {
            const std::int32_t* x_sum = inputs.sums + b * kTileRows;
            const auto own = V::mul(minimum, V::load_u8(scales + b * kScaleBytes + V::kLanes));
            for (int r = 0; r < kRows; ++r) {
              totals[r] = V::fma(own, V::splat(x_scale[r] * static_cast<float>(x_sum[r])), totals[r]);
            }
          }
        }
      }
      for (int r = 0; r < kRows; ++r) {
        V::store(out + static_cast<std::size_t>(r) * out_stride + p * V::kLanes, totals[r]);
      }
    }
  }
};

}  // namespace
}  // namespace hearth::kernels
