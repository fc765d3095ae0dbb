#include "indexer/index_run.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <thread>

#include "cache/store_location.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/without_privileges.h"

namespace hearth::indexer {
namespace {

namespace fs = std::filesystem;

class IndexRun : public ::testing::Test {
 protected:
  IndexRun() {
    fs::create_directories(root());
    EXPECT_TRUE(cache::prepare_store(store()));
  }

  fs::path root() const { return folder_ / "workspace"; }
  fs::path store() const { return folder_ / "stores/workspace.db"; }
  void write(const std::string& name, const std::string& text) const {
    folder_.file("workspace/" + name, text);
  }

  Result<IndexReport> try_index(std::stop_token stop = {}, std::uint64_t limit = 1'000'000'000) {
    cache::WriterOptions options;
    options.now = [] { return std::chrono::sys_seconds(std::chrono::seconds(1)); };
    options.limit_bytes = limit;
    auto writer = cache::StoreWriter::open(store(), options);
    auto reader = cache::StoreReader::open(store());
    last_progress_ = {};
    return index_workspace(
        {.root = root(), .global_excludes = {}, .threads = 2}, *reader, *writer,
        [&](const IndexProgress& at) {
          last_progress_ = at;
          if (vanish_) fs::remove_all(root());
        },
        stop);
  }

  IndexReport index() {
    const auto report = try_index();
    EXPECT_TRUE(report) << report.error().message;
    return report ? *report : IndexReport{};
  }

  cache::StoreReader reader() const { return cache::StoreReader::open(store()).value(); }

  testing::TemporaryFolder folder_;
  IndexProgress last_progress_;
  bool vanish_ = false;  // the workspace, after the first files
};

TEST_F(IndexRun, ReadsAWorkspaceAndThenOnlyWhatChanged) {
  write("shop/__init__.py", "from .cart import add\n");
  write("shop/cart.py", "def add(item):\n    return item\n");
  write("notes.txt", "plain words\n");
  write("odd\xff.py", "ODD = 1\n");
  write(".env", "KEY=1\n");
  write("blob.bin", std::string("\0\1", 2));
  IndexReport report = index();
  EXPECT_EQ(4, report.files);
  EXPECT_EQ(2, report.left_out);
  EXPECT_EQ(5, report.analysed);
  EXPECT_EQ(last_progress_.all_files, last_progress_.files);
  EXPECT_EQ("may hold secrets", reader().file(".env").value()->left_out);
  EXPECT_EQ("binary", reader().file("blob.bin").value()->left_out);
  EXPECT_EQ("shop/cart.py", reader().imports("shop/__init__.py")->at(0).target);
  EXPECT_EQ("add", reader().symbols("shop/cart.py")->at(0).name);
  EXPECT_EQ(1u, reader().files_with_words({"plain"}, 5)->size());
  EXPECT_EQ("", reader().file("odd\xff.py").value()->left_out);

  report = index();
  EXPECT_EQ(0, report.analysed);
  EXPECT_EQ(0u, report.bytes);

  write("shop/cart.py", "def remove(item):\n    return item\n");
  report = index();
  EXPECT_EQ(1, report.analysed);
  EXPECT_EQ("remove", reader().symbols("shop/cart.py")->at(0).name);

  fs::remove(root() / "notes.txt");
  report = index();
  EXPECT_EQ(1, report.removed);
  EXPECT_EQ(3, report.files);
}

TEST_F(IndexRun, ReadsButDoesNotAnalyseWhatOnlyLooksChanged) {
  write("a.py", "A = 1\n");
  index();
  fs::last_write_time(root() / "a.py", fs::file_time_type::clock::now() - std::chrono::hours(1));
  EXPECT_EQ(6u, index().bytes);
  const IndexReport report = index();
  EXPECT_EQ(0, report.analysed);
  EXPECT_EQ(0u, report.bytes);
}

TEST_F(IndexRun, ResolvesImportsAgainWhenFilesComeAndGo) {
  write("main.py", "import helper\n");
  index();
  EXPECT_EQ(std::nullopt, reader().imports("main.py")->at(0).target);
  write("helper.py", "");
  EXPECT_EQ(1, index().analysed);
  EXPECT_EQ("helper.py", reader().imports("main.py")->at(0).target);
  fs::remove(root() / "helper.py");
  index();
  EXPECT_EQ(std::nullopt, reader().imports("main.py")->at(0).target);
}

TEST_F(IndexRun, FollowsIgnoreFilesAsTheyChange) {
  write("a.py", "A = 1\n");
  index();
  write(".gitignore", "a.py\n");
  index();
  EXPECT_EQ("named by .gitignore", reader().file("a.py").value()->left_out);
  EXPECT_TRUE(reader().symbols("a.py")->empty());
  fs::remove(root() / ".gitignore");
  index();
  EXPECT_EQ("", reader().file("a.py").value()->left_out);
  EXPECT_EQ(1u, reader().symbols("a.py")->size());
}

TEST_F(IndexRun, TakesVersionsFromALockFileThatChanged) {
  write("Cargo.toml", "[package]\nname = \"a\"\n[dependencies]\nserde = \"1\"\n");
  index();
  EXPECT_EQ("", reader().manifest("Cargo.toml").value()->dependencies.at(0).resolved);
  for (const std::string version : {"1.0.1", "1.0.22"}) {
    write("Cargo.lock", "[[package]]\nname = \"serde\"\nversion = \"" + version + "\"\n");
    index();
    EXPECT_EQ(version, reader().manifest("Cargo.toml").value()->dependencies.at(0).resolved);
  }
}

TEST_F(IndexRun, TakesOddFilesAsTheyAre) {
  write("empty.py", "");
  write("long.js", std::string(1 << 20, 'x'));
  write("large.js", std::string((1 << 20) + 1, '\n'));
  write("broken.py", "def (((\n\xff\xfe class");
  for (int i = 0; i < 3'000; ++i) write("many/" + std::to_string(i) + ".txt", "w" + std::to_string(i) + '\n');
  fs::create_symlink("loop", root() / "loop");
  ASSERT_EQ(0, ::mkfifo((root() / "pipe.py").c_str(), 0600));
  const IndexReport report = index();
  EXPECT_EQ(3'002, report.files);
  EXPECT_EQ(0, report.unreadable);
  EXPECT_EQ("minified", reader().file("long.js").value()->left_out);
  EXPECT_EQ("larger than 1 MiB", reader().file("large.js").value()->left_out);
  EXPECT_EQ("no regular file", reader().file("pipe.py").value()->left_out);
  EXPECT_EQ(1, reader().files_with_word("w2999").value());
}

TEST_F(IndexRun, KeepsWhatWasWrittenWhenItIsStopped) {
  for (int i = 0; i < 10; ++i) write(std::to_string(i) + ".py", "A = 1\n");
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(ErrorCode::kInvalid, try_index(stop.get_token()).error().code);
  EXPECT_EQ(10, index().files);
}

TEST_F(IndexRun, NamesAWorkspaceThatVanished) {
  write("a.py", "A = 1\n");
  index();
  fs::remove_all(root());
  const auto gone = try_index();
  ASSERT_FALSE(gone);
  EXPECT_NE(std::string::npos, gone.error().message.find("workspace"));
  EXPECT_EQ(1, reader().counts()->files);
}

TEST_F(IndexRun, EndsWhenTheWorkspaceVanishesUnderIt) {
  for (int i = 0; i < 2'000; ++i) write(std::to_string(i) + ".py", "A = " + std::to_string(i) + "\n");
  vanish_ = true;
  const auto report = try_index();
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_GT(report->unreadable, 0);
  EXPECT_FALSE(try_index());
  EXPECT_GT(reader().counts()->files, 0);
}

TEST_F(IndexRun, CatchesUpWithAFileThatChangesWhileItIsRead) {
  const auto text = [](int lines) {
    std::string text;
    for (int i = 0; i < lines; ++i) text += "name_" + std::to_string(i) + " = 1\n";
    return text;
  };
  write("a.py", "");
  {
    const std::jthread writer([&](const std::stop_token& stop) {
      for (int lines = 0; !stop.stop_requested(); lines = (lines + 997) % 20'000) write("a.py", text(lines));
    });
    for (int round = 0; round < 20; ++round) EXPECT_TRUE(try_index());
  }
  write("a.py", text(20'001));
  index();
  EXPECT_EQ(10'000u, reader().symbols("a.py")->size());  // as many as are kept of one file
  EXPECT_EQ(text(20'001).size(), reader().file("a.py").value()->size);
}

TEST_F(IndexRun, LeavesOutALineOfTenMegabytes) {
  write("line.py", "A = '" + std::string(10 << 20, 'x') + "'\n");
  EXPECT_EQ(0, index().files);
  EXPECT_EQ("larger than 1 MiB", reader().file("line.py").value()->left_out);
}

TEST_F(IndexRun, LeavesOutAFileThatCannotBeReadAndTriesItAgain) {
  write("a.py", "A = 1\n");
  fs::permissions(root() / "a.py", fs::perms::none);
  {
    const testing::WithoutPrivileges plain;
    for (int round = 0; round < 2; ++round) {
      const IndexReport report = index();
      EXPECT_EQ(1, report.unreadable);
      EXPECT_EQ(std::vector<std::string>{"a.py"}, report.first_unreadable);
      EXPECT_EQ("cannot be read", reader().file("a.py").value()->left_out);
    }
  }
  fs::permissions(root() / "a.py", fs::perms::owner_all);
  EXPECT_EQ(0, index().unreadable);
  EXPECT_EQ("", reader().file("a.py").value()->left_out);
}

TEST_F(IndexRun, KeepsWhatItHasReadWhileThatCannotBeReadAgain) {
  write("main.py", "import deep.er.helper\n");
  write("deep/er/helper.py", "HELP = 1\n");
  write("changed.py", "OLD = 1\n");
  index();
  write("changed.py", "LATER = 22\n");
  write("new.py", "");
  for (const char* closed : {"changed.py", "deep"}) {
    for (const fs::perms perms : {fs::perms::none, fs::perms::owner_read}) {
      if (fs::is_regular_file(root() / closed) && perms != fs::perms::none) continue;
      fs::permissions(root() / closed, perms);
      const testing::WithoutPrivileges plain;
      const IndexReport report = index();
      EXPECT_GT(report.unreadable, 0);
      EXPECT_EQ("OLD", reader().symbols("changed.py")->at(0).name);
      EXPECT_EQ(1u, reader().symbols("deep/er/helper.py")->size());
      EXPECT_EQ("deep/er/helper.py", reader().imports("main.py")->at(0).target);
    }
  }
  for (const char* closed : {"changed.py", "deep"}) fs::permissions(root() / closed, fs::perms::owner_all);
  EXPECT_EQ(0, index().unreadable);
  EXPECT_EQ("LATER", reader().symbols("changed.py")->at(0).name);
  fs::remove_all(root() / "deep");
  index();
  EXPECT_EQ(3, reader().counts()->files);
}

TEST_F(IndexRun, DoesNotBringBackWhatTheLimitEvicted) {
  for (int i = 0; i < 300; ++i) {
    std::string text;
    for (int word = 0; word < 200; ++word) text += "word" + std::to_string(i * 200 + word) + ' ';
    write(std::to_string(i) + ".txt", text);
  }
  const auto limited = try_index({}, 600'000);
  ASSERT_TRUE(limited) << limited.error().message;
  EXPECT_GT(limited->evicted, 0);
  EXPECT_EQ(0, try_index({}, 600'000)->analysed);
}

}  // namespace
}  // namespace hearth::indexer
