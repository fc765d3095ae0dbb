// Attention of a few queries to one split of the KV cache: scores, softmax, weighted values, each over
// all of the split's pages. Tokens that a query does not see get weight 0 exactly.
#pragma once

#include <cstdint>

#include "kernels/cpu/kernel_table.h"
#include "kernels/cpu/page_numbers.h"

namespace hearth::kernels {
namespace {

// Queries that share the conversion of a key or value: as many as have registers for their sums.
template <class V>
constexpr int kQueryTile = V::kLanes == 16 ? 12 : 6;

inline float* sums_of(AttentionPartial* partial) { return reinterpret_cast<float*>(partial + 1); }
inline const float* sums_of(const AttentionPartial* partial) {
  return reinterpret_cast<const float*>(partial + 1);
}

// Sums that are under way at once: as many as leave registers for what they are made of.
template <class V>
constexpr int kSums = V::kLanes == 16 ? 24 : 12;

// Powers of two from 1 to 4 of what takes `each` sums.
template <class V>
constexpr int at_once(int each) {
  return each * 4 <= kSums<V> ? 4 : each * 2 <= kSums<V> ? 2 : 1;
}

// Into the second-level cache: the first is full of what is at hand.
inline void prefetch_ahead(const std::uint16_t* from) { __builtin_prefetch(from, 0, 2); }

// kPages pages at once.
template <class V, class Numbers, int kQueries, int kPages>
void score_pages(const AttentionSplit& split, int first, int first_page) {
  constexpr int kVectors = kPageSlots / V::kLanes;
  const std::uint16_t* const* keys = split.keys + first_page;
  typename V::Float sums[kQueries][kPages][kVectors];
  for (auto& query : sums) {
    for (auto& page : query) {
      for (auto& sum : page) sum = V::zero();
    }
  }
  const float* queries = split.queries + first;
  for (int d = 0; d < split.head_dim; d += Numbers::kTogether, queries += Numbers::kInputs * kMaxQueries) {
    typename Numbers::Lanes key[kPages][kVectors];
    for (int p = 0; p < kPages; ++p) {
      prefetch_ahead(keys[p + kAheadPages] + d * kPageSlots);
      for (int v = 0; v < kVectors; ++v)
        key[p][v] = Numbers::load(keys[p] + d * kPageSlots + v * V::kLanes * Numbers::kTogether);
    }
    for (int q = 0; q < kQueries; ++q) {
      for (int p = 0; p < kPages; ++p) {
        for (int v = 0; v < kVectors; ++v)
          sums[q][p][v] = Numbers::add_products(sums[q][p][v], key[p][v], queries + q, kMaxQueries);
      }
    }
  }
  for (int q = 0; q < kQueries; ++q) {
    float* out = split.scores + (first + q) * kSplitTokens + first_page * kPageSlots;
    for (int p = 0; p < kPages; ++p) {
      for (int v = 0; v < kVectors; ++v) V::store(out + p * kPageSlots + v * V::kLanes, sums[q][p][v]);
    }
  }
}

template <class V, class Numbers, int kQueries, int kPages = at_once<V>(kQueries* kPageSlots / V::kLanes)>
void score(const AttentionSplit& split, int first, int first_page, int pages) {
  for (; first_page + kPages <= pages; first_page += kPages) {
    score_pages<V, Numbers, kQueries, kPages>(split, first, first_page);
  }
  if constexpr (kPages > 1) score<V, Numbers, kQueries, kPages / 2>(split, first, first_page, pages);
}

// Turns scores into weights; the sum is over lanes in a fixed order, whatever follows the seen tokens.
template <class V, class Numbers>
void softmax(float* scores, int visible, int tokens, AttentionPartial* out) {
  constexpr float kNone = -__builtin_inff();
  for (int t = visible; t < tokens; ++t) scores[t] = kNone;
  auto largest = V::splat(kNone);
  for (int t = 0; t < visible; t += V::kLanes) largest = V::max(largest, V::load(scores + t));
  out->max = V::largest(largest);
  const auto max = V::splat(out->max);
  auto sum = V::zero();
  int t = 0;
  for (; t < visible; t += V::kLanes) {
    const auto weight = exp2_to_one<V>(V::sub(V::load(scores + t), max));
    Numbers::store_weights(scores, t, weight);
    sum = V::add(sum, weight);
  }
  for (; t < tokens; t += V::kLanes) Numbers::store_weights(scores, t, V::zero());
  out->sum = V::sum(sum);
}

// kParts times 16 of the values' dimensions at once, over all tokens.
template <class V, class Numbers, int kQueries, int kParts>
void add_values_of(const AttentionSplit& split, int first, int tokens, int first_dim) {
  constexpr int kTogether = Numbers::kTogether;
  constexpr int kVectors = kParts * 16 / V::kLanes;
  typename V::Float sums[kQueries][kVectors];
  for (auto& query : sums) {
    for (auto& sum : query) sum = V::zero();
  }
  const float* weights = split.scores + first * kSplitTokens;
  for (int page = 0; page * kPageSlots < tokens; ++page) {
    const int rest = tokens - page * kPageSlots;
    const int slots = rest < kPageSlots ? rest : kPageSlots;
    const std::uint16_t* value = split.values[page] + first_dim * kTogether;
    const std::uint16_t* ahead = split.values[page + kAheadPages] + first_dim * kTogether;
    const int row = split.padded_dim * kTogether;
    for (int t = 0; t < slots; t += kTogether, value += row, ahead += row) {
      for (int part = 0; part < kParts * kTogether; part += 2) prefetch_ahead(ahead + part * 16);
      typename Numbers::Lanes values[kVectors];
      for (int v = 0; v < kVectors; ++v) values[v] = Numbers::load(value + v * V::kLanes * kTogether);
      for (int q = 0; q < kQueries; ++q) {
        for (int v = 0; v < kVectors; ++v)
          sums[q][v] = Numbers::add_products(sums[q][v], values[v], weights + q * kSplitTokens, 1);
      }
      weights += Numbers::kInputs;
    }
  }
  for (int q = 0; q < kQueries; ++q) {
    for (int v = 0; v < kVectors; ++v)
      V::store(sums_of(split.out[first + q]) + first_dim + v * V::kLanes, sums[q][v]);
  }
}

template <class V, class Numbers, int kQueries, int kParts = at_once<V>(kQueries * 16 / V::kLanes)>
void add_values(const AttentionSplit& split, int first, int tokens, int first_dim) {
  for (; first_dim + kParts * 16 <= split.padded_dim; first_dim += kParts * 16) {
    add_values_of<V, Numbers, kQueries, kParts>(split, first, tokens, first_dim);
  }
  if constexpr (kParts > 1) add_values<V, Numbers, kQueries, kParts / 2>(split, first, tokens, first_dim);
}

template <class V, class Numbers, int kQueries>
void attend_tile(const AttentionSplit& split, int first) {
  int tokens = 0;
  for (int q = 0; q < kQueries; ++q) {
    const int visible = split.visible[first + q];
    tokens = visible > tokens ? visible : tokens;
  }
  const int pages = (tokens + kPageSlots - 1) / kPageSlots;
  score<V, Numbers, kQueries>(split, first, 0, pages);
  for (int q = 0; q < kQueries; ++q) {
    softmax<V, Numbers>(split.scores + (first + q) * kSplitTokens, split.visible[first + q],
                        pages * kPageSlots, split.out[first + q]);
  }
  add_values<V, Numbers, kQueries>(split, first, tokens, 0);
}

template <class V, class Numbers, int kMost>
void attend_some(const AttentionSplit& split, int first, int count) {
  if (count == kMost) {
    attend_tile<V, Numbers, kMost>(split, first);
  } else if constexpr (kMost > 1) {
    attend_some<V, Numbers, kMost - 1>(split, first, count);
  }
}

// In tiles of like size: a small one would leave the arithmetic units waiting for its few sums.
template <class V, class Numbers>
void attend(const AttentionSplit& split) {
  int first = 0;
  for (int tiles = (split.count + kQueryTile<V> - 1) / kQueryTile<V>; tiles > 0; --tiles) {
    const int count = (split.count - first + tiles - 1) / tiles;
    attend_some<V, Numbers, kQueryTile<V>>(split, first, count);
    first += count;
  }
}

template <class V>
void merge(AttentionPartial* total, const AttentionPartial* next, int padded_dim) {
  if (next->sum == 0.0f) return;
  const float max = next->max > total->max ? next->max : total->max;
  float factors[V::kLanes];
  V::store(factors, exp2_to_one<V>(V::splat(total->max - max)));
  const float keep = factors[0];
  V::store(factors, exp2_to_one<V>(V::splat(next->max - max)));
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
