#include "engine/sampler.h"

#include <algorithm>
#include <cmath>

namespace hearth::engine {

namespace {

constexpr int kNucleusCandidates = 128;

float penalise(float logit, double penalty) {
  return static_cast<float>(logit > 0 ? logit / penalty : logit * penalty);
}

}  // namespace

int candidates_needed(const Sampling& sampling, std::size_t penalised_tokens) {
  const int best = sampling.temperature > 0 ? kNucleusCandidates : 1;
  return best + (sampling.repetition_penalty == 1 ? 0 : static_cast<int>(penalised_tokens));
}

std::optional<SampledToken> sample(const Sampling& sampling, const kernels::HeadAnswer& answer,
                                   std::span<const TokenId> penalised, std::mt19937_64& random) {
  if (answer.top.empty()) return std::nullopt;
  struct Candidate {
    TokenId token;
    float logit;     // as the model gave it
    float adjusted;  // after the penalty
  };
  std::vector<Candidate> candidates;
  for (const auto& [token, logit] : answer.top) {
    const bool repeats = sampling.repetition_penalty != 1 &&
                         std::find(penalised.begin(), penalised.end(), token) != penalised.end();
    candidates.push_back({token, logit, repeats ? penalise(logit, sampling.repetition_penalty) : logit});
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.adjusted > b.adjusted; });
  const auto chosen = [&](const Candidate& c) {
    return SampledToken{c.token, static_cast<double>(c.logit) - answer.log_sum_exp};
  };
  if (sampling.temperature <= 0) return chosen(candidates.front());

  std::vector<double> weights;
  double total = 0;
  for (const auto& c : candidates) {
    const double margin = static_cast<double>(c.adjusted) - candidates.front().adjusted;
    weights.push_back(std::exp(margin / sampling.temperature));
    total += weights.back();
  }
  double kept = 0;
  std::size_t n = 0;
  while (n < weights.size() && (n == 0 || kept < sampling.top_p * total)) kept += weights[n++];
  double point = std::uniform_real_distribution<double>(0, kept)(random);
  for (std::size_t i = 0; i + 1 < n; ++i) {
    point -= weights[i];
    if (point < 0) return chosen(candidates[i]);
  }
  return chosen(candidates[n - 1]);
}

}  // namespace hearth::engine
