#include "kernels/cpu/attention.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

namespace hearth::kernels {
namespace {

// Everything the stages of one call share.
struct Attention {
  const Machine& machine;
  const ModelShape& shape;
  int layer_index;
  const Step& step;
  const CpuPagePool& pages;
  CpuWorkspace& workspace;

  int group_size() const { return shape.n_heads / shape.n_kv_heads; }
  auto to_page() const { return machine.kernels.to_page[static_cast<int>(pages.format())]; }
  // Whether queries are pairs of bf16; in the workspace they then stand as halves, one behind the other.
  bool has_pairs() const { return pages.format() == PageFormat::kBF16 && machine.kernels.bf16_dots; }
};

void project_qkv(const Attention& a, const CpuLayer& layer) {
  CpuWorkspace& w = a.workspace;
  const std::size_t rows = a.step.rows.size();
  const InputForms forms{&layer.q, &layer.k, &layer.v};
  for_each_row(a.machine, rows, [&](std::size_t r, int thread) {
    float* normed = w.scratch(thread).row;
    normalize(a.machine, a.shape, layer.attention_norm.view(), w.x.row(r), w.x.stride(), normed);
    put_input(a.machine, normed, a.shape.d_model, forms, w.inputs, r);
  });
  const std::array<const std::vector<float>*, 3> biases{&layer.q_bias, &layer.k_bias, &layer.v_bias};
  const std::array<std::size_t, 3> offsets{0, w.k_offset, w.v_offset};
  project<3>(a.machine, {&layer.q, &layer.k, &layer.v}, w.inputs, rows,
             [&](std::size_t m, std::size_t group, std::size_t tile, int tile_rows, GroupOutputs& outputs) {
               add_bias(*biases[m], group, tile_rows, outputs);
               for (int r = 0; r < tile_rows; ++r) {
                 float* out = w.qkv.row(tile * kTileRows + static_cast<std::size_t>(r)) + offsets[m];
                 std::copy_n(outputs[r], kGroupOutputs, out + group * kGroupOutputs);
               }
             });
}

void rotate(const RopeParameters& rope, const float* cosines, float* head) {
  const int half = rope.dimensions / 2;
  const float* sines = cosines + half;
  const bool adjacent = rope.style == RopeStyle::kAdjacent;
  const int stride = adjacent ? 2 : 1;
  const int apart = adjacent ? 1 : half;
  for (int i = 0; i < half; ++i) {
    const float a = head[i * stride];
    const float b = head[i * stride + apart];
    head[i * stride] = a * cosines[i] - b * sines[i];
    head[i * stride + apart] = a * sines[i] + b * cosines[i];
  }
}

// One head's own norm, where the layer has one.
void normalize_head(const Attention& a, const std::vector<float>& gain, float* head) {
  const int dim = a.shape.head_dim;
  if (!gain.empty()) a.machine.kernels.rms_norm(head, gain.data(), dim, dim, a.shape.norm_epsilon, head);
}

// Normalises and rotates a row's queries (scaling them) and keys, and writes keys and values into their page.
void store_row(const Attention& a, const CpuLayer& layer, std::size_t r, int thread) {
  const CpuWorkspace& w = a.workspace;
  const ModelShape& shape = a.shape;
  const int dim = shape.head_dim;
  const Row& row = a.step.rows[r];
  const float* rotation = w.rotations.row(r);
  const float scale = std::numbers::log2e_v<float> / std::sqrt(static_cast<float>(dim));
  for (int h = 0; h < shape.n_heads; ++h) {
    float* query = w.qkv.row(r) + h * dim;
    normalize_head(a, layer.q_norm, query);
    rotate(shape.rope, rotation, query);
    for (int d = 0; d < dim; ++d) query[d] *= scale;
  }
  if (a.has_pairs()) {
    float* const queries = w.qkv.row(r);
    a.to_page()(queries, reinterpret_cast<std::uint16_t*>(queries), static_cast<int>(w.k_offset));
  }
  float* padded = w.scratch(thread).row;
  auto* halves = reinterpret_cast<std::uint16_t*>(padded + w.padded_dim);
  std::fill_n(padded + dim, w.padded_dim - dim, 0.0f);
  const PageId page = a.step.sequences[row.sequence][row.position / kPageTokens].page;
  const std::size_t slot = row.position % kPageTokens;
  for (int h = 0; h < shape.n_kv_heads; ++h) {
    float* key = w.qkv.row(r) + w.k_offset + h * dim;
    normalize_head(a, layer.k_norm, key);
    rotate(shape.rope, rotation, key);
    std::copy_n(key, dim, padded);
    a.to_page()(padded, halves, w.padded_dim);
    a.pages.store_key(a.pages.keys(page, a.layer_index, h), slot, halves);
    std::copy_n(w.qkv.row(r) + w.v_offset + h * dim, dim, padded);
    a.to_page()(padded, halves, w.padded_dim);
    a.pages.store_value(a.pages.values(page, a.layer_index, h), slot, halves);
  }
}

int splits_of(std::uint32_t position) { return static_cast<int>(position / kSplitTokens) + 1; }

// Queries of a tile: some of the heads of one KV head, for each of the tile's rows.
struct TileQueries {
  RowTile tile;
  int kv_head;
  int first_head;
  int heads;

  int count() const { return tile.rows * heads; }
  std::size_t row(int q) const { return tile.first_row + static_cast<std::size_t>(q / heads); }
  int head(int q) const { return first_head + q % heads; }
};

// The keys and values of a split, followed by what is read next: the values, then the next head's keys, or
// the first one's of the next split.
struct SplitPages {
  SplitPages(const Attention& a, const TileQueries& queries, int split, int count) {
    const std::span<const PageRef> sequence = a.step.sequences[a.step.rows[queries.tile.first_row].sequence];
    const std::span<const PageRef> own = sequence.subspan(static_cast<std::size_t>(split * kSplitPages));
    for (int i = 0; i < count; ++i) {
      const PageId page = own[static_cast<std::size_t>(i)].page;
      keys[i] = a.pages.keys(page, a.layer_index, queries.kv_head);
      values[i] = a.pages.values(page, a.layer_index, queries.kv_head);
    }
    const bool is_last_head = queries.kv_head + 1 == a.shape.n_kv_heads;
    const std::size_t next = is_last_head && own.size() > kSplitPages ? kSplitPages : 0;
    for (int i = 0; i < kAheadPages; ++i) {
      const std::size_t at = std::min(next + static_cast<std::size_t>(i), own.size() - 1);
      keys[count + i] = values[std::min(i, count - 1)];
      values[count + i] = a.pages.keys(own[at].page, a.layer_index, is_last_head ? 0 : queries.kv_head + 1);
    }
  }

  const std::uint16_t* keys[kSplitPages + kAheadPages];
  const std::uint16_t* values[kSplitPages + kAheadPages];
};

// Queries side by side, (head_dim, kMaxQueries), or (head_dim / 2, kMaxQueries) pairs, with a 0 behind an odd
// number of dimensions.
void pack_queries(const Attention& a, const TileQueries& queries, float* packed) {
  const int dim = a.shape.head_dim;
  for (int q = 0; q < queries.count(); ++q) {
    const float* row = a.workspace.qkv.row(queries.row(q));
    if (a.has_pairs()) {
      const auto* query = reinterpret_cast<const std::uint16_t*>(row) + queries.head(q) * dim;
      float* out = packed + q;
      for (int d = 0; d + 1 < dim; d += 2, out += kMaxQueries) std::memcpy(out, query + d, sizeof *out);
      if (dim % 2 != 0) {
        const std::uint32_t last = query[dim - 1];
        std::memcpy(out, &last, sizeof last);
      }
    } else {
      const float* query = row + queries.head(q) * dim;
      for (int d = 0; d < dim; ++d) packed[d * kMaxQueries + q] = query[d];
      if (dim % 2 != 0) packed[dim * kMaxQueries + q] = 0.0f;
    }
  }
}

// The queries are packed in `scratch`.
void attend_split(const Attention& a, const TileQueries& queries, int split,
                  const CpuWorkspace::Scratch& scratch, AttentionPartial* const* out) {
  const CpuWorkspace& w = a.workspace;
  int visible[kMaxQueries];
  const int first_position = split * kSplitTokens;
  int tokens = 0;
  for (int q = 0; q < queries.count(); ++q) {
    const std::size_t r = queries.row(q);
    visible[q] = std::clamp(static_cast<int>(a.step.rows[r].position) + 1 - first_position, 0, kSplitTokens);
    tokens = std::max(tokens, visible[q]);
  }
  const SplitPages pages(a, queries, split, (tokens + kPageTokens - 1) / kPageTokens);
  const auto attend = a.machine.kernels.attend[static_cast<int>(a.pages.format())];
  attend({.count = queries.count(),
          .queries = scratch.queries,
          .visible = visible,
          .keys = pages.keys,
          .values = pages.values,
          .head_dim = a.shape.head_dim,
          .padded_dim = w.padded_dim,
          .scores = scratch.scores,
          .out = out});
}

void write_attended(const Attention& a, std::size_t r, int head, const AttentionPartial* total) {
  const auto* sums = reinterpret_cast<const float*>(total + 1);
  const float inverse = 1.0f / total->sum;
  float* out = a.workspace.attended.row(r) + head * a.shape.head_dim;
  for (int d = 0; d < a.shape.head_dim; ++d) out[d] = sums[d] * inverse;
}

int last_split(const Attention& a, const RowTile& tile) {
  return splits_of(a.step.rows[tile.first_row + static_cast<std::size_t>(tile.rows) - 1].position);
}

template <class Visit>
void for_each_query_set(const Attention& a, const RowTile& tile, int kv_head, const Visit& visit) {
  const int heads = a.group_size();
  for (int h = 0; h < heads; h += kMaxQueries) {
    visit(TileQueries{tile, kv_head, kv_head * heads + h, std::min(heads - h, kMaxQueries)});
  }
}

// One thread takes all splits of a tile and KV head.
void attend_tile(const Attention& a, const RowTile& tile, int kv_head, int thread) {
  const CpuWorkspace& w = a.workspace;
  const CpuWorkspace::Scratch scratch = w.scratch(thread);
  AttentionPartial* totals[kMaxQueries];
  AttentionPartial* nexts[kMaxQueries];
  for (std::size_t q = 0; q < kMaxQueries; ++q) {
    totals[q] = reinterpret_cast<AttentionPartial*>(scratch.partials + q * w.partial_bytes);
    nexts[q] = reinterpret_cast<AttentionPartial*>(scratch.partials + (kMaxQueries + q) * w.partial_bytes);
  }
  for_each_query_set(a, tile, kv_head, [&](const TileQueries& queries) {
    pack_queries(a, queries, scratch.queries);
    attend_split(a, queries, 0, scratch, totals);
    for (int split = 1; split < last_split(a, tile); ++split) {
      attend_split(a, queries, split, scratch, nexts);
      for (int q = 0; q < queries.count(); ++q) a.machine.kernels.merge(totals[q], nexts[q], w.padded_dim);
    }
    for (int q = 0; q < queries.count(); ++q) write_attended(a, queries.row(q), queries.head(q), totals[q]);
  });
}

// The splits of few rows are shared out among threads; those of one split follow each other, because its
// pages hold all heads.
void attend_by_splits(const Attention& a, int max_splits) {
  const CpuWorkspace& w = a.workspace;
  const auto kv_heads = static_cast<std::size_t>(a.shape.n_kv_heads);
  const auto splits = static_cast<std::size_t>(max_splits);
  parallel_for(a.machine.threads, w.tiles.size() * kv_heads * splits, [&](std::size_t item, int thread) {
    const RowTile& tile = w.tiles[item / splits / kv_heads];
    const auto split = static_cast<int>(item / kv_heads % splits);
    if (split >= last_split(a, tile)) return;
    for_each_query_set(a, tile, static_cast<int>(item % kv_heads), [&](const TileQueries& queries) {
      AttentionPartial* out[kMaxQueries];
      for (int q = 0; q < queries.count(); ++q)
        out[q] = w.split_partial(queries.row(q), queries.head(q), split);
      pack_queries(a, queries, w.scratch(thread).queries);
      attend_split(a, queries, split, w.scratch(thread), out);
    });
  });
}

void merge_splits(const Attention& a, std::size_t r) {
  const CpuWorkspace& w = a.workspace;
  for (int head = 0; head < a.shape.n_heads; ++head) {
    AttentionPartial* total = w.split_partial(r, head, 0);
    for (int split = 1; split < splits_of(a.step.rows[r].position); ++split) {
      a.machine.kernels.merge(total, w.split_partial(r, head, split), w.padded_dim);
    }
    write_attended(a, r, head, total);
  }
}

void plan_tiles(const Attention& a) {
  const auto largest = static_cast<std::size_t>(std::clamp(kMaxQueries / a.group_size(), 1, 8));
  std::vector<RowTile>& tiles = a.workspace.tiles;
  tiles.clear();
  for (std::size_t r = 0; r < a.step.rows.size(); ++r) {
    const bool joins = !tiles.empty() && static_cast<std::size_t>(tiles.back().rows) < largest &&
                       a.step.rows[tiles.back().first_row].sequence == a.step.rows[r].sequence;
    if (joins) {
      ++tiles.back().rows;
    } else {
      tiles.push_back({r, 1});
    }
  }
}

enum class Attended : std::uint8_t { kWhole, kBySplits };

// Where threads shared the splits of few rows, these are still to be merged, which each row can do alone.
Attended attend_all(const Attention& a) {
  plan_tiles(a);
  const std::vector<RowTile>& tiles = a.workspace.tiles;
  int max_splits = 1;
  for (const RowTile& tile : tiles) max_splits = std::max(max_splits, last_split(a, tile));
  if (max_splits > 1 && a.step.rows.size() <= CpuWorkspace::kMaxSplitRows) {
    attend_by_splits(a, max_splits);
    return Attended::kBySplits;
  }
  const auto kv_heads = static_cast<std::size_t>(a.shape.n_kv_heads);
  parallel_for(a.machine.threads, tiles.size() * kv_heads, [&](std::size_t item, int thread) {
    attend_tile(a, tiles[item / kv_heads], static_cast<int>(item % kv_heads), thread);
  });
  return Attended::kWhole;
}

}  // namespace

void fill_rotations(const Step& step, CpuWorkspace& workspace) {
  const RopeParameters& rope = workspace.shape.rope;
  const int half = rope.dimensions / 2;
  for (int i = 0; i < half; ++i) {
    double frequency = static_cast<double>(rope.position_scale) *
                       std::pow(static_cast<double>(rope.base), -2.0 * i / rope.dimensions);
    if (!rope.frequency_factors.empty()) {
      frequency /= static_cast<double>(rope.frequency_factors[static_cast<std::size_t>(i)]);
    }
    for (std::size_t r = 0; r < step.rows.size(); ++r) {
      const double angle = static_cast<double>(step.rows[r].position) * frequency;
      workspace.rotations.row(r)[i] = static_cast<float>(std::cos(angle));
      workspace.rotations.row(r)[half + i] = static_cast<float>(std::sin(angle));
    }
  }
}

void attend_rows(const Machine& machine, const ModelShape& shape, int layer_index, const Step& step,
                 const CpuPagePool& pages, CpuWorkspace& workspace) {
  const Attention a{machine, shape, layer_index, step, pages, workspace};
  if (attend_all(a) == Attended::kWhole) return;
  for_each_row(machine, step.rows.size(), [&](std::size_t r, int) { merge_splits(a, r); });
}

void run_attention(const Machine& machine, const CpuLayer& layer, int layer_index, const Step& step,
                   const CpuPagePool& pages, CpuWorkspace& workspace) {
  const Attention a{machine, layer.shape, layer_index, step, pages, workspace};
  const std::size_t rows = step.rows.size();
  project_qkv(a, layer);
  for_each_row(machine, rows, [&](std::size_t r, int thread) { store_row(a, layer, r, thread); });
  const Attended attended = attend_all(a);
  const InputForms forms{&layer.o};
  for_each_row(machine, rows, [&](std::size_t r, int) {
    if (attended == Attended::kBySplits) merge_splits(a, r);
    put_input(machine, workspace.attended.row(r), layer.o.cols(), forms, workspace.inputs, r);
  });
  add_projection(machine, layer.o, layer.o_bias, workspace.inputs, rows, workspace.x);
}

}  // namespace hearth::kernels
