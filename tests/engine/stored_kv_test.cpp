#include "engine/stored_kv.h"

#include <gtest/gtest.h>

#include "tests/support/simulated_pool.h"
#include "tests/support/temporary_folder.h"

namespace hearth::engine {
namespace {

using kernels::kPageTokens;
using tests::numbers;
using tests::SimulatedPool;
using Tokens = std::vector<TokenId>;
using namespace std::chrono_literals;

Tokens joined(Tokens tokens, const Tokens& more) {
  tokens.insert(tokens.end(), more.begin(), more.end());
  return tokens;
}

// One life of an engine, without the engine.
struct Life {
  explicit Life(const std::filesystem::path& store, std::string computed_by = "model on a device",
                std::uint64_t limit_bytes = 1'000'000, kernels::PageFormat format = kernels::PageFormat::kF16)
      : pool(64, format),
        kv({store, limit_bytes, std::move(computed_by),
            [] { return std::chrono::sys_seconds(std::chrono::seconds(1'000'000)); }},
           tree, pool) {}

  void keep(const std::string& document, const Tokens& tokens) {
    tests::remember(tree, pool, tokens);
    kv.keep(document, "/w", tokens, now);
  }

  void work() {
    while (kv.due() && *kv.due() <= now) kv.work(now);
  }

  // Its store is opened by a thread of its own.
  int wake(const Tokens& tokens) {
    kv.wait_until_open(60s);
    return kv.wake(tokens);
  }

  SimulatedPool pool;
  PrefixTree tree{pool};
  StoredKv::TimePoint now{};
  StoredKv kv;
};

class StoredKvTest : public ::testing::Test {
 protected:
  std::filesystem::path store() const { return folder_ / "kv/kv.db"; }
  testing::TemporaryFolder folder_;
};

TEST_F(StoredKvTest, WakesInALaterLifeWhatWasKept) {
  const Tokens prompt = numbers(3 * kPageTokens + 5);
  { Life(store()).keep("a.py", prompt); }
  Life later(store());
  EXPECT_EQ(later.wake(joined(prompt, numbers(40, 900))), 3 * kPageTokens);
  EXPECT_EQ(later.tree.match(prompt), 3 * kPageTokens) << "whole pages";
  auto path = later.tree.open(prompt);
  tests::expect_kv_of_its_tokens(later.pool, path);
  later.tree.close(path);
  EXPECT_EQ(later.wake(prompt), 0) << "it is there already";
  EXPECT_EQ(later.kv.woken_tokens(), 3U * kPageTokens);
}

TEST_F(StoredKvTest, WakesAsFarAsThePromptIsTheSame) {
  { Life(store()).keep("a.py", numbers(4 * kPageTokens)); }
  Life later(store());
  tests::remember(later.tree, later.pool, numbers(kPageTokens + 3));  // one page and a part are there
  EXPECT_EQ(later.wake(joined(numbers(3 * kPageTokens - 1), numbers(30, 500))), kPageTokens);
  EXPECT_EQ(later.wake(numbers(4 * kPageTokens, 1)), 0);
  EXPECT_EQ(later.wake({}), 0);
}

TEST_F(StoredKvTest, WakesNoPagesOfAnotherFormat) {
  { Life(store()).keep("a.py", numbers(2 * kPageTokens)); }
  Life other(store(), "model on a device", 1'000'000, kernels::PageFormat::kBF16);
  EXPECT_EQ(other.wake(numbers(2 * kPageTokens)), 0);
}

TEST_F(StoredKvTest, WritesWhatHasNotChangedForAMinute) {
  Life life(store());
  life.kv.wait_until_open(60s);
  life.keep("a.py", numbers(2 * kPageTokens));
  life.now += 59s;
  life.work();
  life.keep("a.py", numbers(2 * kPageTokens, 300));  // changed
  EXPECT_EQ(*life.kv.due(), life.now + 60s);
  life.now += 59s;
  life.keep("a.py", numbers(2 * kPageTokens, 300));  // the same again
  life.now += 1s;
  life.work();
  EXPECT_FALSE(life.kv.due());
  life.kv.wait_until_written();
  Life other(store());
  EXPECT_EQ(other.wake(numbers(2 * kPageTokens, 300)), 2 * kPageTokens);
  EXPECT_EQ(other.wake(numbers(2 * kPageTokens)), 0);
}

TEST_F(StoredKvTest, WritesSoonWhatAnotherDocumentHasFollowed) {
  Life life(store());
  life.kv.wait_until_open(60s);
  life.keep("a.py", numbers(kPageTokens));
  life.now += 1s;
  life.keep("b.py", numbers(kPageTokens, 100));
  EXPECT_EQ(*life.kv.due(), life.now + 1s);
  life.now += 1s;
  life.work();
  EXPECT_EQ(*life.kv.due(), life.now + 59s);
  life.kv.wait_until_written();
  Life other(store());
  EXPECT_EQ(other.wake(numbers(kPageTokens)), kPageTokens);
  EXPECT_EQ(other.wake(numbers(kPageTokens, 100)), 0);
}

TEST_F(StoredKvTest, WritesNothingOfWhatIsNotToBeKeptAnyMore) {
  {
    Life life(store());
    life.keep("secret.py", numbers(kPageTokens));
    life.kv.keep("secret.py", "", {}, life.now);
  }
  EXPECT_EQ(Life(store()).wake(numbers(kPageTokens)), 0);
}

TEST_F(StoredKvTest, IsOfNoUseToAnotherModel) {
  { Life(store()).keep("a.py", numbers(kPageTokens)); }
  EXPECT_EQ(Life(store(), "another").wake(numbers(kPageTokens)), 0);
  EXPECT_EQ(Life(store()).wake(numbers(kPageTokens)), kPageTokens);
}

TEST_F(StoredKvTest, StopsAtAPageThatIsBrokenAndMendsIt) {
  const Tokens prompt = numbers(3 * kPageTokens);
  { Life(store()).keep("a.py", prompt); }
  {
    auto database = cache::Database::open(store(), cache::Database::Mode::kReadWrite).value();
    ASSERT_TRUE(database.execute("UPDATE contents SET bytes = zeroblob(length(bytes)) WHERE page = 2"));
  }
  {
    Life mending(store());
    EXPECT_EQ(mending.wake(prompt), kPageTokens);
    mending.kv.wait_until_written();
    mending.keep("a.py", prompt);
  }
  EXPECT_EQ(Life(store()).wake(prompt), 3 * kPageTokens);
}

TEST_F(StoredKvTest, GoesWithoutAStoreThatCannotBeUsed) {
  const Tokens prompt = numbers(kPageTokens);
  Life nowhere("/proc/no/kv.db");
  nowhere.keep("a.py", prompt);
  EXPECT_EQ(nowhere.wake(prompt), 0);
  {
    ASSERT_TRUE(cache::prepare_kv_store(store()));
    auto database = cache::Database::open(store(), cache::Database::Mode::kReadWrite).value();
    ASSERT_TRUE(database.execute("PRAGMA user_version = 1000"));
  }
  Life newer(store());
  newer.keep("a.py", prompt);
  newer.now += 61s;
  newer.work();
  EXPECT_FALSE(newer.kv.due());
}

TEST_F(StoredKvTest, WakesWhatThePoolHasRoomFor) {
  const Tokens prompt = numbers(6 * kPageTokens);
  { Life(store()).keep("a.py", prompt); }
  Life small(store());
  tests::remember(small.tree, small.pool, numbers(61 * kPageTokens, 5000));
  auto pinned = small.tree.open(numbers(61 * kPageTokens, 5000));
  EXPECT_EQ(small.wake(prompt), 3 * kPageTokens);
  small.tree.close(pinned);
}

}  // namespace
}  // namespace hearth::engine
