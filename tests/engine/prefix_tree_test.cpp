#include "engine/prefix_tree.h"

#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include "tests/support/simulated_pool.h"

namespace hearth::engine {
namespace {

using kernels::kPageTokens;
using tests::compute;
using tests::expect_kv_of_its_tokens;
using tests::numbers;
using tests::remember;
using tests::SimulatedPool;

TEST(PrefixTree, FindsNothingWhenEmpty) {
  SimulatedPool pool(8);
  PrefixTree tree(pool);
  EXPECT_EQ(tree.match(numbers(40)), 0);
  auto path = tree.open(numbers(40));
  EXPECT_EQ(path.size(), 0);
  tree.close(path);
  EXPECT_EQ(pool.in_use(), 0);
}

TEST(PrefixTree, MatchesTokenByTokenInsideAPage) {
  SimulatedPool pool(8);
  PrefixTree tree(pool);
  remember(tree, pool, numbers(40));
  EXPECT_EQ(tree.match(numbers(40)), 40);
  EXPECT_EQ(tree.match(numbers(25)), 25);
  auto other = numbers(40);
  other[20] = 999;
  EXPECT_EQ(tree.match(other), 20);
}

TEST(PrefixTree, CopiesAPageThatIsSharedInPart) {
  SimulatedPool pool(8);
  PrefixTree tree(pool);
  remember(tree, pool, numbers(32));
  auto other = numbers(32);
  other[20] = 999;
  auto path = tree.open(other);
  EXPECT_EQ(path.size(), 20);
  ASSERT_TRUE(compute(tree, pool, path, std::span(other).subspan(20)));
  expect_kv_of_its_tokens(pool, path);
  tree.close(path);
  EXPECT_EQ(tree.match(numbers(32)), 32);
  EXPECT_EQ(tree.match(other), 32);
  EXPECT_EQ(pool.in_use(), 3);  // one shared, two that diverge
}

TEST(PrefixTree, GrowsALeafWithoutKeepingItsShorterSelf) {
  SimulatedPool pool(8);
  PrefixTree tree(pool);
  for (int n = 1; n <= 12; ++n) remember(tree, pool, numbers(n));
  EXPECT_EQ(pool.in_use(), 1);
}

TEST(PrefixTree, ShowsNothingThatWasNotCommitted) {
  SimulatedPool pool(8);
  PrefixTree tree(pool);
  auto path = tree.open(numbers(30));
  ASSERT_TRUE(tree.reserve(path, 30));
  EXPECT_EQ(tree.match(numbers(30)), 0);
  tree.close(path);
  EXPECT_EQ(tree.match(numbers(30)), 0);
  EXPECT_EQ(pool.in_use(), 0);
}

TEST(PrefixTree, EvictsTheLeastRecentlyUsedLeaf) {
  SimulatedPool pool(3);
  PrefixTree tree(pool);
  remember(tree, pool, numbers(16, 100));
  remember(tree, pool, numbers(16, 200));
  remember(tree, pool, numbers(16, 300));
  auto path = tree.open(numbers(16, 100));  // used again
  tree.close(path);
  remember(tree, pool, numbers(16, 400));
  EXPECT_EQ(tree.match(numbers(16, 200)), 0);
  EXPECT_EQ(tree.match(numbers(16, 100)), 16);
  EXPECT_EQ(tree.match(numbers(16, 300)), 16);
}

TEST(PrefixTree, NeverEvictsWhatIsPinned) {
  SimulatedPool pool(2);
  PrefixTree tree(pool);
  remember(tree, pool, numbers(32));
  auto pinned = tree.open(numbers(32));
  auto other = tree.open(numbers(16, 500));
  EXPECT_FALSE(tree.reserve(other, 1));
  expect_kv_of_its_tokens(pool, pinned);
  tree.close(pinned);
  EXPECT_TRUE(tree.reserve(other, 1));
  tree.close(other);
}

TEST(PrefixTree, TellsWhatFollowedLast) {
  SimulatedPool pool(16);
  PrefixTree tree(pool);
  remember(tree, pool, numbers(40));
  auto other = numbers(40);
  for (int i = 30; i < 40; ++i) other[i] += 1000;
  remember(tree, pool, other);
  auto path = tree.open(numbers(28));
  EXPECT_EQ(tree.continuation(path, 4), (std::vector<TokenId>{28, 29, 1030, 1031}));
  tree.close(path);
}

TEST(PrefixTree, HoldsTheRightKvUnderRandomUse) {
  std::mt19937 random(7);
  const auto below = [&](int n) { return static_cast<int>(random() % n); };
  SimulatedPool pool(24);
  {
    PrefixTree tree(pool);
    std::vector<PrefixTree::Path> open;
    for (int round = 0; round < 20000; ++round) {
      const int action = below(10);
      if (action < 3 && open.size() < 4) {
        std::vector<TokenId> tokens(below(80));
        for (auto& token : tokens) token = below(20) == 0 ? 1 : 0;  // few values: much is shared
        const int cached = tree.match(tokens);
        open.push_back(tree.open(tokens));
        ASSERT_GE(cached, open.back().size());
        ASSERT_TRUE(std::equal(open.back().tokens().begin(), open.back().tokens().end(), tokens.begin()));
      } else if (!open.empty()) {
        auto& path = open[below(static_cast<int>(open.size()))];
        if (action < 6) {
          std::vector<TokenId> more(1 + below(20));
          for (auto& token : more) token = below(20) == 0 ? 1 : 0;
          compute(tree, pool, path, more);
        } else if (action == 6) {
          tree.reserve(path, below(30));
        } else if (action == 7 && open.size() < 4) {
          if (auto twin = tree.fork(path)) open.push_back(std::move(*twin));
        } else {
          expect_kv_of_its_tokens(pool, path);
          tree.close(path);
          std::swap(path, open.back());
          open.pop_back();
        }
      }
      for (const auto& path : open) expect_kv_of_its_tokens(pool, path);
    }
    for (auto& path : open) tree.close(path);
    EXPECT_EQ(pool.in_use(), tree.pages());
  }
}

}  // namespace
}  // namespace hearth::engine
