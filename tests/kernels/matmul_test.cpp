// Packed products against sums in double over the same weights and the same activations, quantised ones
// included, so that only the additions' rounding is left to explain.
#include <array>
#include <bit>
#include <cmath>
#include <gtest/gtest.h>

#include "kernels/cpu/projection.h"
#include "kernels/cpu/workspace.h"
#include "kernels/super_block.h"
#include "tests/kernels/all_devices.h"
#include "tests/kernels/random_model.h"

namespace hearth::kernels {
namespace {

struct Inputs {
  std::vector<float> rows[kTileRows];      // (cols), and zeros up to whole blocks
  std::vector<double> as_read[kTileRows];  // what the kernel multiplies with
};

double as_read(const ActivationTile& tile, InputForm form, int column, int row) {
  if (form == InputForm::kValues) return static_cast<double>(tile.values[column * kTileRows + row]);
  if (form == InputForm::kPairs) {
    const auto pair = static_cast<std::uint32_t>(tile.pairs[column / 2 * kTileRows + row]);
    const std::uint32_t half = column % 2 == 0 ? pair & 0xffffU : pair >> 16;
    return static_cast<double>(std::bit_cast<float>(half << 16));
  }
  const int slot = column / kQuantBlock * kTileRows + row;
  return static_cast<double>(tile.scales[slot]) * tile.codes[slot * kQuantBlock + column % kQuantBlock];
}

Inputs make_inputs(std::mt19937& random, const Machine& machine, const CpuMatrix& matrix,
                   const TileBuffer& buffer) {
  const auto cols = static_cast<std::size_t>(matrix.cols());
  Inputs inputs;
  for (int r = 0; r < kTileRows; ++r) {
    inputs.rows[r] = random_floats(random, cols, 1.0f);
    inputs.rows[r].resize(round_up(cols, kQuantBlock));
    put_input(machine, inputs.rows[r].data(), matrix.cols(), InputForms{&matrix}, buffer,
              static_cast<std::size_t>(r));
    for (int c = 0; c < matrix.cols(); ++c)
      inputs.as_read[r].push_back(as_read(buffer.tile(0), matrix.input_form(), c, r));
  }
  return inputs;
}

void check(const KernelTable& kernels, WeightType type, int rows, int cols) {
  SCOPED_TRACE(std::string(kernels.name) + " " + name(type) + " " + std::to_string(rows) + " x " +
               std::to_string(cols));
  std::mt19937 random(static_cast<unsigned>(rows * 1000 + cols));
  ThreadPool threads(1);
  Arena arena;
  const RandomMatrix matrix(random, type, rows, cols);
  const CpuMatrix packed(matrix.view(), kernels, threads, arena);
  const TileBuffer buffer(kTileRows, cols);
  const Inputs inputs = make_inputs(random, {kernels, threads}, packed, buffer);
  std::vector<float> weights(static_cast<std::size_t>(cols));
  for (int tile_rows = 1; tile_rows <= kTileRows; ++tile_rows) {
    for (int group = 0; group < packed.groups(); ++group) {
      float out[kTileRows][kGroupOutputs + 1] = {};
      packed.multiply(kernels, group, buffer.tile(0), tile_rows, out[0], kGroupOutputs + 1);
      for (int i = 0; i < kGroupOutputs && group * kGroupOutputs + i < rows; ++i) {
        const auto row = static_cast<std::size_t>(group * kGroupOutputs + i);
        const std::size_t stride = row_bytes(type, weights.size());
        dequantize_row(type, std::span(matrix.bytes).subspan(row * stride, stride), weights);
        for (int r = 0; r < tile_rows; ++r) {
          double sum = 0, magnitude = 0;
          for (std::size_t c = 0; c < weights.size(); ++c) {
            const double product = static_cast<double>(weights[c]) * inputs.as_read[r][c];
            sum += product;
            magnitude += product * product;
          }
          ASSERT_NEAR(out[r][i], sum, 4e-6 * std::sqrt(magnitude) * std::sqrt(weights.size() / 32.0 + 1))
              << "row " << r << " output " << row;
        }
      }
      for (int r = tile_rows; r < kTileRows; ++r)
        ASSERT_EQ(out[r][0], 0.0f) << "row " << r << " is not of the tile";
    }
  }
}

TEST(Matmul, EveryTypeAndTailAgreesWithDoubles) {
  for (const KernelTable* kernels : all_tables()) {
    for (const WeightType type : kAllTypes) {
      for (const int rows : {1, 7, 8, 9, 16, 31, 33, 70}) {
        const int block = block_elements(type);
        for (const int cols : block == 256 ? std::array{256, 512, 1280} : std::array{32, 64, 416}) {
          check(*kernels, type, rows, cols);
        }
        if (block == 1) check(*kernels, type, rows, 53);
      }
    }
  }
}

// Every code the largest, and every small scale; the fp16 ones as they are.
void make_extreme(WeightType type, std::byte* block) {
  if (block_elements(type) == kSuperBlock) {
    SuperBlock super = read_super_block(type, block);
    std::fill(std::begin(super.codes), std::end(super.codes), std::uint8_t{63});
    std::fill(std::begin(super.scales), std::end(super.scales),
              static_cast<std::int8_t>(type == WeightType::kQ6_K ? -128 : 63));
    std::fill(std::begin(super.minima), std::end(super.minima), std::uint8_t{63});
    write_super_block(type, super, block);
    return;
  }
  const std::size_t header = type == WeightType::kQ4_1 ? 4 : 2;
  std::fill(block + header, block + block_bytes(type),
            type == WeightType::kQ8_0 ? std::byte{0x80} : std::byte{0xff});
}

// The sums of 16 bits are fullest here.
TEST(Matmul, ExtremeCodesDoNotOverflow) {
  std::mt19937 random(5);
  ThreadPool threads(1);
  Arena arena;
  for (const KernelTable* kernels : all_tables()) {
    for (const WeightType type : kAllTypes) {
      if (block_elements(type) == 1) continue;
      for (const int sign : {1, -1}) {
        RandomMatrix matrix(random, type, 16, 256);
        for (std::size_t b = 0; b < matrix.bytes.size(); b += static_cast<std::size_t>(block_bytes(type))) {
          make_extreme(type, matrix.bytes.data() + b);
        }
        const CpuMatrix packed(matrix.view(), *kernels, threads, arena);
        const TileBuffer buffer(1, 256);
        const std::vector<float> x(256, static_cast<float>(sign));
        kernels->quantize(x.data(), 256, buffer.tile(0), 0);
        float out[kGroupOutputs] = {};
        packed.multiply(*kernels, 0, buffer.tile(0), 1, out, kGroupOutputs);
        for (int row = 0; row < 16; ++row) {
          std::vector<float> weights(256);
          packed.unpack_row(row, weights);
          double sum = 0, magnitude = 0;
          for (const float w : weights) {
            sum += static_cast<double>(w) * sign;
            magnitude += std::fabs(static_cast<double>(w));
          }
          ASSERT_NEAR(out[row], sum, 1e-6 * magnitude) << kernels->name << " " << name(type);
        }
      }
    }
  }
}

TEST(Matmul, RowsAreUnpackedAsTheyWere) {
  std::mt19937 random(6);
  ThreadPool threads(2);
  Arena arena;
  for (const KernelTable* kernels : all_tables()) {
    for (const WeightType type : kAllTypes) {
      const RandomMatrix matrix(random, type, 37, 512);
      const CpuMatrix packed(matrix.view(), *kernels, threads, arena);
      std::vector<float> want(512), got(512);
      for (int row = 0; row < 37; ++row) {
        const std::size_t stride = row_bytes(type, 512);
        dequantize_row(type, std::span(matrix.bytes).subspan(static_cast<std::size_t>(row) * stride, stride),
                       want);
        packed.unpack_row(row, got);
        ASSERT_EQ(got, want) << name(type) << " row " << row;
      }
    }
  }
}

TEST(QuantizeActivations, RoundsToTheNearestCodeAndSums) {
  std::mt19937 random(7);
  for (const KernelTable* kernels : all_tables()) {
    const TileBuffer buffer(kTileRows, 96);
    const ActivationTile tile = buffer.tile(0);
    std::vector<float> x = random_floats(random, 96, 2.0f);
    std::fill_n(x.begin() + 32, 32, 0.0f);
    kernels->quantize(x.data(), 96, tile, 2);
    for (int b = 0; b < 3; ++b) {
      const int slot = b * kTileRows + 2;
      int sum = 0, first_half = 0, largest = 0;
      for (int i = 0; i < kQuantBlock; ++i) {
        const int code = tile.codes[slot * kQuantBlock + i];
        EXPECT_NEAR(static_cast<float>(code) * tile.scales[slot], x[static_cast<std::size_t>(b * 32 + i)],
                    0.5001f * tile.scales[slot]);
        sum += code;
        if (i < 16) first_half += code;
        largest = std::max(largest, std::abs(code));
      }
      EXPECT_EQ(tile.sums[slot], sum);
      const std::int32_t halves = tile.half_sums[slot];
      EXPECT_EQ(static_cast<std::int16_t>(halves & 0xffff), first_half);
      EXPECT_EQ(halves >> 16, sum - first_half);
      EXPECT_EQ(largest, b == 1 ? 0 : 127);
    }
  }
}

}  // namespace
}  // namespace hearth::kernels
