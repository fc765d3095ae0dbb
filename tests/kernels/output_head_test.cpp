#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include "kernels/reference/reference_device.h"
#include "tests/kernels/all_devices.h"
#include "tests/kernels/random_model.h"

namespace hearth::kernels {
namespace {

// The CPU's devices and the reference must answer alike: both are held to brute force over the logits
// they give themselves when asked for every id.
std::vector<std::unique_ptr<Device>> devices_to_ask(ThreadPool& threads) {
  auto devices = all_devices(threads);
  devices.push_back(make_reference_device());
  return devices;
}

struct Mask {
  explicit Mask(int n_vocab) : words(static_cast<std::size_t>(n_vocab + 63) / 64) {}
  void allow(std::size_t token) { words[token / 64] |= std::uint64_t{1} << token % 64; }
  bool allows(std::size_t token) const { return words.empty() || (words[token / 64] >> token % 64 & 1) != 0; }
  std::vector<std::uint64_t> words;
};

HeadAnswer brute_force(const std::vector<float>& logits, const Mask& mask, int k) {
  HeadAnswer answer;
  double sum = 0, weighted = 0, max = -std::numeric_limits<double>::infinity();
  for (std::size_t t = 0; t < logits.size(); ++t) {
    if (!mask.allows(t)) continue;
    answer.top.push_back({static_cast<std::int32_t>(t), logits[t]});
    max = std::max(max, static_cast<double>(logits[t]));
  }
  std::stable_sort(answer.top.begin(), answer.top.end(), [](auto& a, auto& b) { return a.logit > b.logit; });
  for (const TokenLogit& token : answer.top) {
    const double above = static_cast<double>(token.logit) - max;
    sum += std::exp(above);
    weighted += std::exp(above) * above;
  }
  answer.log_sum_exp = static_cast<float>(max + std::log(sum));
  answer.entropy = static_cast<float>(std::log(sum) - weighted / sum);
  if (answer.top.size() > static_cast<std::size_t>(k)) answer.top.resize(static_cast<std::size_t>(k));
  return answer;
}

void expect_like(const HeadAnswer& got, const HeadAnswer& want) {
  ASSERT_EQ(got.top.size(), want.top.size());
  for (std::size_t i = 0; i < want.top.size(); ++i) {
    EXPECT_EQ(got.top[i].token, want.top[i].token) << "place " << i;
    EXPECT_EQ(got.top[i].logit, want.top[i].logit) << "place " << i;
  }
  EXPECT_NEAR(got.log_sum_exp, want.log_sum_exp, 1e-5 * std::fabs(want.log_sum_exp) + 1e-5);
  EXPECT_NEAR(got.entropy, want.entropy, 2e-5);
}

struct Asked {
  Runner runner;
  std::vector<std::vector<float>> logits;  // by row
};

Asked ask_all(Device& device, const RandomModel& model, std::size_t rows) {
  Asked asked{Runner(device, model), {}};
  std::mt19937 random(3);
  asked.runner.step({{0, random_tokens(random, rows, model.shape.n_vocab)}});
  std::vector<std::int32_t> ids(static_cast<std::size_t>(model.shape.n_vocab));
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<std::int32_t>(ids.size() - 1 - i);
  std::vector<HeadQuery> queries;
  for (std::uint32_t r = 0; r < rows; ++r) queries.push_back({.row = r, .allowed = {}, .k = 0, .ids = ids});
  for (HeadAnswer& answer : asked.runner.head(queries)) {
    EXPECT_TRUE(answer.top.empty());
    std::reverse(answer.logits.begin(), answer.logits.end());
    asked.logits.push_back(std::move(answer.logits));
  }
  return asked;
}

TEST(OutputHead, AnswersLikeBruteForceWithAndWithoutMasks) {
  ModelShape shape = odd_shape(WeightType::kQ8_0);
  shape.n_vocab = 2501;  // two whole chunks and a bit
  for (const WeightType type : {WeightType::kF32, WeightType::kQ8_0, WeightType::kQ4_1}) {
    const RandomModel model(1, shape, LayerTypes::all(type));
    ThreadPool threads(3);
    for (const auto& device : devices_to_ask(threads)) {
      SCOPED_TRACE(device->name());
      Asked asked = ask_all(*device, model, 6);
      Mask all(0), some(shape.n_vocab), few(shape.n_vocab);
      for (std::size_t t = 0; t < 2501; t += 7) some.allow(t);
      for (const std::size_t t : {63, 64, 1024, 2500}) few.allow(t);
      std::vector<HeadQuery> queries;
      std::vector<HeadAnswer> want;
      const Mask* masks[] = {&all, &some, &few};
      for (std::uint32_t i = 0; i < 6; ++i) {
        const std::uint32_t row = 5 - i;
        const int k = i == 0 ? 1 : static_cast<int>(9 * i);
        queries.push_back({.row = row, .allowed = masks[i % 3]->words, .k = k, .ids = {}});
        want.push_back(brute_force(asked.logits[row], *masks[i % 3], k));
      }
      const auto got = asked.runner.head(queries);
      for (std::size_t i = 0; i < got.size(); ++i) expect_like(got[i], want[i]);
    }
  }
}

TEST(OutputHead, GivesLogitsOfIdsWhateverIsAllowed) {
  const RandomModel model(2, odd_shape(WeightType::kQ8_0), LayerTypes::all(WeightType::kF16));
  ThreadPool threads(2);
  for (const auto& device : devices_to_ask(threads)) {
    Asked asked = ask_all(*device, model, 1);
    Mask mask(model.shape.n_vocab);
    mask.allow(5);
    const std::vector<std::int32_t> ids{1100, 4, 5, 4, 1023, 1024};
    const auto answer = asked.runner.head({{.row = 0, .allowed = mask.words, .k = 3, .ids = ids}}).front();
    ASSERT_EQ(answer.logits.size(), ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i) {
      EXPECT_EQ(answer.logits[i], asked.logits[0][static_cast<std::size_t>(ids[i])]);
    }
    ASSERT_EQ(answer.top.size(), 1U);
    EXPECT_EQ(answer.top[0].token, 5);
    EXPECT_NEAR(answer.entropy, 0.0f, 1e-6f);
  }
}

TEST(OutputHead, BreaksTiesByTheLowerId) {
  ModelShape shape = odd_shape(WeightType::kF32);
  shape.n_vocab = 3000;
  RandomModel model(3, shape, LayerTypes::all(WeightType::kF32));
  // Every row of the output matrix is one of five: six hundred tokens share each logit.
  const std::size_t stride = row_bytes(WeightType::kF32, 50);
  for (std::size_t t = 5; t < 3000; ++t) {
    std::copy_n(model.embedding.bytes.begin() + static_cast<std::ptrdiff_t>(t % 5 * stride), stride,
                model.embedding.bytes.begin() + static_cast<std::ptrdiff_t>(t * stride));
  }
  ThreadPool threads(3);
  for (const auto& device : devices_to_ask(threads)) {
    Asked asked = ask_all(*device, model, 1);
    const auto answer = asked.runner.head({{.row = 0, .allowed = {}, .k = 50, .ids = {}}}).front();
    expect_like(answer, brute_force(asked.logits[0], Mask(0), 50));
  }
}

TEST(OutputHead, NothingAllowedIsAnEmptyAnswer) {
  const RandomModel model(4, odd_shape(WeightType::kF32), LayerTypes::all(WeightType::kF32));
  ThreadPool threads(2);
  for (const auto& device : devices_to_ask(threads)) {
    Asked asked = ask_all(*device, model, 1);
    const Mask none(model.shape.n_vocab);
    const auto answer = asked.runner.head({{.row = 0, .allowed = none.words, .k = 4, .ids = {}}}).front();
    EXPECT_TRUE(answer.top.empty());
    EXPECT_EQ(answer.log_sum_exp, -std::numeric_limits<float>::infinity());
    EXPECT_EQ(answer.entropy, 0.0f);
  }
}

TEST(OutputHead, AnswersDoNotDependOnThreadsOrCompany) {
  ModelShape shape = odd_shape(WeightType::kQ8_0);
  shape.n_vocab = 5000;
  const RandomModel model(5, shape, LayerTypes::all(WeightType::kQ8_0));
  for (const KernelTable* table : all_tables()) {
    std::vector<HeadAnswer> first;
    for (const int count : {1, 2, 5}) {
      ThreadPool threads(count);
      const auto device = make_device_on(*table, threads);
      Asked asked = ask_all(*device, model, 7);
      std::vector<HeadQuery> queries;
      for (std::uint32_t r = 0; r < 7; ++r) queries.push_back({.row = r, .allowed = {}, .k = 10, .ids = {}});
      const auto together = asked.runner.head(queries);
      if (first.empty()) first = together;
      for (std::uint32_t r = 0; r < 7; ++r) {
        const HeadAnswer alone = asked.runner.head({queries[r]}).front();
        for (const HeadAnswer* answer : {&alone, &together[r]}) {
          EXPECT_EQ(answer->log_sum_exp, first[r].log_sum_exp);
          EXPECT_EQ(answer->entropy, first[r].entropy);
          for (std::size_t i = 0; i < 10; ++i) {
            EXPECT_EQ(answer->top[i].token, first[r].top[i].token);
            EXPECT_EQ(answer->top[i].logit, first[r].top[i].logit);
          }
        }
      }
    }
  }
}

TEST(OutputHead, TakesMoreQueriesThanTheWorkspaceHasRows) {
  const RandomModel model(6, odd_shape(WeightType::kQ8_0), LayerTypes::all(WeightType::kQ5_0));
  ThreadPool threads(2);
  for (const auto& device : devices_to_ask(threads)) {
    Runner runner(*device, model, 3);
    runner.step({{0, {1, 2, 3}}});
    std::vector<HeadQuery> queries;
    for (std::uint32_t i = 0; i < 8; ++i) queries.push_back({.row = i % 3, .allowed = {}, .k = 2, .ids = {}});
    const auto answers = runner.head(queries);
    ASSERT_EQ(answers.size(), 8U);
    for (std::size_t i = 3; i < 8; ++i) {
      EXPECT_EQ(answers[i].top[0].token, answers[i - 3].top[0].token);
      EXPECT_EQ(answers[i].log_sum_exp, answers[i - 3].log_sum_exp);
    }
  }
}

}  // namespace
}  // namespace hearth::kernels
