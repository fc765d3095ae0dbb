#include <gtest/gtest.h>
#include <set>

#include "kernels/reference/reference_device.h"
#include "tests/kernels/all_devices.h"
#include "tests/kernels/random_model.h"

namespace hearth::kernels {
namespace {

constexpr PageFormat kFormats[] = {PageFormat::kF16, PageFormat::kBF16};

std::vector<std::unique_ptr<Device>> every_device(ThreadPool& threads) {
  auto devices = all_devices(threads);
  devices.push_back(make_reference_device());
  return devices;
}

TEST(PagePool, HandsOutEveryPageOnceAndTakesThemBack) {
  ThreadPool threads(1);
  for (const auto& device : every_device(threads)) {
    const auto pool = device->make_page_pool(odd_shape(WeightType::kF32), PageFormat::kF16, 5);
    EXPECT_EQ(pool->capacity(), 5);
    EXPECT_GT(pool->page_bytes(), 0U);
    std::set<PageId> pages;
    for (int i = 0; i < 5; ++i) pages.insert(pool->allocate().value());
    EXPECT_EQ(pages.size(), 5U);
    EXPECT_EQ(pool->in_use(), 5);
    EXPECT_EQ(pool->allocate(), std::nullopt);
    pool->release(*pages.begin());
    EXPECT_EQ(pool->in_use(), 4);
    EXPECT_EQ(pool->allocate(), *pages.begin());
  }
}

TEST(PagePool, AHugeReservationCostsNothingUntilItIsTouched) {
  ThreadPool threads(1);
  ModelShape shape = odd_shape(WeightType::kF32);
  shape.n_layers = 30;
  const auto device = make_cpu_device(threads);
  const auto pool = device->make_page_pool(shape, PageFormat::kF16, 1 << 20);
  EXPECT_EQ(pool->capacity(), 1 << 20);
  EXPECT_TRUE(pool->allocate().has_value());
}

// A branch that copies part of a page goes on as if it had been computed from the start.
TEST(PagePool, ACopiedPageServesABranch) {
  ModelShape shape = odd_shape(WeightType::kF32);
  shape.n_layers = 2;
  RandomModel model(1, shape, LayerTypes::all(WeightType::kF32));
  ThreadPool threads(2);
  std::mt19937 random(2);
  const auto trunk = random_tokens(random, 16 + 9, shape.n_vocab);
  const auto rest = random_tokens(random, 7, shape.n_vocab);
  const auto branch = random_tokens(random, 12, shape.n_vocab);
  for (const PageFormat format : kFormats) {
    model.pages = format;
    for (const auto& device : every_device(threads)) {
      Runner whole(*device, model);
      whole.step({{0, trunk}});
      const auto want = whole.step({{0, branch}});

      Runner runner(*device, model);
      runner.step({{0, trunk}});
      runner.step({{0, rest}});
      const std::vector<PageRef> old = runner.sequences()[0].pages;
      const PageId copy = runner.pool().allocate().value();
      runner.pool().copy(old[1].page, copy, 9);
      runner.sequences().push_back({{old[0], {.page = copy, .first_position = 16}}, 25});
      EXPECT_EQ(runner.step({{1, branch}}), want) << device->name();
    }
  }
}

// What is read from one pool and written into another goes on as if it had been computed there.
TEST(PagePool, TakesTheBytesOfAnothersPages) {
  ModelShape shape = odd_shape(WeightType::kF32);
  shape.n_layers = 2;
  RandomModel model(1, shape, LayerTypes::all(WeightType::kF32));
  ThreadPool threads(2);
  std::mt19937 random(2);
  const auto trunk = random_tokens(random, 2 * kPageTokens, shape.n_vocab);
  const auto branch = random_tokens(random, 12, shape.n_vocab);
  for (const PageFormat format : kFormats) {
    model.pages = format;
    for (const auto& device : every_device(threads)) {
      Runner whole(*device, model);
      EXPECT_EQ(whole.pool().format(), format);
      whole.step({{0, trunk}});
      std::vector<std::vector<std::byte>> bytes;
      for (const PageRef& page : whole.sequences()[0].pages) {
        whole.pool().read(page.page, bytes.emplace_back(whole.pool().page_bytes()));
      }
      const auto want = whole.step({{0, branch}});

      Runner other(*device, model);
      std::vector<PageRef> pages;
      for (const auto& page : bytes) {
        const PageId id = other.pool().allocate().value();
        other.pool().write(id, page);
        const auto first = static_cast<std::uint32_t>(pages.size()) * kPageTokens;
        pages.push_back({.page = id, .first_position = first});
      }
      other.sequences().push_back({pages, 2 * kPageTokens});
      EXPECT_EQ(other.step({{0, branch}}), want) << device->name();
    }
  }
}

}  // namespace
}  // namespace hearth::kernels
