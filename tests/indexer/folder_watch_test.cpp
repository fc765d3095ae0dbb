#include "indexer/folder_watch.h"

#include <gtest/gtest.h>
#include <thread>

#include "tests/support/temporary_folder.h"

namespace hearth::indexer {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using Paths = std::vector<std::string>;

constexpr milliseconds kPatience{20'000};  // until the test has failed

class FolderWatches : public ::testing::Test {
 protected:
  FolderWatches() {
    folder_.file("root/a/b/deep.py", "");
    folder_.file("root/node_modules/x/y.js", "");
  }

  fs::path root() const { return folder_ / "root"; }

  Result<FolderWatch> watch(std::size_t budget = 100) const {
    return FolderWatch::open({.root = root(), .global_excludes = {}, .enter = {}}, budget, {});
  }

  testing::TemporaryFolder folder_;
};

TEST_F(FolderWatches, TellOfFilesThatComeChangeAndGo) {
  auto watch = this->watch().value();
  EXPECT_EQ(3u, watch.folders());  // not of installed packages
  EXPECT_FALSE(watch.is_partial());
  folder_.file("root/a/b/deep.py", "changed");
  folder_.file("root/new.py", "x");
  auto changes = watch.wait(kPatience, {});
  ASSERT_TRUE(changes);
  EXPECT_EQ((Paths{"a/b/deep.py", "new.py"}), changes->paths);
  EXPECT_FALSE(changes->whole);
  fs::rename(root() / "new.py", root() / "a/other.py");
  changes = watch.wait(kPatience, {});
  ASSERT_TRUE(changes);
  EXPECT_EQ((Paths{"a/other.py", "new.py"}), changes->paths);
  folder_.file("root/node_modules/x/z.js", "");
  EXPECT_FALSE(watch.wait(milliseconds(300), {}));
}

TEST_F(FolderWatches, WatchNewFoldersToo) {
  auto watch = this->watch().value();
  folder_.file("root/c/d/first.py", "");
  auto changes = watch.wait(kPatience, {});
  ASSERT_TRUE(changes);
  EXPECT_TRUE(changes->whole);
  folder_.file("root/c/d/second.py", "");
  changes = watch.wait(kPatience, {});
  ASSERT_TRUE(changes);
  EXPECT_EQ(Paths{"c/d/second.py"}, changes->paths);
}

TEST_F(FolderWatches, TellThatTheRootIsGone) {
  auto watch = this->watch().value();
  fs::rename(root(), folder_ / "elsewhere");
  const auto changes = watch.wait(kPatience, {});
  ASSERT_TRUE(changes);
  EXPECT_TRUE(changes->root_gone);
  const auto gone = this->watch();
  ASSERT_FALSE(gone);
  EXPECT_NE(std::string::npos, gone.error().message.find(root().string()));
}

TEST_F(FolderWatches, KeepToTheirBudgetAndSaySo) {
  auto watch = this->watch(2).value();
  EXPECT_EQ(2u, watch.folders());
  EXPECT_TRUE(watch.is_partial());
  const auto now = std::chrono::steady_clock::now();
  EXPECT_GT(watch.limit_since(now), milliseconds(0));
  EXPECT_LE(watch.limit_since(now), kLookAgain);
  EXPECT_EQ(milliseconds(0), watch.limit_since(now - kLookAgain));
  EXPECT_FALSE(watch.wait(milliseconds(1), {}));
  EXPECT_EQ(2u, watch.folders());
  fs::remove_all(root() / "a/b");
  while (watch.is_partial()) ASSERT_TRUE(watch.wait(kPatience, {}));
  EXPECT_EQ(std::nullopt, watch.limit_since(now));
}

TEST_F(FolderWatches, WaitWithoutAnyWatch) {
  auto watch = this->watch(0).value();
  EXPECT_EQ(0u, watch.folders());
  EXPECT_TRUE(watch.is_partial());
  folder_.file("root/new.py", "");
  EXPECT_FALSE(watch.wait(milliseconds(10), {}));
}

TEST_F(FolderWatches, EndWhenTheyAreStopped) {
  auto watch = this->watch().value();
  std::stop_source stop;
  std::jthread other([&] { stop.request_stop(); });
  EXPECT_FALSE(watch.wait(std::nullopt, stop.get_token()));
}

}  // namespace
}  // namespace hearth::indexer
