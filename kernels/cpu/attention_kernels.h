// Attention of a few queries to one split of the KV cache: scores, softmax, weighted values, each over
// all of the split's pages. Tokens that a query does not see get weight 0 exactly.
#pragma once

#include <cstdint>

#include "kernels/cpu/kernel_table.h"
#include "kernels/cpu/row_kernels.h"

namespace hearth::kernels {
namespace {

// Queries that share the conversion of a key or value: as many as have registers for their sums.
template <class V>
constexpr int kQueryTile = V::kLanes == 16 ? 12 : 6;

inline float* sums_of(AttentionPartial* partial) { return reinterpret_cast<float*>(partial + 1); }
inline const float* sums_of(const AttentionPartial* partial) {
  return reinterpret_cast<const float*>(partial + 1);
}

template <class V, int kQueries>
void score(const AttentionSplit& split, int first, int pages) {
  constexpr int kVectors = kPageSlots / V::kLanes;
  for (int page = 0; page < pages; ++page) {
    const std::uint16_t* key = split.keys[page];
    const std::uint16_t* next = split.keys[page + 1 < pages ? page + 1 : page];
    typename V::Float sums[kQueries][kVectors];
    for (int q = 0; q < kQueries; ++q) {
      for (int v = 0; v < kVectors; ++v) sums[q][v] = V::zero();
    }
    // Pages are scattered, so the next one is asked for: its keys and, right behind, its values.
    for (int d = 0; d < split.head_dim; ++d, key += kPageSlots, next += 2 * kPageSlots) {
      __builtin_prefetch(next);
      typename V::Float keys[kVectors];
      for (int v = 0; v < kVectors; ++v) keys[v] = V::load_f16(key + v * V::kLanes);
      for (int q = 0; q < kQueries; ++q) {
        const auto x = V::splat(split.query[first + q][d]);
        for (int v = 0; v < kVectors; ++v) sums[q][v] = V::fma(keys[v], x, sums[q][v]);
      }
    }
    for (int q = 0; q < kQueries; ++q) {
      float* scores = split.scores + (first + q) * kSplitTokens + page * kPageSlots;
      for (int v = 0; v < kVectors; ++v) V::store(scores + v * V::kLanes, sums[q][v]);
    }
  }
}

// Turns scores into weights; the sum is over lanes in a fixed order, whatever follows the seen tokens.
template <class V>
void softmax(float* scores, int visible, int tokens, AttentionPartial* out) {
  constexpr float kNone = -__builtin_inff();
  for (int t = visible; t < tokens; ++t) scores[t] = kNone;
  auto largest = V::splat(kNone);
  for (int t = 0; t < visible; t += V::kLanes) largest = V::max(largest, V::load(scores + t));
  out->max = max_of_lanes<V>(largest);
  const auto max = V::splat(out->max);
  auto sum = V::zero();
  for (int t = 0; t < visible; t += V::kLanes) {
    const auto weight = exponential<V>(V::sub(V::load(scores + t), max));
    V::store(scores + t, weight);
    sum = V::add(sum, weight);
  }
  for (int t = visible; t < tokens; ++t) scores[t] = 0.0f;
  out->sum = sum_of_lanes<V>(sum);
}

template <class V, int kQueries>
void add_values(const AttentionSplit& split, int first, int tokens) {
  constexpr int kVectors = 16 / V::kLanes;
  const float* weights = split.scores + first * kSplitTokens;
  for (int page = 0; page * kPageSlots < tokens; ++page, weights += kPageSlots) {
    const int rest = tokens - page * kPageSlots;
    const int slots = rest < kPageSlots ? rest : kPageSlots;
    for (int d = 0; d < split.padded_dim; d += 16) {
      typename V::Float sums[kQueries][kVectors];
      for (int q = 0; q < kQueries; ++q) {
        for (int v = 0; v < kVectors; ++v)
          sums[q][v] = V::load(sums_of(split.out[first + q]) + d + v * V::kLanes);
      }
      const std::uint16_t* value = split.values[page] + d;
#pragma GCC unroll 4
      for (int t = 0; t < slots; ++t, value += split.padded_dim) {
        typename V::Float values[kVectors];
        for (int v = 0; v < kVectors; ++v) values[v] = V::load_f16(value + v * V::kLanes);
        for (int q = 0; q < kQueries; ++q) {
          const auto weight = V::splat(weights[q * kSplitTokens + t]);
          for (int v = 0; v < kVectors; ++v) sums[q][v] = V::fma(values[v], weight, sums[q][v]);
        }
      }
      for (int q = 0; q < kQueries; ++q) {
        for (int v = 0; v < kVectors; ++v)
          V::store(sums_of(split.out[first + q]) + d + v * V::kLanes, sums[q][v]);
      }
    }
  }
}

template <class V, int kQueries>
void attend_tile(const AttentionSplit& split, int first) {
  int tokens = 0;
  for (int q = 0; q < kQueries; ++q) {
    const int visible = split.visible[first + q];
    tokens = visible > tokens ? visible : tokens;
    float* sums = sums_of(split.out[first + q]);
    for (int d = 0; d < split.padded_dim; ++d) sums[d] = 0.0f;
  }
  const int pages = (tokens + kPageSlots - 1) / kPageSlots;
  score<V, kQueries>(split, first, pages);
  for (int q = 0; q < kQueries; ++q) {
    softmax<V>(split.scores + (first + q) * kSplitTokens, split.visible[first + q], pages * kPageSlots,
               split.out[first + q]);
  }
  add_values<V, kQueries>(split, first, tokens);
}

template <class V, int kMost>
void attend_some(const AttentionSplit& split, int first, int count) {
  if (count == kMost) {
    attend_tile<V, kMost>(split, first);
  } else if constexpr (kMost > 1) {
    attend_some<V, kMost - 1>(split, first, count);
  }
}

// In tiles of like size: a small one would leave the arithmetic units waiting for its few sums.
template <class V>
void attend(const AttentionSplit& split) {
  int first = 0;
  for (int tiles = (split.queries + kQueryTile<V> - 1) / kQueryTile<V>; tiles > 0; --tiles) {
    const int count = (split.queries - first + tiles - 1) / tiles;
    attend_some<V, kQueryTile<V>>(split, first, count);
    first += count;
  }
}

template <class V>
void merge(AttentionPartial* total, const AttentionPartial* next, int padded_dim) {
  if (next->sum == 0.0f) return;
  const float max = next->max > total->max ? next->max : total->max;
  float factors[V::kLanes];
  V::store(factors, exponential<V>(V::splat(total->max - max)));
  const float keep = factors[0];
  V::store(factors, exponential<V>(V::splat(next->max - max)));
  const float take = factors[0];
  total->sum = total->sum * keep + next->sum * take;
  total->max = max;
  for (int d = 0; d < padded_dim; d += V::kLanes) {
    float* sums = sums_of(total) + d;
    V::store(sums, V::fma(V::load(sums_of(next) + d), V::splat(take), V::mul(V::load(sums), V::splat(keep))));
  }
}

}  // namespace
}  // namespace hearth::kernels
