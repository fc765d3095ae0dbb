#include "engine/mixture.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

namespace hearth::engine {
namespace {

using Occurrence = WorkspaceMemory::Occurrence;

// Occurrences of one following token each.
struct Followers {
  std::vector<std::pair<int, TokenId>> length_and_token;

  std::vector<Occurrence> occurrences() const {
    std::vector<Occurrence> found;
    for (const auto& [length, token] : length_and_token)
      found.push_back({std::span(&token, 1), length, WorkspaceMemory::Origin::kOther});
    return found;
  }
};

double probability_of(const MemoryGuess& guess, TokenId token) {
  for (const auto& candidate : guess.candidates) {
    if (candidate.token == token) return candidate.probability;
  }
  return 0;
}

TEST(MemoryGuess, TrustsLongerMatchesMoreAndSumsToOne) {
  const Followers followers{{{20, 5}, {2, 7}, {2, 7}, {2, 7}}};
  const auto occurrences = followers.occurrences();
  const MemoryGuess guess = memory_guess(occurrences);
  EXPECT_EQ(guess.match_length, 20);
  EXPECT_EQ(guess.matches, 1);
  EXPECT_TRUE(guess.unanimous);
  EXPECT_EQ(guess.draft.front(), 5);
  // By hand: one match of 20 counts as eight that agree, so 8/9 go to what follows it; of the ninth that is
  // left 2/4 go by the counts of all four, of which the short ones count half.
  const double kept = 8.0 / 9 + 1.0 / 9 * 2 / 4;
  EXPECT_NEAR(probability_of(guess, 5), (8.0 / 9 + 1.0 / 9 * 2 / 4 * 1 / 4) / kept, 1e-12);
  EXPECT_NEAR(probability_of(guess, 7), (1.0 / 9 * 2 / 4 * 3 / 4) / kept, 1e-12);
}

TEST(MemoryGuess, OfNothingIsNothing) {
  const MemoryGuess guess = memory_guess({});
  EXPECT_TRUE(guess.candidates.empty());
  EXPECT_TRUE(guess.draft.empty());
}

// The whole distribution, against the mixture worked out token by token.
TEST(Mixture, IsADistributionWhoseBestAreInOrder) {
  std::mt19937 random(4);
  constexpr int kVocabulary = 50;
  for (int round = 0; round < 200; ++round) {
    std::vector<double> model(kVocabulary);
    for (double& p : model) p = std::exp(static_cast<double>(random() % 1000) / 150);
    const double sum = std::accumulate(model.begin(), model.end(), 0.0);
    Followers followers;
    for (int n = static_cast<int>(random() % 12); n > 0; --n)
      followers.length_and_token.emplace_back(2 + random() % 20,
                                              static_cast<TokenId>(random() % kVocabulary));
    const auto occurrences = followers.occurrences();
    const MemoryGuess guess = memory_guess(occurrences);
    std::vector<int> order(kVocabulary);
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, [&](int a, int b) { return model[a] > model[b]; });
    const std::size_t k = 1 + random() % 5;
    kernels::HeadAnswer answer;
    answer.log_sum_exp = 1.5f;
    double entropy = 0;
    const auto logit = [&](int token) { return static_cast<float>(std::log(model[token] / sum) + 1.5); };
    for (double& p : model) entropy -= p / sum * std::log(p / sum);
    answer.entropy = static_cast<float>(entropy);
    for (std::size_t i = 0; i < k; ++i) answer.top.push_back({order[i], logit(order[i])});
    answer.logits = {0.25f};  // of a penalised token, which stays
    for (const auto& candidate : guess.candidates) answer.logits.push_back(logit(candidate.token));

    const MixtureWeights weights = default_mixture_weights("");
    const double best = guess.candidates.empty() ? 0 : model[guess.candidates.front().token] / sum;
    const double share =
        guess.candidates.empty() ? 0 : memory_share(weights, mixture_figures(guess, answer.entropy, best));
    std::vector<double> expected(kVocabulary);
    for (int token = 0; token < kVocabulary; ++token)
      expected[token] = (1 - share) * model[token] / sum + share * probability_of(guess, token);
    EXPECT_NEAR(std::accumulate(expected.begin(), expected.end(), 0.0), 1, 1e-9);

    const auto mix = mixed(answer, guess, weights);
    ASSERT_EQ(mix.top.size(), k);
    EXPECT_EQ(mix.log_sum_exp, answer.log_sum_exp);
    EXPECT_EQ(mix.logits, (std::vector<float>{0.25f}));
    std::ranges::sort(expected, std::greater{});
    EXPECT_NEAR(std::exp(mix.top[0].logit - mix.log_sum_exp), expected[0], 1e-5);
    for (std::size_t i = 1; i < k; ++i) EXPECT_GE(mix.top[i - 1].logit, mix.top[i].logit);
  }
}

// Whatever a sidecar holds, what comes out are probabilities.
TEST(Mixture, StaysADistributionForWeightsOfAnySize) {
  const Followers followers{{{20, 5}, {2, 7}}};
  const auto occurrences = followers.occurrences();
  const MemoryGuess guess = memory_guess(occurrences);
  kernels::HeadAnswer answer;
  answer.top = {{1, -0.5f}, {2, -3.0f}};
  answer.logits = {-4.0f, -6.0f};
  for (const double size : {1e3, -1e3, 1e300, -1e300}) {
    const auto mix = mixed(answer, guess, {size});
    ASSERT_EQ(mix.top.size(), 2u);
    EXPECT_EQ(mix.top[0].token, size > 0 ? 5 : 1);
    for (const auto& [token, logit] : mix.top) EXPECT_LE(logit, 1e-6f) << token;
    EXPECT_NEAR(std::exp(mix.top[0].logit), size > 0 ? probability_of(guess, 5) : std::exp(-0.5), 1e-6);
  }
}

}  // namespace
}  // namespace hearth::engine
