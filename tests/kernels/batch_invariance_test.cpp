// A row's hidden state and its logits, bit for bit, whatever shares the step with it.
#include <gtest/gtest.h>

#include "tests/kernels/all_devices.h"
#include "tests/kernels/random_model.h"

namespace hearth::kernels {
namespace {

using States = std::vector<std::vector<float>>;

// Feeds three sequences in chunks of `block` rows a sequence, those in `together` in one step.
std::vector<States> run(Device& device, const RandomModel& model,
                        const std::vector<std::vector<std::int32_t>>& texts, std::size_t block,
                        bool together) {
  Runner runner(device, model, 512);
  std::vector<States> states(texts.size());
  std::vector<std::size_t> fed(texts.size());
  for (bool more = true; more;) {
    more = false;
    std::vector<Runner::Part> parts;
    const auto flush = [&] {
      if (parts.empty()) return;
      const States rows = runner.step(parts);
      std::size_t r = 0;
      for (const Runner::Part& part : parts) {
        for (std::size_t i = 0; i < part.tokens.size(); ++i) states[part.sequence].push_back(rows[r++]);
      }
      parts.clear();
    };
    for (std::size_t s = 0; s < texts.size(); ++s) {
      const std::size_t end = std::min(fed[s] + block, texts[s].size());
      if (end == fed[s]) continue;
      parts.push_back({s,
                       {texts[s].begin() + static_cast<std::ptrdiff_t>(fed[s]),
                        texts[s].begin() + static_cast<std::ptrdiff_t>(end)}});
      fed[s] = end;
      more = true;
      if (!together) flush();
    }
    flush();
  }
  return states;
}

void check(const RandomModel& model, const std::vector<std::size_t>& lengths) {
  std::mt19937 random(11);
  std::vector<std::vector<std::int32_t>> texts;
  for (const std::size_t length : lengths)
    texts.push_back(random_tokens(random, length, model.shape.n_vocab));
  ThreadPool one(1), many(3);
  for (const KernelTable* table : all_tables()) {
    const auto alone = make_device_on(*table, one);
    const auto shared = make_device_on(*table, many);
    const auto want = run(*alone, model, texts, 1, false);
    for (const std::size_t block : {2, 3, 7, 8, 13, 128}) {
      EXPECT_EQ(run(*shared, model, texts, block, true), want) << table->name << " blocks of " << block;
    }
    EXPECT_EQ(run(*shared, model, texts, 1, true), want) << table->name << " decoding together";
  }
}

TEST(BatchInvariance, HoldsForEveryWeightType) {
  for (const WeightType type : kAllTypes) {
    SCOPED_TRACE(name(type));
    check(RandomModel(1, odd_shape(type), LayerTypes::all(type)), {70, 33, 9});
  }
}

TEST(BatchInvariance, HoldsAcrossSplitsOfLongSequences) {
  ModelShape shape = odd_shape(WeightType::kF32);
  check(RandomModel(2, shape, LayerTypes::all(WeightType::kF32)), {600, 140});
}

TEST(BatchInvariance, HoldsOnBF16Pages) {
  for (const WeightType type : {WeightType::kQ8_0, WeightType::kF32}) {
    ModelShape shape = odd_shape(type);
    if (type == WeightType::kF32) shape.head_dim = 17;  // blocks do not divide by it
    RandomModel model(8, shape, LayerTypes::all(type));
    model.pages = PageFormat::kBF16;
    check(model, {300, 140, 9});
  }
}

TEST(BatchInvariance, HoldsForManyHeadsOnOneKvHead) {
  ModelShape shape = odd_shape(WeightType::kQ8_0);
  shape.n_heads = 24;
  shape.n_kv_heads = 1;
  using enum WeightType;
  check(RandomModel(3, shape, {kQ8_0, kF16, kQ5_0, kQ4_0, kQ4_1, kQ8_0, kF32}, Extras::kBiases), {40, 21});
}

TEST(BatchInvariance, HoldsForLayerNormsAndHeadNorms) {
  ModelShape shape = odd_shape(WeightType::kQ4_K);
  check(RandomModel(6, shape, LayerTypes::all(WeightType::kQ4_K), Extras::kHeadNorms), {40, 21});
  shape.norm = NormStyle::kLayer;
  shape.activation = Activation::kGelu;
  check(RandomModel(7, shape, LayerTypes::all(WeightType::kQ6_K), Extras::kBiases), {40, 21});
}

TEST(BatchInvariance, HoldsForAnyNumberOfThreads) {
  const RandomModel model(4, odd_shape(WeightType::kQ8_0), LayerTypes::all(WeightType::kQ8_0));
  std::mt19937 random(12);
  const std::vector<std::vector<std::int32_t>> texts{random_tokens(random, 300, model.shape.n_vocab)};
  for (const KernelTable* table : all_tables()) {
    ThreadPool one(1);
    const auto want = run(*make_device_on(*table, one), model, texts, 100, true);
    for (int count = 2; count <= 9; ++count) {
      ThreadPool threads(count);
      EXPECT_EQ(run(*make_device_on(*table, threads), model, texts, 100, true), want) << count << " threads";
    }
  }
}

// What a cancelled step or an earlier owner left in a page must not be seen.
TEST(BatchInvariance, IgnoresWhatPagesHeldBefore) {
  RandomModel model(5, odd_shape(WeightType::kF32), LayerTypes::all(WeightType::kF16));
  ThreadPool threads(2);
  std::mt19937 random(13);
  const auto text = random_tokens(random, 21, model.shape.n_vocab);
  for (const PageFormat format : {PageFormat::kF16, PageFormat::kBF16}) {
    model.pages = format;
    for (const auto& device : all_devices(threads)) {
      Runner fresh(*device, model, 64, 4), used(*device, model, 64, 4);
      used.step({{0, random_tokens(random, 64, model.shape.n_vocab)}});
      for (const PageRef& page : used.sequences()[0].pages) used.pool().release(page.page);
      used.sequences().clear();
      EXPECT_EQ(fresh.step({{0, text}}), used.step({{0, text}})) << device->name();
    }
  }
}

}  // namespace
}  // namespace hearth::kernels
