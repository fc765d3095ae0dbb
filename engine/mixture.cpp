#include "engine/mixture.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace hearth::engine {

namespace {

// Lengths from which a match counts as longer than another.
constexpr std::array kLengths = {2, 3, 4, 6, 8, 12, 16, 24, 32};

// As how many places one counts when it is asked how sure it is that nothing else follows: of so long a match
// two that differ are rare.
constexpr std::array kTrust = {0.5, 1.0, 1.5, 2.0, 3.0, 5.0, 8.0, 12.0, 20.0};
static_assert(kTrust.size() == kLengths.size());

int level_of(int length) {
  int level = 0;
  while (level + 1 < static_cast<int>(kLengths.size()) && kLengths[level + 1] <= length) ++level;
  return level;
}

constexpr double kLeastProbability = 1e-5;  // that the model is taken to give

struct Count {
  TokenId token;
  int count;
  double probability;
};

}  // namespace

MemoryGuess memory_guess(std::span<const WorkspaceMemory::Occurrence> occurrences) {
  MemoryGuess guess;
  std::array<std::vector<const WorkspaceMemory::Occurrence*>, kLengths.size()> by_level;
  for (const auto& occurrence : occurrences) {
    by_level[level_of(occurrence.length)].push_back(&occurrence);
    guess.match_length = std::max(guess.match_length, occurrence.length);
  }
  std::vector<Count> counts;
  double left = 1;
  int seen = 0;
  bool top = true;
  for (int level = static_cast<int>(kLengths.size()) - 1; level >= 0; --level) {
    if (by_level[level].empty()) continue;
    for (const auto* occurrence : by_level[level]) {
      const TokenId next = occurrence->following.front();
      const auto known = std::ranges::find(counts, next, &Count::token);
      known == counts.end() ? void(counts.push_back({next, 1, 0})) : void(++known->count);
      ++seen;
      guess.own |= top && occurrence->origin == WorkspaceMemory::Origin::kOwn;
    }
    if (top) {
      guess.matches = seen;
      guess.unanimous = counts.size() == 1;
    }
    top = false;
    const double distinct = static_cast<double>(counts.size());
    const double escape = distinct / (seen * kTrust[static_cast<std::size_t>(level)] + distinct);
    for (Count& count : counts) count.probability += left * (1 - escape) * count.count / seen;
    left *= escape;
  }
  if (counts.empty()) return guess;
  std::ranges::stable_sort(counts, std::greater{}, &Count::probability);
  if (counts.size() > kMostCandidates) counts.resize(kMostCandidates);
  double sum = 0;
  for (const Count& count : counts) sum += count.probability;
  for (const Count& count : counts) guess.candidates.push_back({count.token, count.probability / sum});
  int best = 0;
  for (const auto& occurrence : occurrences) {
    if (occurrence.following.front() != counts.front().token || occurrence.length <= best) continue;
    best = occurrence.length;
    guess.draft = occurrence.following;
  }
  return guess;
}

std::array<double, kMixtureFigures> mixture_figures(const MemoryGuess& guess, double entropy,
                                                    double model_probability_of_best) {
  const double length = std::log2(1.0 + guess.match_length);
  const double best = guess.candidates.empty() ? 0 : guess.candidates.front().probability;
  return {1,
          length,
          std::min(guess.match_length, 16) / 16.0,
          std::log2(1.0 + std::min(guess.matches, 64)),
          best,
          guess.unanimous ? 1.0 : 0.0,
          guess.own ? 1.0 : 0.0,
          std::min(entropy, 8.0),
          std::log(std::max(model_probability_of_best, kLeastProbability)),
          best * length};
}

double memory_share(const MixtureWeights& weights, const std::array<double, kMixtureFigures>& figures) {
  double sum = 0;
  for (std::size_t i = 0; i < kMixtureFigures; ++i) sum += weights[i] * figures[i];
  return 1 / (1 + std::exp(-sum));
}

MixtureWeights default_mixture_weights(std::string_view model_name) {
  constexpr MixtureWeights kEmbedded = {-5.290, 0.748, -1.786, 0.328, 1.062,
                                        -0.012, 0.076, 0.329,  0.120, 0.911};
  constexpr MixtureWeights kDefault = {-6.089, 1.002,  -2.536, 0.308, 1.385,
                                       0.060,  -0.075, 0.410,  0.188, 0.864};
  return model_name == "hearth-code-20m" ? kEmbedded : kDefault;
}

kernels::HeadAnswer mixed(const kernels::HeadAnswer& answer, const MemoryGuess& guess,
                          const MixtureWeights& weights) {
  if (guess.candidates.empty()) return answer;
  kernels::HeadAnswer out = answer;
  const std::size_t first = answer.logits.size() - guess.candidates.size();
  out.logits.resize(first);
  const auto model = [&](float logit) { return std::exp(static_cast<double>(logit) - answer.log_sum_exp); };
  const double share =
      memory_share(weights, mixture_figures(guess, answer.entropy, model(answer.logits[first])));
  const auto probability_in_memory = [&](TokenId token) {
    const auto found = std::ranges::find(guess.candidates, token, &MemoryGuess::Candidate::token);
    return found == guess.candidates.end() ? 0 : found->probability;
  };
  const auto as_logit = [&](double probability) {
    return static_cast<float>(std::log(probability) + answer.log_sum_exp);
  };
  for (auto& [token, logit] : out.top)
    logit = as_logit((1 - share) * model(logit) + share * probability_in_memory(token));
  for (std::size_t i = 0; i < guess.candidates.size(); ++i) {
    const auto& [token, probability] = guess.candidates[i];
    const auto in_top = std::ranges::find(out.top, token, &kernels::TokenLogit::token);
    if (in_top != out.top.end()) continue;
    out.top.push_back({token, as_logit((1 - share) * model(answer.logits[first + i]) + share * probability)});
  }
  std::ranges::sort(out.top, [](const auto& a, const auto& b) {
    return a.logit != b.logit ? a.logit > b.logit : a.token < b.token;
  });
  out.top.resize(answer.top.size());
  return out;
}

}  // namespace hearth::engine
