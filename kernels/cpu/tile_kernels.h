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
                     std::int32_t (*sums)[kTileRows][16], std::integer_sequence<int, kBlock...>) {
  ((kBlock < blocks ? Tiles::template multiply<kBlock, kSigned>(inputs[kBlock], weights[kBlock]) : void()),
   ...);
  ((kBlock < blocks ? Tiles::template store<kBlock>(sums[kBlock][0]) : void()), ...);
}

template <class V, class Tiles, class Tile>
void multiply_tile_panel(const BlockPanel<V, typename Tile::Block>& panel, const ActivationTile& inputs,
                         float* out, std::size_t out_stride) {
  static_assert(V::kLanes == 16);
  typename V::Float totals[kTileRows];
  for (auto& total : totals) total = V::zero();
  alignas(64) std::byte unpacked[kBlocksAtOnce][kTileBytes];
  alignas(64) std::int32_t sums[kBlocksAtOnce][kTileRows][16];
  for (std::size_t first = 0; first < panel.blocks; first += kBlocksAtOnce) {
    const int count =
        static_cast<int>(panel.blocks - first < kBlocksAtOnce ? panel.blocks - first : kBlocksAtOnce);
    const std::int8_t* x[kBlocksAtOnce];
    const std::byte* w[kBlocksAtOnce];
    for (int i = 0; i < count; ++i) {
      const std::size_t b = first + static_cast<std::size_t>(i);
      panel.prefetch_ahead_of(b);
      x[i] = inputs.codes + b * kTileRows * kQuantBlock;
      w[i] = Tile::template bytes<V>(panel.codes(b), panel.high_bits(b), unpacked[i]);
    }
    multiply_blocks<Tiles, Tile::kSigned>(x, w, count, sums,
                                          std::make_integer_sequence<int, kBlocksAtOnce>());
    for (int i = 0; i < count; ++i) {
      const std::size_t b = first + static_cast<std::size_t>(i);
      typename V::Int dots[kTileRows];
      for (int r = 0; r < kTileRows; ++r) {
        dots[r] = V::load_int(sums[i][r]);
        if constexpr (Tile::kOffset != 0)
          dots[r] =
              V::sub_int(dots[r], Tile::kOffset * inputs.sums[b * kTileRows + static_cast<std::size_t>(r)]);
      }
      panel.template add<kTileRows>(b, dots, inputs, totals);
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
    multiply_tile_panel<V, Tiles, Tile>(BlockPanel<V, typename Tile::Block>(weights, first_panel + p), inputs,
                                        out + p * V::kLanes, out_stride);
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
