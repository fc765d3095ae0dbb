#include "lsp/root_indexer.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <fstream>
#include <gtest/gtest.h>
#include <optional>

#include "cache/store_location.h"
#include "tests/support/full_disk.h"
#include "tests/support/temporary_folder.h"

namespace hearth::lsp {
namespace {

namespace fs = std::filesystem;
using Kind = IndexNews::Kind;

constexpr std::chrono::seconds kPatience{60};  // until the test has failed

class RootIndexing : public ::testing::Test {
 protected:
  RootIndexing() {
    folder_.file("shop/a.py", "A = 1\n");
    options_.index.root = fs::canonical(folder_ / "shop");
    options_.store = folder_ / "stores/shop.db";
    options_.writer.now = [this] { return std::chrono::sys_seconds(std::chrono::seconds(seconds_)); };
    options_.writer.patience = std::chrono::milliseconds(10);
    options_.watches = 100;
    options_.try_again = std::chrono::milliseconds(10);
  }

  void start() {
    indexer_.emplace(options_, [this](IndexNews news) {
      const std::lock_guard lock(mutex_);
      heard_.push_back(std::move(news));
      told_.notify_all();
    });
  }

  std::optional<IndexNews> wait_for(Kind kind) {
    const auto found = [&] { return std::ranges::find(heard_, kind, &IndexNews::kind); };
    std::unique_lock lock(mutex_);
    if (!told_.wait_for(lock, kPatience, [&] { return found() != heard_.end(); })) return std::nullopt;
    return *found();
  }

  void forget() {
    const std::lock_guard lock(mutex_);
    heard_.clear();
  }

  cache::Database store() const {
    return cache::Database::open(options_.store, cache::Database::Mode::kReadWrite).value();
  }

  testing::TemporaryFolder folder_;
  std::atomic<int> seconds_ = 7;
  RootIndexerOptions options_;
  std::mutex mutex_;
  std::condition_variable told_;
  std::vector<IndexNews> heard_;  // guarded by mutex_
  std::optional<RootIndexer> indexer_;
};

TEST_F(RootIndexing, IsTriedAgainAfterAnotherConnectionHadTheStoreLocked) {
  ASSERT_TRUE(cache::prepare_store(options_.store));
  {
    auto other = store();
    const auto locked = cache::Transaction::begin(other);
    ASSERT_TRUE(locked);
    start();
    EXPECT_TRUE(wait_for(Kind::kElsewhere));
  }
  EXPECT_TRUE(wait_for(Kind::kDone));
}

TEST_F(RootIndexing, GoesOnWhenAFullDiskHasRoomAgain) {
  start();
  ASSERT_TRUE(wait_for(Kind::kDone));
  {
    const testing::FullDisk full;
    folder_.file("shop/b.py", "B = 1\n");
    const auto failed = wait_for(Kind::kFailed);
    ASSERT_TRUE(failed);
    EXPECT_NE(std::string::npos,
              failed->message.find(options_.store.string() + ": database or disk is full"));
    folder_.file("shop/c.py", "C = 1\n");
    forget();
    const auto again = wait_for(Kind::kFailed);
    ASSERT_TRUE(again);
    EXPECT_NE(std::string::npos, again->message.find("full")) << again->message;
    forget();
  }
  EXPECT_TRUE(wait_for(Kind::kDone));
  indexer_.reset();
  EXPECT_EQ(3, store().integer("SELECT count(*) FROM files").value());
}

TEST_F(RootIndexing, TakesAWorkspaceUpAgainThatComesBack) {
  start();
  ASSERT_TRUE(wait_for(Kind::kDone));
  fs::rename(options_.index.root, folder_ / "elsewhere");
  const auto failed = wait_for(Kind::kFailed);
  ASSERT_TRUE(failed);
  EXPECT_NE(std::string::npos, failed->message.find(options_.index.root.string()));
  forget();
  folder_.file("elsewhere/b.py", "B = 1\n");
  fs::rename(folder_ / "elsewhere", options_.index.root);
  EXPECT_TRUE(wait_for(Kind::kDone));
  indexer_.reset();
  EXPECT_EQ(2, store().integer("SELECT count(*) FROM files").value());
}

TEST_F(RootIndexing, TellsOfACorruptStoreThatItSetAside) {
  fs::create_directories(options_.store.parent_path());
  std::ofstream(options_.store) << "no database at all, and longer than its header would have to be, too";
  start();
  const auto notice = wait_for(Kind::kNotice);
  ASSERT_TRUE(notice);
  EXPECT_NE(std::string::npos, notice->message.find("shop.db-aside"));
  EXPECT_TRUE(wait_for(Kind::kDone));
}

TEST_F(RootIndexing, TellsThatNotAllFoldersAreWatched) {
  options_.watches = 0;
  start();
  const auto notice = wait_for(Kind::kNotice);
  ASSERT_TRUE(notice);
  EXPECT_NE(std::string::npos, notice->message.find("watches"));
}

TEST_F(RootIndexing, NotesWhichFilesWereUsed) {
  start();
  ASSERT_TRUE(wait_for(Kind::kDone));
  seconds_ = 99;
  indexer_->use("a.py");
  indexer_->use("never.py");
  indexer_.reset();
  EXPECT_EQ(99, store().integer("SELECT used_at FROM files WHERE path = 'a.py'").value());
}

}  // namespace
}  // namespace hearth::lsp
