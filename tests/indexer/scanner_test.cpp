#include "indexer/scanner.h"

#include <gtest/gtest.h>
#include <map>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/temporary_folder.h"
#include "tests/support/without_privileges.h"

namespace hearth::indexer {
namespace {

namespace fs = std::filesystem;
using testing::TemporaryFolder;

std::map<std::string, LeftOut> scan_all(const fs::path& root) {
  std::map<std::string, LeftOut> found;
  const auto done = scan({.root = root}, [&](ScannedEntry entry) { found[entry.path] = entry.left_out; }, {});
  EXPECT_TRUE(done) << done.error().message;
  return found;
}

TEST(Scanner, TellsEveryFileAndWhyItIsLeftOut) {
  const TemporaryFolder folder;
  folder.file("a.py", "x");
  folder.file("src/b.py", "x");
  folder.file("src/odd\xff name.py", "x");
  folder.file("build/c.py", "x");
  folder.file(".gitignore", "/build/\n*.log\n");
  folder.file("src/d.log", "x");
  folder.file("src/.hearthignore", "private.py\n");
  folder.file("src/private.py", "x");
  folder.file(".env", "x");
  folder.file("secrets/e.py", "x");
  folder.file("node_modules/f/index.js", "x");
  folder.file(".git/config", "x");
  folder.file("cache/CACHEDIR.TAG", "x");
  folder.file("env/pyvenv.cfg", "x");
  folder.file("large.py", std::string(kMaxIndexedBytes + 1, 'x'));
  fs::create_symlink("a.py", folder / "link.py");
  fs::create_symlink("nowhere", folder / "broken.py");
  fs::create_symlink("loop", folder / "loop");
  fs::create_directory_symlink("..", folder / "src/up");
  ASSERT_EQ(0, ::mkfifo((folder / "pipe").c_str(), 0600));
  const std::map<std::string, LeftOut> wanted = {
      {".env", LeftOut::kSecret},
      {".git/", LeftOut::kRepository},
      {".gitignore", LeftOut::kNot},
      {"a.py", LeftOut::kNot},
      {"broken.py", LeftOut::kBrokenLink},
      {"build/", LeftOut::kGitIgnored},
      {"cache/", LeftOut::kCacheFolder},
      {"env/", LeftOut::kDependency},
      {"large.py", LeftOut::kTooLarge},
      {"link.py", LeftOut::kSymbolicLink},
      {"loop", LeftOut::kLinkLoop},
      {"node_modules/", LeftOut::kDependency},
      {"pipe", LeftOut::kNoRegularFile},
      {"secrets/", LeftOut::kSecret},
      {"src/.hearthignore", LeftOut::kNot},
      {"src/b.py", LeftOut::kNot},
      {"src/d.log", LeftOut::kGitIgnored},
      {"src/odd\xff name.py", LeftOut::kNot},
      {"src/private.py", LeftOut::kHearthIgnored},
      {"src/up", LeftOut::kSymbolicLink},
  };
  EXPECT_EQ(wanted, scan_all(folder.path()));
  for (const auto& [path, why] : wanted) {
    const std::string plain = path.ends_with('/') ? path.substr(0, path.size() - 1) : path;
    const auto one = scan_one({.root = folder.path()}, plain);
    ASSERT_TRUE(one) << path;
    EXPECT_EQ(why, one->left_out) << path;
  }
  EXPECT_EQ(LeftOut::kGitIgnored, scan_one({.root = folder.path()}, "build/c.py")->left_out);
  EXPECT_EQ(LeftOut::kSecret, scan_one({.root = folder.path()}, "secrets/e.py")->left_out);
  EXPECT_FALSE(scan_one({.root = folder.path()}, "never/there.py"));
}

TEST(Scanner, TellsSizeAndTimeInTheOrderOfPaths) {
  const TemporaryFolder folder;
  folder.file("b/2", "xy");
  folder.file("b/1", "x");
  folder.file("c", "");
  folder.file("a/1", "");
  std::vector<std::string> paths, folders;
  std::uint64_t bytes = 0;
  ASSERT_TRUE(
      scan({.root = folder.path(), .enter = [&](const std::string& entered) { folders.push_back(entered); }},
           [&](ScannedEntry entry) {
             paths.push_back(entry.path);
             bytes += entry.size;
             EXPECT_GT(entry.mtime_ns, 0);
           },
           {}));
  EXPECT_EQ((std::vector<std::string>{"c", "a/1", "b/1", "b/2"}), paths);
  EXPECT_EQ((std::vector<std::string>{"", "a", "b"}), folders);
  EXPECT_EQ(3u, bytes);
}

TEST(Scanner, GoesOnPastAFolderThatCannotBeRead) {
  const TemporaryFolder folder;
  folder.file("closed/a", "x");
  folder.file("listed/b", "x");
  folder.file("z", "x");
  fs::permissions(folder / "closed", fs::perms::none);
  fs::permissions(folder / "listed", fs::perms::owner_read);
  const std::map<std::string, LeftOut> wanted = {
      {"closed/", LeftOut::kUnreadable}, {"listed/b", LeftOut::kUnreadable}, {"z", LeftOut::kNot}};
  {
    const testing::WithoutPrivileges plain;
    EXPECT_EQ(wanted, scan_all(folder.path()));
    EXPECT_EQ(LeftOut::kUnreadable, scan_one({.root = folder.path()}, "closed/a")->left_out);
  }
  for (const char* name : {"closed", "listed"}) fs::permissions(folder / name, fs::perms::owner_all);
}

TEST(Scanner, EndsWhenItIsStoppedOrTheWorkspaceIsGone) {
  const TemporaryFolder folder;
  for (int i = 0; i < 10; ++i) folder.file(std::to_string(i), "");
  std::stop_source stop;
  int told = 0;
  const auto stopped = scan(
      {.root = folder.path()},
      [&](ScannedEntry) {
        if (++told == 3) stop.request_stop();
      },
      stop.get_token());
  EXPECT_FALSE(stopped);
  EXPECT_EQ(3, told);
  const auto gone = scan({.root = folder / "vanished"}, [](ScannedEntry) {}, {});
  ASSERT_FALSE(gone);
  EXPECT_EQ(ErrorCode::kUnreadable, gone.error().code);
  EXPECT_NE(std::string::npos, gone.error().message.find("vanished"));
}

TEST(Scanner, NeverTakesAHomeFolderOrTheWholeMachine) {
  const TemporaryFolder folder;
  const fs::path real = fs::canonical(folder.path());
  fs::create_directories(real / "home/me/project");
  const std::string home = real / "home/me";
  EXPECT_EQ(ErrorCode::kForbidden, workspace_root("/", home).error().code);
  EXPECT_EQ(ErrorCode::kForbidden, workspace_root(real / "home", home).error().code);
  EXPECT_EQ(ErrorCode::kForbidden, workspace_root(home, home).error().code);
  EXPECT_EQ(home + "/project", workspace_root(home + "/project/../project", home).value());
  EXPECT_EQ(real, workspace_root(real, std::nullopt).value());
  EXPECT_EQ(ErrorCode::kUnreadable, workspace_root(real / "none", home).error().code);
}

}  // namespace
}  // namespace hearth::indexer
