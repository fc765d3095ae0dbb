// The activations of a step on the CPU. Buffers are reserved for the largest step and touched as far as
// a step reaches; a step allocates nothing. Belongs to the device's thread; compute threads write
// distinct rows, and each its own scratch.
#pragma once

#include <span>
#include <vector>

#include "kernels/cpu/kernel_table.h"
#include "kernels/cpu/memory.h"
#include "kernels/device.h"

namespace hearth::kernels {

// Rows of F32 with a stride of a multiple of 32; what lies between the row's end and the stride is 0.
class RowBuffer {
 public:
  RowBuffer(int rows, int cols)
      : stride_(round_up(static_cast<std::size_t>(cols), 32)),
        memory_(static_cast<std::size_t>(rows) * stride_ * sizeof(float)) {}
  std::size_t stride() const { return stride_; }
  float* row(std::size_t r) const { return memory_.as<float>() + r * stride_; }

 private:
  std::size_t stride_;
  Memory memory_;
};

// Inputs of a matrix in the forms the kernels read, by tiles of kTileRows rows.
class TileBuffer {
 public:
  TileBuffer(int rows, int cols);
  ActivationTile tile(std::size_t index) const;

 private:
  std::size_t cols_, tiles_;
  Memory values_, pairs_, codes_, scales_, sums_, half_sums_;
};

// Consecutive rows of one sequence whose queries share loads of keys and values.
struct RowTile {
  std::size_t first_row;
  int rows;
};

struct CpuWorkspace : Workspace {
  CpuWorkspace(const ModelShape& shape, int max_rows, int threads);

  // Every part on its own cache lines.
  struct Scratch {
    float* row;           // as long as the longest row
    float* scores;        // (kMaxQueries, kSplitTokens)
    float* queries;       // (head_dim, kMaxQueries)
    float* logits;        // (kTileRows, kLogitChunk)
    std::byte* partials;  // (2, kMaxQueries) of partial_bytes
  };
  Scratch scratch(int thread) const;

  // The attention of (row, head) to split `split`; row < kMaxSplitRows.
  AttentionPartial* split_partial(std::size_t row, int head, int split) const;

  static constexpr int kLogitChunk = 1024;
  static constexpr int kMaxSplitRows = 8;

  ModelShape shape;
  int max_rows;
  int padded_dim;                  // head_dim rounded up to 16
  std::size_t partial_bytes;       // an AttentionPartial and its (padded_dim) sums
  std::size_t k_offset, v_offset;  // in a row of qkv
  RowBuffer x;                     // (rows, d_model)
  RowBuffer qkv;                   // (rows, q | k | v)
  RowBuffer attended;              // (rows, n_heads * head_dim)
  RowBuffer rotations;             // (rows, cosines | sines of rope.dimensions / 2)
  TileBuffer inputs;               // of q, k, v, o, gate, up and the head
  TileBuffer neurons;              // of down
  std::vector<RowTile> tiles;

 private:
  int max_splits_;
  std::size_t scratch_bytes_, row_bytes_, query_bytes_;
  Memory scratch_, split_partials_;
};

}  // namespace hearth::kernels
