#include <random>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "tests/support/store_fixture.h"

namespace hearth::cache {
namespace {

namespace fs = std::filesystem;

class Store : public testing::StoreTest {
 protected:
  // Everything that is kept of a file is of the same hash.
  static void expect_whole(StoreReader& from, const std::string& name, std::uint64_t hash) {
    const FileRecord wanted = record(name, hash);
    EXPECT_EQ(hash, from.file(name).value()->hash);
    EXPECT_EQ(wanted.symbols, from.symbols(name).value());
    EXPECT_EQ(wanted.imports, from.imports(name).value());
    EXPECT_EQ(wanted.words, from.words(name).value());
  }
};

TEST_F(Store, GivesBackWhatWasPut) {
  StoreWriter to = writer();
  FileRecord manifest = record("pyproject.toml", 4);
  manifest.manifest =
      ManifestRow{"pypi", "shop", "1.0", {{"requests", ">=2", "2.31.0", ""}, {"pytest", "", "", "dev"}}};
  ASSERT_TRUE(to.put(std::vector{record("a.py", 1), record("dir/b\xff.py", 2), manifest}));
  StoreReader from = reader();
  expect_whole(from, "a.py", 1);
  expect_whole(from, "dir/b\xff.py", 2);
  EXPECT_EQ(manifest.manifest, from.manifest("pyproject.toml").value());
  EXPECT_EQ(std::nullopt, from.manifest("a.py").value());
  EXPECT_EQ(std::vector<std::string>{"pyproject.toml"}, from.manifest_paths().value());
  EXPECT_EQ("a.py", from.symbols_named("a_1", 5)->at(0).path);
  EXPECT_EQ("a.py", from.symbols_beginning("a_", 5)->at(0).path);
  EXPECT_TRUE(from.symbols_beginning("a_1_", 5)->empty());
  EXPECT_EQ(1u, from.symbols_beginning("", 1)->size());
  EXPECT_EQ(3u, from.importers("other.py")->size());
  EXPECT_EQ(std::nullopt, from.file("none").value());
}

TEST_F(Store, ReplacesTouchesAndRemoves) {
  StoreWriter to = writer();
  ASSERT_TRUE(to.put(std::vector{record("a.py", 1), record("b.py", 1)}));
  ASSERT_TRUE(to.put(std::vector{record("a.py", 2)}));
  FileRow touched = record("a.py", 2).file;
  touched.mtime_ns = 77;
  ASSERT_TRUE(to.touch(std::vector{touched}));
  StoreReader from = reader();
  expect_whole(from, "a.py", 2);
  EXPECT_EQ(77, from.file("a.py").value()->mtime_ns);
  EXPECT_EQ(0, from.files_with_word("a_1").value());
  ASSERT_TRUE(to.put_imports("a.py", std::vector<ImportRow>{{"other", "", 1, "moved.py"}}));
  EXPECT_EQ(std::vector<std::string>{"a.py"}, from.importers("moved.py").value());
  ASSERT_TRUE(to.remove(std::vector<std::string>{"a.py", "never there"}));
  EXPECT_EQ(std::nullopt, from.file("a.py").value());
  EXPECT_TRUE(from.symbols_named("a_2", 5)->empty());
  EXPECT_EQ(1, from.files_with_word("shared").value());
  FileRecord left_out;
  left_out.file = {"b.py", "", 3, 3, 3, "binary"};
  ASSERT_TRUE(to.put(std::vector{left_out}));
  EXPECT_EQ("binary", from.file("b.py").value()->left_out);
  EXPECT_TRUE(from.symbols("b.py")->empty());
  const StoreCounts counts = from.counts().value();
  EXPECT_EQ(1, counts.files);
  EXPECT_EQ(1, counts.left_out);
}

TEST_F(Store, FindsFilesByWordsBestFirst) {
  StoreWriter to = writer();
  std::vector<FileRecord> records;
  for (int i = 0; i < 20; ++i) records.push_back(record(std::to_string(i) + ".py", 1));
  records[7].words = "shared parseHeader parse header _x $y";
  ASSERT_TRUE(to.put(records));
  StoreReader from = reader();
  const auto found = from.files_with_words({"shared", "PARSEHEADER", "no\"thing"}, 3).value();
  ASSERT_EQ(3u, found.size());
  EXPECT_EQ("7.py", found[0].path);
  EXPECT_GT(found[0].score, found[1].score);
  EXPECT_EQ(1u, from.files_with_words({"$y"}, 3)->size());
  EXPECT_TRUE(from.files_with_words({"AND", "", "("}, 3)->empty());
  EXPECT_EQ(20, from.files_with_word("Shared").value());
}

TEST_F(Store, LetsReadersSeeOneStateWhileItIsWritten) {
  StoreWriter to = writer();
  const auto generation = [](std::uint64_t hash) {
    std::vector<FileRecord> records;
    for (int i = 0; i < 50; ++i) records.push_back(record(std::to_string(i) + ".py", hash));
    return records;
  };
  ASSERT_TRUE(to.put(generation(1)));
  std::jthread reading([this](std::stop_token stop) {
    StoreReader from = reader();
    while (!stop.stop_requested()) {
      std::optional<std::uint64_t> seen;
      EXPECT_TRUE(from.each_file([&](const FileRow& file) {
        EXPECT_EQ(seen.value_or(file.hash), file.hash);
        seen = file.hash;
        return true;
      }));
    }
  });
  for (std::uint64_t hash = 2; hash < 40; ++hash) ASSERT_TRUE(to.put(generation(hash)));
}

TEST_F(Store, IsWholeAfterItsWriterIsKilledAtAnyTime) {
  ASSERT_TRUE(prepare_store(path()));
  constexpr int kFiles = 20;
  std::minstd_rand random(7);
  std::uint64_t last = 0;
  constexpr int kRounds = 25;
  for (int round = 0; round < kRounds; ++round) {
    int wrote[2];
    ASSERT_EQ(0, ::pipe(wrote));
    const pid_t child = ::fork();
    if (child == 0) {
      WriterOptions mine = options();
      mine.owner = own_identity();
      auto to = StoreWriter::open(path(), mine);
      if (!to) ::_exit(1);
      for (std::uint64_t hash = last + 1;; ++hash) {
        std::vector<FileRecord> records;
        for (int i = 0; i < kFiles; ++i) records.push_back(record(std::to_string(i) + ".py", hash));
        if (!to->put(records)) ::_exit(2);
        if (hash == last + 1 && ::write(wrote[1], "", 1) != 1) ::_exit(3);
      }
    }
    // In every second round the writer gets somewhere, however slow the machine is.
    ::close(wrote[1]);
    char byte;
    if (round % 2 == 0) {
      ASSERT_EQ(1, ::read(wrote[0], &byte, 1));
    }
    ::close(wrote[0]);
    std::this_thread::sleep_for(std::chrono::milliseconds(5 + random() % 40));
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(child, ::waitpid(child, &status, 0));
    ASSERT_TRUE(WIFSIGNALED(status)) << WEXITSTATUS(status);
    ASSERT_FALSE(prepare_store(path())->set_aside);
    Database database = Database::open(path(), Database::Mode::kReadWrite).value();
    EXPECT_EQ(0, database.integer("SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'")
                     .value());
    EXPECT_TRUE(database.run("INSERT INTO words(words) VALUES('integrity-check')"));
    StoreReader from = reader();
    const auto first = from.file("0.py").value();
    if (!first) continue;
    EXPECT_GE(first->hash, last);
    last = first->hash;
    for (int i = 0; i < kFiles; ++i) expect_whole(from, std::to_string(i) + ".py", last);
  }
  EXPECT_GT(last, kRounds / 2u);
}

TEST_F(Store, DropsTheLeastRecentlyUsedFilesOverItsLimit) {
  WriterOptions limited = options();
  limited.limit_bytes = 1'000'000;
  ASSERT_TRUE(prepare_store(path()));
  StoreWriter to = StoreWriter::open(path(), limited).value();
  for (int i = 0; i < 1000; ++i) {
    FileRecord large = record(std::to_string(i) + ".py", 1);
    std::minstd_rand random(static_cast<unsigned>(i));
    for (int word = 0; word < 150; ++word) large.words += " w" + std::to_string(random() % 100'000);
    ASSERT_TRUE(to.put(std::vector{large}));
  }
  now_ += std::chrono::seconds(5);
  ASSERT_TRUE(to.use(std::vector<std::string>{"3.py"}));
  now_ += std::chrono::seconds(5);
  ASSERT_TRUE(to.put(std::vector{record("4.py", 2)}));
  const std::int64_t evicted = to.evict().value();
  EXPECT_GT(evicted, 0);
  EXPECT_LT(evicted, 1000);
  EXPECT_EQ(0, to.evict().value());
  StoreReader from = reader();
  for (const char* used : {"3.py", "4.py"}) EXPECT_EQ("", from.file(used).value()->left_out);
  EXPECT_NE("", from.file("0.py").value()->left_out);
  EXPECT_EQ("", from.file("999.py").value()->left_out);
  EXPECT_EQ(evicted, from.counts()->left_out);
}

TEST_F(Store, GoesOnWhenAnotherConnectionNoLongerHasItLocked) {
  ASSERT_TRUE(prepare_store(path()));
  WriterOptions hasty = options();
  hasty.patience = std::chrono::milliseconds(0);
  StoreWriter to = StoreWriter::open(path(), hasty).value();
  {
    Database other = Database::open(path(), Database::Mode::kReadWrite).value();
    const Transaction locked = Transaction::begin(other).value();
    EXPECT_EQ(ErrorCode::kBusy, to.put(std::vector{record("a.py", 1)}).error().code);
    EXPECT_FALSE(to.stopped());
  }
  ASSERT_TRUE(to.put(std::vector{record("a.py", 1)}));
  StoreReader from = reader();
  expect_whole(from, "a.py", 1);
}

TEST_F(Store, StopsWritingOnAFullDiskAndNothingElse) {
  const fs::path disk = folder_ / "disk";
  fs::create_directories(disk);
  if (::mount("none", disk.c_str(), "tmpfs", 0, "size=600k") != 0)
    GTEST_SKIP() << "only root can mount a small disk";
  const fs::path file = disk / "stores/project.db";
  {
    ASSERT_TRUE(prepare_store(file));
    StoreWriter to = StoreWriter::open(file, options()).value();
    int put = 0;
    while (put < 100'000 && to.put(std::vector{record(std::to_string(put) + ".py", 1)})) ++put;
    EXPECT_LT(put, 100'000);
    ASSERT_TRUE(to.stopped());
    EXPECT_EQ(ErrorCode::kFull, to.stopped()->code) << to.stopped()->message;
    EXPECT_NE(std::string::npos, to.stopped()->message.find("project.db"));
    EXPECT_EQ(ErrorCode::kFull, to.put(std::vector{record("late.py", 1)}).error().code);
    StoreReader from = StoreReader::open(file).value();
    EXPECT_EQ(put, from.counts()->files);
    expect_whole(from, "0.py", 1);
    expect_whole(from, std::to_string(put - 1) + ".py", 1);
  }
  EXPECT_FALSE(StoreReader::open(file)->file("0.py").value() == std::nullopt);
  ::umount(disk.c_str());
}

TEST_F(Store, IsReadOnADiskThatCannotBeWritten) {
  const fs::path disk = folder_ / "disk";
  fs::create_directories(disk);
  if (::mount("none", disk.c_str(), "tmpfs", 0, "size=8m") != 0) GTEST_SKIP() << "only root can mount a disk";
  const fs::path file = disk / "stores/project.db";
  {
    ASSERT_TRUE(prepare_store(file));
    StoreWriter to = StoreWriter::open(file, options()).value();
    ASSERT_TRUE(to.put(std::vector{record("a.py", 1)}));
  }
  ASSERT_EQ(0, ::mount("none", disk.c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr));
  {
    StoreReader from = StoreReader::open(file).value();
    expect_whole(from, "a.py", 1);
    const auto prepared = prepare_store(file);
    ASSERT_FALSE(prepared);
    EXPECT_EQ(ErrorCode::kUnreadable, prepared.error().code);
    EXPECT_NE(std::string::npos, prepared.error().message.find("project.db")) << prepared.error().message;
  }
  ::umount(disk.c_str());
}

TEST_F(Store, SaysThatThereIsNone) {
  const auto missing = StoreReader::open(path());
  ASSERT_FALSE(missing);
  EXPECT_NE(std::string::npos, missing.error().message.find("project.db"));
}

}  // namespace
}  // namespace hearth::cache
