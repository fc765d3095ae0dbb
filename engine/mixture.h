// The workspace memory's word on the next token, and its mixture with the model's (DESIGN.md section 5.6).
// The memory's distribution backs off over match lengths: what followed the longest matches counts first,
// and what chance leaves to the unseen goes to shorter ones (escapes of method C: T. C. Bell, J. G. Cleary,
// I. H. Witten, "Text Compression", 1990, section 6.3, but a long match counts as several). The mixture is
// linear, as cache language models are (R. Kuhn, R. De Mori, 1990), its weight a logistic function of a few
// figures, fitted by held-out likelihood. Pure functions of values.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "engine/workspace_memory.h"
#include "kernels/device.h"

namespace hearth::engine {

struct MemoryGuess {
  struct Candidate {
    TokenId token;
    double probability;
  };
  std::vector<Candidate> candidates;  // best first; their probabilities sum to 1; empty: nothing matches
  int match_length = 0;               // of the longest match
  int matches = 0;                    // that are as long, as lengths are told apart
  bool unanimous = false;             // one token follows all of these
  bool own = false;                   // the document itself has one of these
  std::span<const TokenId> draft;     // what followed the latest longest match of the best candidate
};

// At most `kMostCandidates` of them. Occurrences are in the order of WorkspaceMemory::find.
inline constexpr std::size_t kMostCandidates = 32;
MemoryGuess memory_guess(std::span<const WorkspaceMemory::Occurrence> occurrences);

// What the weight is made of.
inline constexpr std::size_t kMixtureFigures = 10;
using MixtureWeights = std::array<double, kMixtureFigures>;

std::array<double, kMixtureFigures> mixture_figures(const MemoryGuess& guess, double entropy,
                                                    double model_probability_of_best);

// The memory's share, from 0 to 1.
double memory_share(const MixtureWeights& weights, const std::array<double, kMixtureFigures>& figures);

// For models that nobody has calibrated, and as fitted for the two that Hearth comes with, by `general.name`.
MixtureWeights default_mixture_weights(std::string_view model_name);

// `answer`, whose query had the candidates' tokens as its last ids, as if the model had mixed the memory in:
// its logits less its log_sum_exp are the mixture's log-probabilities. Without candidates it stays the same.
kernels::HeadAnswer mixed(const kernels::HeadAnswer& answer, const MemoryGuess& guess,
                          const MixtureWeights& weights);

}  // namespace hearth::engine
