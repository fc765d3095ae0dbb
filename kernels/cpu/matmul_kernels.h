// Products of packed panels with a tile of activations. Every lane adds up its own output along the
// input in ascending order, whatever the number of rows, so results do not depend on the tile.
//
// The products of a block are always inlined: GCC thinks eight rows too long for it, and a call sends all
// sums through memory, which halves the speed.
#pragma once

#include <cstdint>

#include "kernels/cpu/kernel_table.h"

namespace hearth::kernels {
namespace {

// What a lane's kColumns neighbouring weights, kBytes in all, add to the sums of kRows rows.
struct ColumnF32 {
  static constexpr int kBytes = 4;
  static constexpr int kColumns = 1;
  template <class V>
  static constexpr int kMostRows = 4;
  template <class V, int kRows>
  static void add(const std::byte* weights, const ActivationTile& inputs, int column,
                  typename V::Float* sums) {
    add_products<V, kRows>(V::load(reinterpret_cast<const float*>(weights)), inputs, column, sums);
  }
  template <class V, int kRows>
  static void add_products(const typename V::Float& weights, const ActivationTile& inputs, int column,
                           typename V::Float* sums) {
    const float* x = inputs.values + column * kTileRows;
    for (int r = 0; r < kRows; ++r) sums[r] = V::fma(weights, V::splat(x[r]), sums[r]);
  }
};
struct ColumnF16 {
  static constexpr int kBytes = 2;
  static constexpr int kColumns = 1;
  template <class V>
  static constexpr int kMostRows = 4;
  template <class V, int kRows>
  static void add(const std::byte* weights, const ActivationTile& inputs, int column,
                  typename V::Float* sums) {
    ColumnF32::add_products<V, kRows>(V::load_f16(weights), inputs, column, sums);
  }
};
struct PairBF16 {
  static constexpr int kBytes = 4;
  static constexpr int kColumns = 2;
  template <class V>
  static constexpr int kMostRows = V::kBf16Dots ? kTileRows : 4;
  template <class V, int kRows>
  static void add(const std::byte* weights, const ActivationTile& inputs, int column,
                  typename V::Float* sums) {
    const auto both = V::load_bytes(weights);
    if constexpr (V::kBf16Dots) {
      const std::int32_t* x = inputs.pairs + column / 2 * kTileRows;
      for (int r = 0; r < kRows; ++r) sums[r] = V::dot_bf16(sums[r], both, x[r]);
    } else {
      ColumnF32::add_products<V, kRows>(V::first_bf16(both), inputs, column, sums);
      ColumnF32::add_products<V, kRows>(V::second_bf16(both), inputs, column + 1, sums);
    }
  }
};

// kPanels neighbouring panels at once, so that enough sums are under way to hide their latency.
template <class V, class Weight, int kRows, int kPanels>
void multiply_float_panels(const PanelView& weights, int first_panel, const ActivationTile& inputs,
                           float* out, std::size_t out_stride) {
  typename V::Float sums[kPanels][kRows];
  const std::byte* panel[kPanels];
  for (int p = 0; p < kPanels; ++p) {
    panel[p] = weights.panels + static_cast<std::size_t>(first_panel + p) * weights.panel_bytes;
    for (int r = 0; r < kRows; ++r) sums[p][r] = V::zero();
  }
  for (int c = 0; c < weights.cols; c += Weight::kColumns) {
    for (int p = 0; p < kPanels; ++p) {
      Weight::template add<V, kRows>(panel[p], inputs, c, sums[p]);
      panel[p] += V::kLanes * Weight::kBytes;
    }
  }
  for (int p = 0; p < kPanels; ++p) {
    for (int r = 0; r < kRows; ++r) {
      V::store(out + static_cast<std::size_t>(r) * out_stride + p * V::kLanes, sums[p][r]);
    }
  }
}

template <class Weight>
struct FloatMatmul {
  template <class V>
  static constexpr int kMostRows = Weight::template kMostRows<V>;

  template <class V, int kRows>
  static void run(const PanelView& weights, int first_panel, int panels, const ActivationTile& inputs,
                  float* out, std::size_t out_stride) {
    constexpr int kPanels = kRows <= 2 && V::kLanes == 8 ? 4 : 2;
    int p = 0;
    for (; p + kPanels <= panels; p += kPanels) {
      multiply_float_panels<V, Weight, kRows, kPanels>(weights, first_panel + p, inputs, out + p * V::kLanes,
                                                       out_stride);
    }
    for (; p < panels; ++p) {
      multiply_float_panels<V, Weight, kRows, 1>(weights, first_panel + p, inputs, out + p * V::kLanes,
                                                 out_stride);
    }
  }
};

inline std::int32_t four_codes(const std::int8_t* codes, int group) {
  std::int32_t four;
  __builtin_memcpy(&four, codes + 4 * group, sizeof four);
  return four;
}

struct BlockQ8_0 {
  static constexpr bool kHasMinimum = false;
  static constexpr int kCodeBytes = 32;  // a lane and block
  static constexpr int kHighBytes = 0;

  template <class V, int kRows>
  [[gnu::always_inline]] static void dot(const std::byte* codes, const std::byte*, const std::int8_t* x,
                                         const std::int32_t* sums, typename V::Int* out) {
    for (int r = 0; r < kRows; ++r) out[r] = V::zero_int();
#pragma GCC unroll 8
    for (int g = 0; g < 8; ++g) {
      const auto w = V::load_signed(codes + g * 4 * V::kLanes);
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r) out[r] = V::dot(out[r], w, four_codes(x + r * kQuantBlock, g));
    }
    if constexpr (V::kSignedOffset != 0) {
      for (int r = 0; r < kRows; ++r) out[r] = V::sub_int(out[r], V::kSignedOffset * sums[r]);
    }
  }
};

// The products of a block's unsigned nibbles.
template <class V, int kRows>
[[gnu::always_inline]] inline void multiply_nibbles(const std::byte* codes, const std::int8_t* x,
                                                    typename V::Sums* products) {
  for (int r = 0; r < kRows; ++r) products[r] = V::zero_sums();
#pragma GCC unroll 4
  for (int g = 0; g < 4; ++g) {
    const auto both = V::load_bytes(codes + g * 4 * V::kLanes);
    const auto low = V::low_nibbles(both);
    const auto high = V::high_nibbles(both);
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      products[r] = V::multiply_add(products[r], low, four_codes(x + r * kQuantBlock, g));
      products[r] = V::multiply_add(products[r], high, four_codes(x + r * kQuantBlock, g + 4));
    }
  }
}

// Unsigned nibbles of which kOffset is to be taken off, which the inputs' sum does for a whole block.
template <int kOffset, bool kMinimum>
struct BlockNibbles {
  static constexpr bool kHasMinimum = kMinimum;
  static constexpr int kCodeBytes = 16;
  static constexpr int kHighBytes = 0;

  template <class V, int kRows>
  [[gnu::always_inline]] static void dot(const std::byte* codes, const std::byte*, const std::int8_t* x,
                                         const std::int32_t* sums, typename V::Int* out) {
    typename V::Sums products[kRows];
    multiply_nibbles<V, kRows>(codes, x, products);
    for (int r = 0; r < kRows; ++r) {
      out[r] = V::total(products[r]);
      if constexpr (kOffset != 0) out[r] = V::sub_int(out[r], kOffset * sums[r]);
    }
  }
};

// Codes 0 .. 31: nibbles and, bit g of a byte of their own, the high bit of group g. 16 bits hold the
// products of four groups, not of eight.
struct BlockQ5_0 {
  static constexpr bool kHasMinimum = false;
  static constexpr int kCodeBytes = 16;
  static constexpr int kHighBytes = 4;

  template <class V, int kRows>
  [[gnu::always_inline]] static void dot(const std::byte* codes, const std::byte* high_bits,
                                         const std::int8_t* x, const std::int32_t* sums,
                                         typename V::Int* out) {
    const auto bits = V::load_bytes(high_bits);
    typename V::Sums products[kRows];
    multiply_half<V, kRows, 0>(codes, bits, x, products);
    for (int r = 0; r < kRows; ++r) out[r] = V::total(products[r]);
    multiply_half<V, kRows, 4>(codes, bits, x, products);
    for (int r = 0; r < kRows; ++r) {
      out[r] = V::sub_int(V::add_int(out[r], V::total(products[r])), 16 * sums[r]);
    }
  }

  // Groups kFirst .. kFirst + 3.
  template <class V, int kRows, int kFirst>
  [[gnu::always_inline]] static void multiply_half(const std::byte* codes, const typename V::Bytes& bits,
                                                   const std::int8_t* x, typename V::Sums* products) {
    for (int r = 0; r < kRows; ++r) products[r] = V::zero_sums();
    add_group<V, kRows, kFirst>(codes, bits, x, products);
    add_group<V, kRows, kFirst + 1>(codes, bits, x, products);
    add_group<V, kRows, kFirst + 2>(codes, bits, x, products);
    add_group<V, kRows, kFirst + 3>(codes, bits, x, products);
  }

  template <class V, int kRows, int kGroup>
  [[gnu::always_inline]] static void add_group(const std::byte* codes, const typename V::Bytes& bits,
                                               const std::int8_t* x, typename V::Sums* products) {
    const auto both = V::load_bytes(codes + kGroup % 4 * 4 * V::kLanes);
    const auto nibbles = kGroup < 4 ? V::low_nibbles(both) : V::high_nibbles(both);
    const auto w = V::template with_bit<kGroup>(nibbles, bits);
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      products[r] = V::multiply_add(products[r], w, four_codes(x + r * kQuantBlock, kGroup));
    }
  }
};

// How far ahead memory is asked for: a panel, so that its short streams of scales are there when its first
// codes are used (hardware prefetching stops at system pages, and hardly begins with such streams), but no
// more than what a second-level cache keeps beside its other lines.
constexpr std::size_t kMostPrefetchBytes = 1 << 17;

inline std::size_t prefetch_distance(const PanelView& weights) {
  return weights.panel_bytes < kMostPrefetchBytes ? weights.panel_bytes : kMostPrefetchBytes;
}

// Called for each of a panel's blocks in turn, with the share of the panel's bytes that a block has, this
// covers all panels: they follow each other in memory.
template <std::size_t kShare>
void prefetch(const std::byte* from) {
#pragma GCC unroll 8
  for (std::size_t i = 0; i < kShare; i += 64) __builtin_prefetch(from + i, 0, 2);
}

// Where the parts of a panel of blocks lie; see packed_matrix.h.
template <class V, class Block>
struct BlockPanel {
  static constexpr std::size_t kBytes =  // of a block
      static_cast<std::size_t>(Block::kCodeBytes + Block::kHighBytes + (Block::kHasMinimum ? 4 : 2)) *
      V::kLanes;

  BlockPanel(const PanelView& weights, int panel)
      : blocks(static_cast<std::size_t>(weights.cols / kQuantBlock)),
        codes_(weights.panels + static_cast<std::size_t>(panel) * weights.panel_bytes),
        high_bits_(codes_ + blocks * Block::kCodeBytes * V::kLanes),
        scales_(high_bits_ + blocks * Block::kHighBytes * V::kLanes),
        minima_(scales_ + blocks * 2 * V::kLanes),
        ahead_(codes_ + prefetch_distance(weights)) {}

  const std::byte* codes(std::size_t b) const { return codes_ + b * Block::kCodeBytes * V::kLanes; }
  const std::byte* high_bits(std::size_t b) const { return high_bits_ + b * Block::kHighBytes * V::kLanes; }
  void prefetch_ahead_of(std::size_t b) const { prefetch<kBytes>(ahead_ + b * kBytes); }

  // What the block's products are worth, added to the totals of kRows rows.
  template <int kRows>
  [[gnu::always_inline]] void add(std::size_t b, const typename V::Int* dots, const ActivationTile& inputs,
                                  typename V::Float* totals) const {
    const float* x_scale = inputs.scales + b * kTileRows;
    const auto scale = V::load_f16(scales_ + b * 2 * V::kLanes);
    for (int r = 0; r < kRows; ++r) {
      totals[r] = V::fma(V::to_float(dots[r]), V::mul(scale, V::splat(x_scale[r])), totals[r]);
    }
    if constexpr (Block::kHasMinimum) {
      const std::int32_t* x_sum = inputs.sums + b * kTileRows;
      const auto minimum = V::load_f16(minima_ + b * 2 * V::kLanes);
      for (int r = 0; r < kRows; ++r) {
        totals[r] = V::fma(minimum, V::splat(x_scale[r] * static_cast<float>(x_sum[r])), totals[r]);
      }
    }
  }

  const std::size_t blocks;

 private:
  const std::byte* codes_;
  const std::byte* high_bits_;
  const std::byte* scales_;
  const std::byte* minima_;
  const std::byte* ahead_;
};

template <class Block>
struct QuantizedMatmul {
  template <class V>
  static constexpr int kMostRows = kTileRows;

  template <class V, int kRows>
  static void run(const PanelView& weights, int first_panel, int panels, const ActivationTile& inputs,
                  float* out, std::size_t out_stride) {
    for (int p = 0; p < panels; ++p) {
      const BlockPanel<V, Block> panel(weights, first_panel + p);
      typename V::Float totals[kRows];
      for (int r = 0; r < kRows; ++r) totals[r] = V::zero();
      for (std::size_t b = 0; b < panel.blocks; ++b) {
        typename V::Int dots[kRows];
        panel.prefetch_ahead_of(b);
        Block::template dot<V, kRows>(panel.codes(b), panel.high_bits(b),
                                      inputs.codes + b * kTileRows * kQuantBlock, inputs.sums + b * kTileRows,
                                      dots);
        panel.template add<kRows>(b, dots, inputs, totals);
      }
      for (int r = 0; r < kRows; ++r) {
        V::store(out + static_cast<std::size_t>(r) * out_stride + p * V::kLanes, totals[r]);
      }
    }
  }
};

// The tile without its first `rows` rows.
inline ActivationTile rest_of(const ActivationTile& tile, int rows) {
  return {tile.values + rows, tile.pairs + rows, tile.codes + rows * kQuantBlock,
          tile.scales + rows, tile.sums + rows,  tile.half_sums + rows};
}

// As many rows at once as the weights' registers leave room for.
template <class V, class Matmul>
void matmul(const PanelView& weights, int first_panel, int panels, const ActivationTile& inputs, int rows,
            float* out, std::size_t out_stride) {
  if (rows > 4 && (rows < kTileRows || Matmul::template kMostRows<V> < kTileRows)) {
    Matmul::template run<V, 4>(weights, first_panel, panels, inputs, out, out_stride);
    matmul<V, Matmul>(weights, first_panel, panels, rest_of(inputs, 4), rows - 4, out + 4 * out_stride,
                      out_stride);
    return;
  }
  switch (rows) {
    case 1: Matmul::template run<V, 1>(weights, first_panel, panels, inputs, out, out_stride); break;
    case 2: Matmul::template run<V, 2>(weights, first_panel, panels, inputs, out, out_stride); break;
    case 3: Matmul::template run<V, 3>(weights, first_panel, panels, inputs, out, out_stride); break;
    case 4: Matmul::template run<V, 4>(weights, first_panel, panels, inputs, out, out_stride); break;
    default:
      if constexpr (Matmul::template kMostRows<V> == kTileRows)
        Matmul::template run<V, kTileRows>(weights, first_panel, panels, inputs, out, out_stride);
      break;
  }
}

}  // namespace
}  // namespace hearth::kernels
