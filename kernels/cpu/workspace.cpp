#include "kernels/cpu/workspace.h"

#include <algorithm>

namespace hearth::kernels {
namespace {

std::size_t padded(int n) { return round_up(static_cast<std::size_t>(n), 32); }

int kv_width(const ModelShape& shape) { return shape.n_kv_heads * shape.head_dim; }
int q_width(const ModelShape& shape) { return shape.n_heads * shape.head_dim; }

constexpr std::size_t kScoreBytes = std::size_t{kMaxQueries} * kSplitTokens * sizeof(float);
constexpr std::size_t kLogitBytes = std::size_t{kTileRows} * CpuWorkspace::kLogitChunk * sizeof(float);

}  // namespace

TileBuffer::TileBuffer(int rows, int cols)
    : cols_(padded(cols)),
      tiles_(round_up(static_cast<std::size_t>(rows), kTileRows) / kTileRows),
      values_(tiles_ * cols_ * kTileRows * sizeof(float)),
      pairs_(tiles_ * cols_ / 2 * kTileRows * sizeof(std::int32_t)),
      codes_(tiles_ * cols_ * kTileRows),
      scales_(tiles_ * cols_ / kQuantBlock * kTileRows * sizeof(float)),
      sums_(tiles_ * cols_ / kQuantBlock * kTileRows * sizeof(std::int32_t)),
      half_sums_(tiles_ * cols_ / kQuantBlock * kTileRows * sizeof(std::int32_t)) {}

ActivationTile TileBuffer::tile(std::size_t index) const {
  const std::size_t elements = index * cols_ * kTileRows;
  const std::size_t blocks = elements / kQuantBlock;
  return {values_.as<float>() + elements,      pairs_.as<std::int32_t>() + elements / 2,
          codes_.as<std::int8_t>() + elements, scales_.as<float>() + blocks,
          sums_.as<std::int32_t>() + blocks,   half_sums_.as<std::int32_t>() + blocks};
}

CpuWorkspace::CpuWorkspace(const ModelShape& model_shape, int rows, int threads)
    : shape(model_shape),
      max_rows(rows),
      padded_dim((shape.head_dim + 15) / 16 * 16),
      partial_bytes(sizeof(AttentionPartial) + static_cast<std::size_t>(padded_dim) * sizeof(float)),
      k_offset(padded(q_width(shape))),
      v_offset(k_offset + padded(kv_width(shape))),
      x(rows, shape.d_model),
      qkv(rows, static_cast<int>(v_offset + padded(kv_width(shape)))),
      attended(rows, q_width(shape)),
      rotations(rows, shape.rope.dimensions),
      inputs(rows, std::max(shape.d_model, q_width(shape))),
      neurons(rows, shape.d_ffn),
      max_splits_((shape.max_positions + kSplitTokens - 1) / kSplitTokens) {
  tiles.reserve(static_cast<std::size_t>(rows));
  row_bytes_ =
      std::max(padded(std::max(shape.d_model, q_width(shape))), 2 * padded(shape.head_dim)) * sizeof(float);
  query_bytes_ = kMaxQueries * static_cast<std::size_t>(padded_dim) * sizeof(float);
  scratch_bytes_ =
      round_up(row_bytes_ + kScoreBytes + query_bytes_ + kLogitBytes + 2 * kMaxQueries * partial_bytes, 4096);
  scratch_ = Memory(scratch_bytes_ * static_cast<std::size_t>(threads));
  split_partials_ = Memory(
      static_cast<std::size_t>(std::min(rows, kMaxSplitRows) * shape.n_heads * max_splits_) * partial_bytes);
}

CpuWorkspace::Scratch CpuWorkspace::scratch(int thread) const {
  std::byte* base = scratch_.as() + static_cast<std::size_t>(thread) * scratch_bytes_;
  std::byte* scores = base + row_bytes_;
  std::byte* queries = scores + kScoreBytes;
  std::byte* logits = queries + query_bytes_;
  return {reinterpret_cast<float*>(base), reinterpret_cast<float*>(scores), reinterpret_cast<float*>(queries),
          reinterpret_cast<float*>(logits), logits + kLogitBytes};
}

AttentionPartial* CpuWorkspace::split_partial(std::size_t row, int head, int split) const {
  const std::size_t slot = (row * static_cast<std::size_t>(shape.n_heads) + static_cast<std::size_t>(head)) *
                               static_cast<std::size_t>(max_splits_) +
                           static_cast<std::size_t>(split);
  return reinterpret_cast<AttentionPartial*>(split_partials_.as() + slot * partial_bytes);
}

}  // namespace hearth::kernels
