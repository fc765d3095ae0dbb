#include "engine/memory_calibration.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

#include "tests/support/test_model.h"

namespace hearth::engine {
namespace {

// Samples of a world where the memory is right as often as its true weights say.
std::vector<MixtureSample> samples_of(const MixtureWeights& truth, int count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<MixtureSample> samples;
  for (int i = 0; i < count; ++i) {
    MixtureSample sample;
    sample.figures[0] = 1;
    for (std::size_t f = 1; f < kMixtureFigures; ++f) sample.figures[f] = uniform(random);
    const bool memory_is_right = uniform(random) < memory_share(truth, sample.figures);
    sample.memory = memory_is_right ? 0.9 : 0.01;
    sample.model = memory_is_right ? 0.01 : 0.9;
    samples.push_back(sample);
  }
  return samples;
}

TEST(FitMixture, FindsWeightsAsGoodAsTheTrueOnes) {
  const MixtureWeights truth{-2, 3, 0, 0, 1, 0, 0, 0, -1, 0};
  const auto seen = samples_of(truth, 4000, 1), unseen = samples_of(truth, 4000, 2);
  const MixtureWeights start{};
  const MixtureWeights fitted = fit_mixture(seen, start);
  EXPECT_GT(mean_log_likelihood(unseen, fitted), mean_log_likelihood(unseen, start));
  EXPECT_NEAR(mean_log_likelihood(unseen, fitted), mean_log_likelihood(unseen, truth), 0.01);
}

TEST(FitMixture, StaysAtTheStartWithoutSamples) {
  const MixtureWeights start{1, 2, 3};
  EXPECT_EQ(fit_mixture({}, start), start);
}

TEST(MixtureSampler, AsksModelAndMemoryAboutTheTokensThatCame) {
  kernels::ThreadPool pool(1);
  const testing::TestModel model({}, kernels::make_cpu_device(pool));
  WorkspaceMemory memory(model.model().tokenizer(), 1 << 20);
  memory.remember({"other", 1, {{0, 0, "total = first_value + 12\nreturn total\n"}}});
  while (memory.work(WorkspaceMemory::Urgency::kAll)) {
  }
  MixtureSampler sampler(model.model(), memory);
  const CalibrationText text{"mine", {}, "x = 1\ntotal = first_value + 12\nreturn total", "\n"};
  const auto samples = sampler.sample(text, 12);
  ASSERT_GT(samples.size(), 5u);
  for (const MixtureSample& sample : samples) {
    EXPECT_GT(sample.memory, 0.5) << "the other document says the same";
    EXPECT_GT(sample.model, 0);
    EXPECT_LT(sample.model, 1);
  }
  EXPECT_EQ(mean_log_likelihood(samples, no_mixture()), mean_log_likelihood_of_model(samples));
  EXPECT_GT(mean_log_likelihood(samples, {100}), mean_log_likelihood_of_model(samples));
  CalibrationText masked = text;
  masked.masked = {"other"};
  EXPECT_LT(sampler.sample(masked, 12).size(), samples.size());
}

}  // namespace
}  // namespace hearth::engine
