// Products of eight rows with quantised panels on a unit that multiplies tiles of bytes (AMX): a block's
// codes are a tile of 8 x 64 bytes as they lie in the panel, or once their bits are put together. Its sums
// are exact integers, and what follows adds them up as matmul_kernels.h does, so that the results are
// those of the other rows' kernels.
#pragma once

#include <cstdint>
#include <utility>

#include "kernels/cpu/all_kernels.h"
#include "kernels/weight_type.h"

namespace hearth::kernels {
namespace {

constexpr int kTileBytes = 8 * 64;  // of a block's codes in a panel of 16 lanes
constexpr int kBlocksAtOnce = 4;    // whose sums are under way, each in a tile of its own

// How a block's codes become bytes: in `place`, unless they are bytes already.
struct TileQ8_0 {
  using Block = BlockQ8_0;
  static constexpr bool kSigned = true;
  static constexpr int kOffset = 0;
  template <class V>
  static const std::byte* bytes(const std::byte* codes, const std::byte*, std::byte*) {
    return codes;
  }
};
template <int kTaken, bool kMinimum>
struct TileNibbles {
  using Block = BlockNibbles<kTaken, kMinimum>;
  static constexpr bool kSigned = false;
  static constexpr int kOffset = kTaken;
  template <class V>
  static const std::byte* bytes(const std::byte* codes, const std::byte*, std::byte* place) {
    for (int g = 0; g < 4; ++g) {
      const auto both = V::load_bytes(codes + g * 64);
      V::store_codes(place + g * 64, V::low_nibbles(both));
      V::store_codes(place + (g + 4) * 64, V::high_nibbles(both));
    }
    return place;
  }
};
struct TileQ5_0 {
  using Block = BlockQ5_0;
  static constexpr bool kSigned = false;
  static constexpr int kOffset = 16;
  template <class V>
  static const std::byte* bytes(const std::byte* codes, const std::byte* high_bits, std::byte* place) {
    const auto bits = V::load_bytes(high_bits);
    add_group<V, 0>(codes, bits, place);
    add_group<V, 1>(codes, bits, place);
    add_group<V, 2>(codes, bits, place);
    add_group<V, 3>(codes, bits, place);
    return place;
  }
  template <class V, int kGroup>
  static void add_group(const std::byte* codes, const typename V::Bytes& bits, std::byte* place) {
    const auto both = V::load_bytes(codes + kGroup * 64);
    V::store_codes(place + kGroup * 64, V::template with_bit<kGroup>(V::low_nibbles(both), bits));
    V::store_codes(place + (kGroup + 4) * 64, V::template with_bit<kGroup + 4>(V::high_nibbles(both), bits));
  }
};

// Tiles::multiply<i, kSigned>(inputs, weights): tile i = inputs (8 rows of 32 signed bytes) times weights
// (8 rows of 16 lanes of 4 bytes); Tiles::store<i>(to): its (8, 16) int32.
template <class Tiles, bool kSigned, int... kBlock>
void multiply_blocks(const std::int8_t* const* inputs, const std::byte* const* weights, int blocks,
                     std::int32_t (*dots)[kTileRows][16], std::integer_sequence<int, kBlock...>) {
  ((kBlock < blocks ? Tiles::template multiply<kBlock, kSigned>(inputs[kBlock], weights[kBlock]) : void()),
   ...);
  ((kBlock < blocks ? Tiles::template store<kBlock>(dots[kBlock][0]) : void()), ...);
}

template <class V, class Tiles, class Tile>
void multiply_tile_panel(const PanelView& weights, int panel, const ActivationTile& inputs, float* out,
                         std::size_t out_stride) {
  using Block = typename Tile::Block;
  static_assert(V::kLanes == 16);
  constexpr std::size_t kBlockBytes =
      static_cast<std::size_t>(Block::kCodeBytes + Block::kHighBytes + (Block::kHasMinimum ? 4 : 2)) * 16;
  const auto blocks = static_cast<std::size_t>(weights.cols / kQuantBlock);
  const std::byte* codes = weights.panels + static_cast<std::size_t>(panel) * weights.panel_bytes;
  const std::byte* high_bits = codes + blocks * Block::kCodeBytes * 16;
  const std::byte* scales = high_bits + blocks * Block::kHighBytes * 16;
  const std::byte* minima = scales + blocks * 2 * 16;
  typename V::Float totals[kTileRows];
  for (auto& total : totals) total = V::zero();
  alignas(64) std::byte unpacked[kBlocksAtOnce][kTileBytes];
  alignas(64) std::int32_t dots[kBlocksAtOnce][kTileRows][16];
  for (std::size_t first = 0; first < blocks; first += kBlocksAtOnce) {
    const int count = static_cast<int>(blocks - first < kBlocksAtOnce ? blocks - first : kBlocksAtOnce);
    const std::int8_t* x[kBlocksAtOnce];
    const std::byte* w[kBlocksAtOnce];
    for (int i = 0; i < count; ++i) {
      const std::size_t b = first + static_cast<std::size_t>(i);
      prefetch<kBlockBytes>(codes + prefetch_distance(weights) + b * kBlockBytes);
      x[i] = inputs.codes + b * kTileRows * kQuantBlock;
      w[i] = Tile::template bytes<V>(codes + b * Block::kCodeBytes * 16,
                                     high_bits + b * Block::kHighBytes * 16, unpacked[i]);
    }
    multiply_blocks<Tiles, Tile::kSigned>(x, w, count, dots,
                                          std::make_integer_sequence<int, kBlocksAtOnce>());
    for (int i = 0; i < count; ++i) {
      const std::size_t b = first + static_cast<std::size_t>(i);
      const auto scale = V::load_f16(scales + b * 2 * 16);
      const float* x_scale = inputs.scales + b * kTileRows;
      const std::int32_t* x_sum = inputs.sums + b * kTileRows;
      for (int r = 0; r < kTileRows; ++r) {
        auto dot = V::load_int(dots[i][r]);
        if constexpr (Tile::kOffset != 0) dot = V::sub_int(dot, Tile::kOffset * x_sum[r]);
        totals[r] = V::fma(V::to_float(dot), V::mul(scale, V::splat(x_scale[r])), totals[r]);
      }
      if constexpr (Block::kHasMinimum) {
        const auto minimum = V::load_f16(minima + b * 2 * 16);
        for (int r = 0; r < kTileRows; ++r) {
          totals[r] = V::fma(minimum, V::splat(x_scale[r] * static_cast<float>(x_sum[r])), totals[r]);
        }
      }
    }
  }
  for (int r = 0; r < kTileRows; ++r) V::store(out + static_cast<std::size_t>(r) * out_stride, totals[r]);
}

// Fewer rows wait for memory, not for arithmetic.
template <class V, class Tiles, class Tile>
void tile_matmul(const PanelView& weights, int first_panel, int panels, const ActivationTile& inputs,
                 int rows, float* out, std::size_t out_stride) {
  if (rows < kTileRows) {
    matmul<V, QuantizedMatmul<typename Tile::Block>>(weights, first_panel, panels, inputs, rows, out,
                                                     out_stride);
    return;
  }
  Tiles::configure();
  for (int p = 0; p < panels; ++p) {
    multiply_tile_panel<V, Tiles, Tile>(weights, first_panel + p, inputs, out + p * V::kLanes, out_stride);
  }
}

// The table of V, with tiles for what has blocks of one scale.
template <class V, class Tiles>
constexpr KernelTable tile_kernels(const char* name) {
  KernelTable table = all_kernels<V>(name);
  table.matmul[static_cast<int>(WeightType::kQ8_0)] = tile_matmul<V, Tiles, TileQ8_0>;
  table.matmul[static_cast<int>(WeightType::kQ5_0)] = tile_matmul<V, Tiles, TileQ5_0>;
  table.matmul[static_cast<int>(WeightType::kQ4_0)] = tile_matmul<V, Tiles, TileNibbles<8, false>>;
  table.matmul[static_cast<int>(WeightType::kQ4_1)] = tile_matmul<V, Tiles, TileNibbles<0, true>>;
  return table;
}

}  // namespace
}  // namespace hearth::kernels
