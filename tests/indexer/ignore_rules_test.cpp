#include "indexer/ignore_rules.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <random>
#include <set>

#include "tests/support/temporary_folder.h"

namespace hearth::indexer {
namespace {

namespace fs = std::filesystem;
using testing::TemporaryFolder;

TEST(IgnoreRules, NestAndKeepTheirOrder) {
  const TemporaryFolder folder;
  folder.file(".gitignore", "*.log\nbuild/\n");
  folder.file("sub/.gitignore", "!keep.log\n");
  folder.file(".hearthignore", "private\n!a.log\n");
  folder.file(".git/info/exclude", "excluded\n!b.log\n");
  folder.file("global", "everywhere\n!excluded\n");
  const auto by = [&](const char* path, EntryKind kind = EntryKind::kFile) {
    return ignored_in_workspace(folder.path(), folder / "global", path, kind);
  };
  EXPECT_EQ(IgnoredBy::kGit, by("a.log"));
  EXPECT_EQ(IgnoredBy::kGit, by("b.log"));
  EXPECT_EQ(IgnoredBy::kGit, by("sub/a.log"));
  EXPECT_EQ(IgnoredBy::kNothing, by("sub/keep.log"));
  EXPECT_EQ(IgnoredBy::kGit, by("build/keep.txt"));
  EXPECT_EQ(IgnoredBy::kNothing, by("build"));
  EXPECT_EQ(IgnoredBy::kHearth, by("sub/private/x"));
  EXPECT_EQ(IgnoredBy::kGit, by("excluded"));
  EXPECT_EQ(IgnoredBy::kGit, by("sub/everywhere"));
}

// Names and patterns of few letters, so that they often meet.
class RandomTree {
 public:
  explicit RandomTree(unsigned seed) : random_(seed) {}

  std::string pick(std::initializer_list<const char*> of) { return of.begin()[random_() % of.size()]; }

  std::string name() {
    std::string name;
    const unsigned length = 1 + random_() % 3;
    for (unsigned i = 0; i < length; ++i)
      name += pick({"a", "b", "c", "a", "b", ".", "-", " ", "!", "#", "[", "]"});
    return name == "." || name == ".." || name[0] == ' ' || name.back() == ' ' ? "a" : name;
  }

  std::string pattern() {
    std::string pattern = pick({"", "", "", "!", "/", "!/"});
    const unsigned length = 1 + random_() % 5;
    for (unsigned i = 0; i < length; ++i) {
      pattern += pick({"a",           "b",    "c",   "a", "b",    ".",    "*",     "*",    "**",
                       "/",           "/**/", "/",   "?", "[ab]", "[!a]", "[a-c]", "[]-]", "[^b]",
                       "[[:alpha:]]", "\\a",  "\\*", "-", " ",    "[",    "]",     "\\"});
    }
    return pattern + pick({"", "", "", "/", " ", "/**", "\\ "});
  }

  void fill(const fs::path& folder, int depth) {
    fs::create_directories(folder);
    for (unsigned entries = 2 + random_() % 5; entries > 0; --entries) {
      const fs::path entry = folder / name();
      if (fs::exists(entry)) continue;
      if (depth > 0 && random_() % 2 == 0) {
        fill(entry, depth - 1);
      } else {
        std::ofstream(entry) << "x";
      }
    }
    if (random_() % 3 != 0) return;
    std::ofstream ignore(folder / ".gitignore");
    for (unsigned lines = 1 + random_() % 3; lines > 0; --lines) ignore << pattern() << '\n';
  }

 private:
  std::minstd_rand random_;
};

std::string rules_above(const fs::path& root, const fs::path& path) {
  std::string rules;
  for (fs::path above = path; above.has_parent_path(); above = above.parent_path()) {
    const std::string ignore = (above.parent_path() / ".gitignore").string();
    if (fs::exists(root / ignore)) rules += ignore + ":\n" + testing::read_text(root / ignore);
  }
  return rules;
}

TEST(IgnoreRules, AgreeWithGitOnRandomPatterns) {
  if (std::system("git --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "git is not installed";
  constexpr unsigned kTrees = 60;
  const TemporaryFolder folder;
  const fs::path root = folder / "workspace";
  for (unsigned seed = 1; seed <= kTrees; ++seed)
    RandomTree(seed).fill(root / ("t" + std::to_string(seed)), 3);
  std::set<std::string> paths;
  for (const auto& entry : fs::recursive_directory_iterator(root))
    paths.insert(entry.path().lexically_relative(root).string());
  std::ofstream list(folder / "paths");
  for (const std::string& path : paths) list << path << '\0';
  list.close();
  const std::string command = "cd '" + root.string() +
                              "' && git init -q . 2>/dev/null && git -c core.excludesFile= check-ignore "
                              "--no-index --stdin -z <../paths >../ignored";
  ASSERT_NE(-1, std::system(command.c_str()));
  std::set<std::string> wanted;
  const std::string output = testing::read_text(folder / "ignored");
  for (std::size_t at = 0; at < output.size(); at = output.find('\0', at) + 1)
    wanted.insert(output.c_str() + at);
  std::size_t compared = 0, ignored = 0;
  for (const std::string& path : paths) {
    const EntryKind kind = fs::is_directory(root / path) ? EntryKind::kFolder : EntryKind::kFile;
    const bool is_ignored = ignored_in_workspace(root, std::nullopt, path, kind) != IgnoredBy::kNothing;
    EXPECT_EQ(wanted.contains(path), is_ignored) << "'" << path << "' by\n" << rules_above(root, path);
    ++compared;
    ignored += is_ignored ? 1 : 0;
  }
  EXPECT_GT(compared, 1000u);
  EXPECT_GT(ignored, compared / 20);
  EXPECT_LT(ignored, compared / 2);
}

}  // namespace
}  // namespace hearth::indexer
