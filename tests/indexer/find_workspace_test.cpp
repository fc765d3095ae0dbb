#include "indexer/find_workspace.h"

#include <gtest/gtest.h>

#include "cache/store_location.h"
#include "tests/support/temporary_folder.h"

namespace hearth::indexer {
namespace {

namespace fs = std::filesystem;

class FindWorkspace : public ::testing::Test {
 protected:
  FindWorkspace() : base_(fs::canonical(folder_.file("home/me/x", "").parent_path())) {}

  std::optional<fs::path> of(const std::string& file) const {
    return find_workspace(base_ / file, {base_ / "stores", base_});
  }

  testing::TemporaryFolder folder_;
  fs::path base_;  // the home folder
};

TEST_F(FindWorkspace, TakesTheNearestManifestWhereThereIsNothingElse) {
  folder_.file("home/me/a/package.json", "{}");
  folder_.file("home/me/a/b/pyproject.toml", "");
  folder_.file("home/me/a/b/c/x.py", "");
  EXPECT_EQ(base_ / "a/b", of("a/b/c/x.py"));
  EXPECT_EQ(base_ / "a/b", of("a/b/c/new/not_there.py"));
  EXPECT_EQ(base_ / "a", of("a/x.js"));
  EXPECT_EQ(std::nullopt, of("elsewhere/x.py"));
}

TEST_F(FindWorkspace, PrefersARepositoryToManifestsAndAStoreToAll) {
  folder_.file("home/me/a/.git/HEAD", "");
  folder_.file("home/me/a/b/pyproject.toml", "");
  EXPECT_EQ(base_ / "a", of("a/b/x.py"));
  ASSERT_TRUE(cache::prepare_store(cache::store_path(base_ / "stores", base_ / "a/b")));
  EXPECT_EQ(base_ / "a/b", of("a/b/x.py"));
  EXPECT_EQ(base_ / "a", of("a/x.py"));
}

TEST_F(FindWorkspace, NeverTakesTheHomeFolder) {
  folder_.file("home/me/package.json", "{}");
  EXPECT_EQ(std::nullopt, of("x.js"));
  EXPECT_EQ(std::nullopt, of("b/x.js"));
}

TEST_F(FindWorkspace, FollowsLinksOnTheWayToAFile) {
  folder_.file("home/me/a/package.json", "{}");
  fs::create_directory_symlink(base_ / "a", base_ / "link");
  EXPECT_EQ(base_ / "a", of("link/x.js"));
  EXPECT_EQ("x.js", path_in(base_ / "a", base_ / "link/x.js"));
  EXPECT_EQ(std::nullopt, path_in(base_ / "a", base_ / "b/x.js"));
}

}  // namespace
}  // namespace hearth::indexer
