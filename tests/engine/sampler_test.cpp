#include "engine/sampler.h"

#include <cmath>
#include <gtest/gtest.h>
#include <map>

namespace hearth::engine {
namespace {

kernels::HeadAnswer answer(std::vector<kernels::TokenLogit> top) {
  double sum = 0;
  for (const auto& t : top) sum += std::exp(t.logit);
  return {.top = std::move(top), .log_sum_exp = static_cast<float>(std::log(sum))};
}

TEST(Sampler, TakesTheBestWhenGreedy) {
  std::mt19937_64 random(1);
  const auto sampled = sample({}, answer({{7, 2.0f}, {3, 1.0f}}), {}, random);
  ASSERT_TRUE(sampled);
  EXPECT_EQ(sampled->token, 7);
  EXPECT_NEAR(std::exp(sampled->log_probability), 1 / (1 + std::exp(-1.0)), 1e-6);
}

TEST(Sampler, HasNoAnswerWhenNothingIsAllowed) {
  std::mt19937_64 random(1);
  EXPECT_FALSE(sample({}, answer({}), {}, random));
}

TEST(Sampler, PenalisesWhatWasSeen) {
  std::mt19937_64 random(1);
  const std::vector<TokenId> seen = {7};
  EXPECT_EQ(sample({.repetition_penalty = 3}, answer({{7, 2.0f}, {3, 1.0f}}), seen, random)->token, 3);
  EXPECT_EQ(sample({.repetition_penalty = 3}, answer({{7, -1.0f}, {3, -2.0f}}), seen, random)->token, 3);
}

TEST(Sampler, FollowsTheTemperatureAndTheNucleus) {
  std::mt19937_64 random(1);
  const auto a = answer({{1, std::log(6.0f)}, {2, std::log(3.0f)}, {3, std::log(1.0f)}});
  std::map<TokenId, int> counts;
  for (int i = 0; i < 20000; ++i) ++counts[sample({.temperature = 1}, a, {}, random)->token];
  EXPECT_NEAR(counts[1] / 20000.0, 0.6, 0.02);
  EXPECT_NEAR(counts[3] / 20000.0, 0.1, 0.02);
  counts.clear();
  for (int i = 0; i < 20000; ++i) ++counts[sample({.temperature = 1, .top_p = 0.8}, a, {}, random)->token];
  EXPECT_EQ(counts.count(3), 0u);
  EXPECT_NEAR(counts[1] / 20000.0, 6.0 / 9, 0.02);
}

}  // namespace
}  // namespace hearth::engine
