#include "kernels/cpu/packed_matrix.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "kernels/cpu/parallel.h"
#include "kernels/cpu/super_block_panel.h"
#include "kernels/quantize.h"

namespace hearth::kernels {
namespace {

// Where the parts of a quantised panel begin, and how a block of one lane lies in the file.
struct QuantLayout {
  std::size_t blocks, lanes;
  std::size_t words;  // 4-byte groups of codes a lane and block
  std::size_t high_at, scales_at, minima_at, bytes;
  std::size_t file_block, file_codes;

  QuantLayout(WeightType type, int cols, int lane_count)
      : blocks(static_cast<std::size_t>(cols) / kQuantBlock), lanes(static_cast<std::size_t>(lane_count)) {
    words = type == WeightType::kQ8_0 ? 8 : 4;
    high_at = blocks * words * lanes * 4;
    scales_at = high_at + (type == WeightType::kQ5_0 ? blocks * lanes * 4 : 0);
    minima_at = scales_at + blocks * lanes * 2;
    bytes = minima_at + (type == WeightType::kQ4_1 ? blocks * lanes * 2 : 0);
    file_block = static_cast<std::size_t>(block_bytes(type));
    file_codes = file_block - words * 4;
  }
};

bool has_super_blocks(WeightType type) { return block_elements(type) == kSuperBlock; }

// Neighbouring inputs whose weights lie side by side.
std::size_t columns_together(WeightType type) { return type == WeightType::kBF16 ? 2 : 1; }

// Of the element (column, lane) in a panel of floats.
std::size_t float_at(WeightType type, std::size_t column, std::size_t lanes, std::size_t lane) {
  const std::size_t together = columns_together(type);
  return ((column / together * lanes + lane) * together + column % together) *
         static_cast<std::size_t>(block_bytes(type));
}

InputForm form_for(WeightType type, const KernelTable& kernels) {
  if (block_elements(type) != 1) return InputForm::kCodes;
  return type == WeightType::kBF16 && kernels.bf16_dots ? InputForm::kPairs : InputForm::kValues;
}

std::size_t bytes_of_panel(WeightType type, int cols, int lanes) {
  const std::size_t padded = round_up(static_cast<std::size_t>(cols), columns_together(type));
  std::size_t bytes = padded * static_cast<std::size_t>(lanes * block_bytes(type));
  if (block_elements(type) == kQuantBlock) bytes = QuantLayout(type, cols, lanes).bytes;
  if (has_super_blocks(type)) bytes = SuperBlockPanel(type, cols, lanes).bytes();
  return (bytes + 63) / 64 * 64;
}

// Bit 4 g + i of a file's block becomes bit g of byte i.
std::uint32_t regroup_high_bits(std::uint32_t bits) {
  std::uint32_t result = 0;
  for (int g = 0; g < 8; ++g) {
    for (int i = 0; i < 4; ++i) result |= (bits >> (4 * g + i) & 1U) << (8 * i + g);
  }
  return result;
}

std::uint32_t restore_high_bits(std::uint32_t bytes) {
  std::uint32_t result = 0;
  for (int g = 0; g < 8; ++g) {
    for (int i = 0; i < 4; ++i) result |= (bytes >> (8 * i + g) & 1U) << (4 * g + i);
  }
  return result;
}

template <std::size_t kSize>
void pack_float_lane(WeightType type, const std::byte* row, std::size_t cols, std::size_t lanes,
                     std::size_t lane, std::byte* panel) {
  for (std::size_t c = 0; c < cols; ++c)
    std::memcpy(panel + float_at(type, c, lanes, lane), row + c * kSize, kSize);
}

void pack_quantized_lane(WeightType type, const QuantLayout& layout, const std::byte* row, std::size_t lane,
                         std::byte* panel) {
  for (std::size_t b = 0; b < layout.blocks; ++b) {
    const std::byte* block = row + b * layout.file_block;
    const std::byte* codes = block + layout.file_codes;
    for (std::size_t w = 0; w < layout.words; ++w) {
      std::memcpy(panel + ((b * layout.words + w) * layout.lanes + lane) * 4, codes + 4 * w, 4);
    }
    const std::size_t slot = b * layout.lanes + lane;
    std::memcpy(panel + layout.scales_at + slot * 2, block, 2);
    if (type == WeightType::kQ4_1) std::memcpy(panel + layout.minima_at + slot * 2, block + 2, 2);
    if (type == WeightType::kQ5_0) {
      std::uint32_t bits;
      std::memcpy(&bits, block + 2, sizeof bits);
      bits = regroup_high_bits(bits);
      std::memcpy(panel + layout.high_at + slot * 4, &bits, sizeof bits);
    }
  }
}

void pack_super_lane(WeightType type, const SuperBlockPanel& layout, const std::byte* row, int lane,
                     std::byte* panel) {
  for (int i = 0; i < layout.blocks(); ++i, row += block_bytes(type)) {
    layout.put(read_super_block(type, row), i, lane, panel);
  }
}

// The inverse for one block: the file's layout again.
void unpack_block(WeightType type, const QuantLayout& layout, const std::byte* panel, std::size_t b,
                  std::size_t lane, std::byte* block) {
  for (std::size_t w = 0; w < layout.words; ++w) {
    std::memcpy(block + layout.file_codes + 4 * w, panel + ((b * layout.words + w) * layout.lanes + lane) * 4,
                4);
  }
  const std::size_t slot = b * layout.lanes + lane;
  std::memcpy(block, panel + layout.scales_at + slot * 2, 2);
  if (type == WeightType::kQ4_1) std::memcpy(block + 2, panel + layout.minima_at + slot * 2, 2);
  if (type == WeightType::kQ5_0) {
    std::uint32_t bits;
    std::memcpy(&bits, panel + layout.high_at + slot * 4, sizeof bits);
    bits = restore_high_bits(bits);
    std::memcpy(block + 2, &bits, sizeof bits);
  }
}

}  // namespace

CpuMatrix::CpuMatrix(const MatrixView& matrix, const KernelTable& kernels, ThreadPool& threads, Arena& arena)
    : type_(matrix.type),
      input_form_(form_for(matrix.type, kernels)),
      rows_(matrix.rows),
      lanes_(kernels.lanes) {
  assert(matrix.cols % block_elements(type_) == 0);
  view_.cols = matrix.cols;
  view_.panel_bytes = bytes_of_panel(type_, matrix.cols, lanes_);
  panels_ = arena.allocate(view_.panel_bytes * static_cast<std::size_t>(panels()));
  view_.panels = panels_.get();
  parallel_for(threads, static_cast<std::size_t>(panels()),
               [&](std::size_t panel, int) { pack_panel(matrix, static_cast<int>(panel)); });
}

void CpuMatrix::pack_panel(const MatrixView& matrix, int panel) {
  std::byte* out = panels_.get() + static_cast<std::size_t>(panel) * view_.panel_bytes;
  const auto cols = static_cast<std::size_t>(matrix.cols);
  const auto lanes = static_cast<std::size_t>(lanes_);
  const std::size_t stride = row_bytes(type_, cols);
  for (int lane = 0; lane < std::min(lanes_, rows_ - panel * lanes_); ++lane) {
    const std::byte* row = matrix.bytes.data() + static_cast<std::size_t>(panel * lanes_ + lane) * stride;
    const auto at = static_cast<std::size_t>(lane);
    if (has_super_blocks(type_)) {
      pack_super_lane(type_, SuperBlockPanel(type_, view_.cols, lanes_), row, lane, out);
    } else if (is_quantized()) {
      pack_quantized_lane(type_, QuantLayout(type_, view_.cols, lanes_), row, at, out);
    } else if (type_ == WeightType::kF32) {
      pack_float_lane<4>(type_, row, cols, lanes, at, out);
    } else {
      pack_float_lane<2>(type_, row, cols, lanes, at, out);
    }
  }
}

void CpuMatrix::multiply(const KernelTable& kernels, int group, const ActivationTile& inputs, int tile_rows,
                         float* out, std::size_t out_stride) const {
  const int first = group * kGroupOutputs / lanes_;
  const int count = std::min(kGroupOutputs / lanes_, panels() - first);
  for (int r = 0; count * lanes_ < kGroupOutputs && r < tile_rows; ++r) {
    std::fill_n(out + static_cast<std::size_t>(r) * out_stride + count * lanes_,
                kGroupOutputs - count * lanes_, 0.0f);
  }
  kernels.matmul[static_cast<int>(type_)](view_, first, count, inputs, tile_rows, out, out_stride);
}

void CpuMatrix::unpack_row(int row, std::span<float> out) const {
  const std::byte* panel = view_.panels + static_cast<std::size_t>(row / lanes_) * view_.panel_bytes;
  const auto lanes = static_cast<std::size_t>(lanes_);
  const auto lane = static_cast<std::size_t>(row % lanes_);
  const auto size = static_cast<std::size_t>(block_bytes(type_));
  if (!is_quantized()) {
    for (std::size_t c = 0; c < out.size(); ++c) {
      dequantize_row(type_, {panel + float_at(type_, c, lanes, lane), size}, out.subspan(c, 1));
    }
    return;
  }
  if (has_super_blocks(type_)) {
    const SuperBlockPanel layout(type_, view_.cols, lanes_);
    for (int i = 0; i < layout.blocks(); ++i) {
      const auto part = out.subspan(static_cast<std::size_t>(i) * kSuperBlock).first<kSuperBlock>();
      dequantize(type_, layout.get(panel, i, row % lanes_), part);
    }
    return;
  }
  const QuantLayout layout(type_, view_.cols, lanes_);
  std::byte block[64];
  for (std::size_t b = 0; b < layout.blocks; ++b) {
    unpack_block(type_, layout, panel, b, lane, block);
    dequantize_row(type_, {block, layout.file_block}, out.subspan(b * kQuantBlock, kQuantBlock));
  }
}

}  // namespace hearth::kernels
