// A weight matrix packed for the CPU kernels: panels of `lanes` output rows interleaved along the input,
// in the type of the file. Rows beyond the last are zero. Layouts of a panel, L lanes, B blocks:
//   F32, F16:       (cols, L) elements
//   BF16:           (cols / 2, L, 2) elements, the last one 0 where cols is odd
//   Q8_0:           (B, 8, L, 4) int8 codes; (B, L) fp16 scales
//   Q4_0, Q4_1:     (B, 4, L, 4) bytes; (B, L) fp16 scales; Q4_1: (B, L) fp16 minima
//   Q5_0:           (B, 4, L, 4) bytes; (B, L, 4) bytes; (B, L) fp16 scales
//   Q4_K, Q5_K:     (B, 4, L, 4) bytes; Q5_K: (B, L, 4) bytes; (B, 2, L) scales and minima of a byte each;
//                   (B / 8, 2, L) fp16 shared scales and minima, these negated
//   Q6_K:           (B, 4, L, 4) bytes; (B, 2, L, 4) bytes; (B, L, 2) int8 scales; (B / 8, L) fp16 shared
//                   scales
// A group is four neighbouring inputs. A byte of (B, 4, L, 4) holds the low four bits of group g below
// those of group g + 4; a byte of a (B, L, 4) holds the fifth bits of groups 0 .. 7, a byte
// of Q6_K's (B, 2, L, 4) the fifth and sixth bits of groups 0 .. 3 or 4 .. 7.
// Immutable; any thread may read.
#pragma once

#include <span>

#include "kernels/cpu/kernel_table.h"
#include "kernels/cpu/memory.h"
#include "kernels/device.h"
#include "kernels/thread_pool.h"

namespace hearth::kernels {

// Of an ActivationTile: what the products with a matrix read.
enum class InputForm : std::uint8_t { kValues, kPairs, kCodes };

class CpuMatrix : public PackedMatrix {
 public:
  CpuMatrix(const MatrixView& matrix, const KernelTable& kernels, ThreadPool& threads, Arena& arena);

  WeightType type() const { return type_; }
  InputForm input_form() const { return input_form_; }
  int rows() const { return rows_; }
  int cols() const { return view_.cols; }
  int panels() const { return (rows_ + lanes_ - 1) / lanes_; }
  int groups() const { return (rows_ + kGroupOutputs - 1) / kGroupOutputs; }

  // Products of group `group`'s outputs with a tile; the surplus of the last group is
  // set to 0.
  void multiply(const KernelTable& kernels, int group, const ActivationTile& inputs, int tile_rows,
                float* out, std::size_t out_stride) const;

  // Row `row` as F32, (cols).
  void unpack_row(int row, std::span<float> out) const;

 private:
  bool is_quantized() const { return block_elements(type_) != 1; }
  void pack_panel(const MatrixView& matrix, int panel);

  WeightType type_;
  InputForm input_form_;
  int rows_;
  int lanes_;
  std::shared_ptr<std::byte> panels_;
  PanelView view_;
};

}  // namespace hearth::kernels
