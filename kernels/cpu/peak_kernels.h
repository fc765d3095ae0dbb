// What the machine can do at most, as loops without anything else: the ceilings that kernels' figures are
// held against. Each returns the number of operations it did, two a multiply-add.
#pragma once

#include <cstdint>

#include "kernels/cpu/kernel_table.h"
#include "kernels/cpu/row_kernels.h"

namespace hearth::kernels {
namespace {

// Reads from several places at once, as a machine with a prefetcher for each likes best.
template <class V>
float peak_read(const std::byte* from, std::size_t bytes) {
  constexpr std::size_t kStreams = 4;
  constexpr std::size_t kVector = V::kLanes * sizeof(float);
  const std::size_t stream = bytes / kStreams;
  typename V::Float largest[kStreams];
  for (auto& x : largest) x = V::zero();
  for (std::size_t at = 0; at + kVector <= stream; at += kVector) {
    for (std::size_t s = 0; s < kStreams; ++s) {
      largest[s] = V::max(largest[s], V::load(reinterpret_cast<const float*>(from + s * stream + at)));
    }
  }
  return V::largest(V::max(V::max(largest[0], largest[1]), V::max(largest[2], largest[3])));
}

// Weights vary by round, so that no product can be taken out of the loop, and stay in the nearest cache.
inline std::size_t peak_offset(int round) { return static_cast<std::size_t>(round % 8) * 64; }

// Products of bytes added up in 32 bits, as codes of eight bits need it; kWide: in 16 bits, as codes of
// four and five bits allow it.
template <class V, bool kWide>
double peak_int8(const std::byte* zeros, int rounds) {
  constexpr int kInputs = 4;
  constexpr int kWeights = 2;
  const auto* inputs = reinterpret_cast<const std::int32_t*>(zeros);
  typename V::Sums sums[kWeights][kInputs];
  typename V::Int totals[kWeights][kInputs];
  for (int w = 0; w < kWeights; ++w) {
    for (int i = 0; i < kInputs; ++i) {
      sums[w][i] = V::zero_sums();
      totals[w][i] = V::zero_int();
    }
  }
  for (int round = 0; round < rounds; ++round) {
    for (int w = 0; w < kWeights; ++w) {
      const auto weights =
          V::load_bytes(zeros + peak_offset(round) + static_cast<std::size_t>(w * 4 * V::kLanes));
      for (int i = 0; i < kInputs; ++i) {
        if constexpr (kWide || V::kWideSums) {
          sums[w][i] = V::multiply_add(sums[w][i], weights, inputs[i]);
        } else {
          const auto product = V::total(V::multiply_add(V::zero_sums(), weights, inputs[i]));
          totals[w][i] = V::add_int(totals[w][i], product);
        }
      }
    }
  }
  auto total = V::zero_int();
  for (int w = 0; w < kWeights; ++w) {
    for (int i = 0; i < kInputs; ++i)
      total = V::add_int(total, V::add_int(totals[w][i], V::total(sums[w][i])));
  }
  const float nothing = V::sum(V::to_float(total));
  return 2.0 * rounds * kWeights * kInputs * 4 * V::kLanes + static_cast<double>(nothing);
}

// Multiply-adds of floats; kPairs: dot products of two bf16, on machines that have them.
template <class V, bool kPairs>
double peak_float(const std::byte* zeros, int rounds) {
  constexpr int kInputs = 3;
  constexpr int kWeights = 4;
  constexpr int kProducts = kPairs && V::kBf16Dots ? 2 : 1;  // of a lane
  const auto* values = reinterpret_cast<const float*>(zeros);
  [[maybe_unused]] const auto* pairs = reinterpret_cast<const std::int32_t*>(zeros);
  typename V::Float sums[kWeights][kInputs];
  for (auto& of_weight : sums) {
    for (auto& sum : of_weight) sum = V::zero();
  }
  for (int round = 0; round < rounds; ++round) {
    for (int w = 0; w < kWeights; ++w) {
      const float* from = values + peak_offset(round) / sizeof(float) + w * V::kLanes;
      if constexpr (kPairs && V::kBf16Dots) {
        const auto weights = V::load_bytes(from);
        for (int i = 0; i < kInputs; ++i) sums[w][i] = V::dot_bf16(sums[w][i], weights, pairs[i]);
      } else {
        const auto weights = V::load(from);
        for (int i = 0; i < kInputs; ++i) sums[w][i] = V::fma(weights, V::splat(values[i]), sums[w][i]);
      }
    }
  }
  auto total = V::zero();
  for (auto& of_weight : sums) {
    for (auto& sum : of_weight) total = V::add(total, sum);
  }
  return 2.0 * kProducts * rounds * kWeights * kInputs * V::kLanes + static_cast<double>(V::sum(total));
}

}  // namespace
}  // namespace hearth::kernels
