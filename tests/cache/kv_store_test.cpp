#include "cache/kv_store.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "tests/support/temporary_folder.h"

namespace hearth::cache {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPageBytes = 3000;

class KvStore : public ::testing::Test {
 protected:
  fs::path path() const { return folder_ / "kv/kv.db"; }

  KvWriter writer(std::uint64_t limit_bytes = 1'000'000) {
    EXPECT_TRUE(prepare_kv_store(path()));
    return KvWriter::open(path(), {limit_bytes, [this] { return now_; }}).value();
  }

  KvReader reader() const { return KvReader::open(path()).value(); }

  static std::vector<std::byte> bytes_of(std::uint64_t key) {
    return std::vector<std::byte>(kPageBytes, static_cast<std::byte>(key * 7 + 1));
  }

  // Pages whose keys are these numbers.
  static std::vector<KvPage> pages(std::uint64_t first, std::uint64_t count) {
    std::vector<KvPage> made;
    for (std::uint64_t i = 0; i < count; ++i)
      made.push_back({{first + i, 1}, static_cast<std::uint32_t>(i), bytes_of(first + i)});
    return made;
  }

  static std::vector<std::uint64_t> held(KvReader& reader) {
    std::vector<std::uint64_t> keys;
    for (std::uint64_t key = 0; key < 100; ++key) {
      if (reader.holds({key, 1}).value()) keys.push_back(key);
    }
    return keys;
  }

  static KvReader::Found found(KvReader& reader, std::uint64_t key) {
    std::vector<std::byte> out(kPageBytes);
    const KvReader::Found found = reader.read({key, 1}, out).value();
    if (found == KvReader::Found::kPage) {
      EXPECT_EQ(bytes_of(key), out);
    }
    return found;
  }

  testing::TemporaryFolder folder_;
  std::chrono::sys_seconds now_{std::chrono::seconds(1'000'000)};
};

using Keys = std::vector<std::uint64_t>;

TEST_F(KvStore, LiesBesideTheStoresOfWorkspacesAndIsTheUsersAlone) {
  EXPECT_EQ("/c/hearth/kv/kv.db", kv_store_path("/c", "/h").value());
  EXPECT_FALSE(kv_store_path(std::nullopt, std::nullopt));
  ASSERT_TRUE(prepare_kv_store(path()));
  struct stat status {};
  ASSERT_EQ(0, ::stat(path().parent_path().c_str(), &status));
  EXPECT_EQ(0700U, status.st_mode & 0777);
  ASSERT_EQ(0, ::stat(path().c_str(), &status));
  EXPECT_EQ(0600U, status.st_mode & 0777);
}

TEST_F(KvStore, GivesBackWhatWasPutToWhoeverOpensItNext) {
  ASSERT_TRUE(writer().put(pages(5, 3), "/w"));
  KvReader later = reader();
  EXPECT_EQ((Keys{5, 6, 7}), held(later));
  EXPECT_EQ(KvReader::Found::kPage, found(later, 6));
  EXPECT_EQ(KvReader::Found::kNothing, found(later, 8));
  std::vector<std::byte> small(kPageBytes - 1);
  EXPECT_EQ(KvReader::Found::kBroken, later.read({6, 1}, small).value());
  EXPECT_FALSE(later.holds({6, 2}).value()) << "half a key is no key";
}

TEST_F(KvStore, ShowsAReaderWhatIsWrittenMeanwhile) {
  KvWriter writing = writer();
  KvReader reading = reader();
  EXPECT_TRUE(held(reading).empty());
  ASSERT_TRUE(writing.put(pages(1, 1), "/w"));
  EXPECT_EQ(Keys{1}, held(reading));
  ASSERT_TRUE(writing.remove({1, 1}));
  EXPECT_TRUE(held(reading).empty());
}

TEST_F(KvStore, DropsTheLeastRecentlyUsedAndOfThoseTheDeepestFirst) {
  KvWriter writing = writer(5 * kPageBytes);
  ASSERT_TRUE(writing.put(pages(0, 3), "/w"));
  now_ += std::chrono::seconds(1);
  ASSERT_TRUE(writing.put(pages(10, 2), "/w"));
  now_ += std::chrono::seconds(1);
  ASSERT_TRUE(writing.use(std::vector<KvKey>{{0, 1}}));
  KvReader reading = reader();
  ASSERT_TRUE(writing.put(pages(20, 1), "/w"));
  EXPECT_EQ((Keys{0, 1, 10, 11, 20}), held(reading));
  ASSERT_TRUE(writing.put(pages(30, 2), "/w"));
  EXPECT_EQ((Keys{0, 10, 20, 30, 31}), held(reading));
  ASSERT_TRUE(writing.put(pages(40, 6), "/w")) << "more than it may hold";
  EXPECT_EQ((Keys{0, 10, 20, 30, 31}), held(reading));
  EXPECT_TRUE(writer(2 * kPageBytes).use({}));
  EXPECT_EQ(2U, held(reading).size()) << "a smaller limit holds from the next start on";
}

TEST_F(KvStore, ForgetsAWorkspaceAndGivesItsRoomBack) {
  EXPECT_FALSE(forget_kv(path(), "/w").value()) << "nothing there yet";
  {
    KvWriter writing = writer();
    ASSERT_TRUE(writing.put(pages(0, 40), "/w"));
    ASSERT_TRUE(writing.put(pages(50, 2), "/other"));
  }
  const auto before = fs::file_size(path());
  EXPECT_TRUE(forget_kv(path(), "/w").value());
  EXPECT_FALSE(forget_kv(path(), "/w").value());
  KvReader reading = reader();
  EXPECT_EQ((Keys{50, 51}), held(reading));
  EXPECT_LT(fs::file_size(path()), before / 3);
}

TEST_F(KvStore, GivesNothingWhoseChecksumIsWrong) {
  ASSERT_TRUE(writer().put(pages(3, 2), "/w"));
  {
    Database database = Database::open(path(), Database::Mode::kReadWrite).value();
    ASSERT_TRUE(database.execute("UPDATE contents SET bytes = zeroblob(3000) WHERE page = 1"));
  }
  KvReader reading = reader();
  EXPECT_EQ(KvReader::Found::kBroken, found(reading, 3));
  EXPECT_EQ(KvReader::Found::kPage, found(reading, 4));
}

TEST_F(KvStore, SetsACorruptFileAside) {
  folder_.file("kv/kv.db", std::string(8000, 'x'));
  ASSERT_TRUE(prepare_kv_store(path())->set_aside);
  ASSERT_TRUE(writer().put(pages(1, 1), "/w"));
}

TEST_F(KvStore, SurvivesAFileCutAnywhere) {
  ASSERT_TRUE(writer().put(pages(0, 30), "/w"));
  const std::string whole = testing::read_text(path());
  ASSERT_GT(whole.size(), 90'000U);
  for (std::size_t size = 0; size < whole.size(); size += 6101) {
    ASSERT_TRUE(forget_store(path()));
    folder_.file("kv/kv.db", whole.substr(0, size));
    ASSERT_TRUE(prepare_kv_store(path())) << size;
    auto reading = KvReader::open(path());
    ASSERT_TRUE(reading) << size << reading.error().message;
    for (std::uint64_t key = 0; key < 30; ++key) {
      std::vector<std::byte> out(kPageBytes);
      const auto read = reading->read({key, 1}, out);
      if (read && *read == KvReader::Found::kPage) {
        EXPECT_EQ(bytes_of(key), out) << size;
      }
      if (!read) {
        EXPECT_EQ(ErrorCode::kCorrupt, read.error().code) << read.error().message;
      }
    }
  }
}

TEST_F(KvStore, LeavesAFileOfALaterVersionAlone) {
  ASSERT_TRUE(prepare_kv_store(path()));
  {
    Database database = Database::open(path(), Database::Mode::kReadWrite).value();
    ASSERT_TRUE(database.execute("PRAGMA user_version = 1000; PRAGMA wal_checkpoint(TRUNCATE)"));
  }
  const std::string before = testing::read_text(path());
  EXPECT_EQ(ErrorCode::kNewer, prepare_kv_store(path()).error().code);
  EXPECT_EQ(ErrorCode::kNewer, KvReader::open(path()).error().code);
  EXPECT_TRUE(before == testing::read_text(path())) << "it is as it was";
}

TEST_F(KvStore, WaitsForNobodyWhoHasItLocked) {
  KvWriter writing = writer();
  ASSERT_TRUE(writing.put(pages(1, 1), "/w"));
  KvReader reading = reader();
  Database other = Database::open(path(), Database::Mode::kReadWrite).value();
  {
    const Transaction locked = Transaction::begin(other).value();
    EXPECT_EQ(Keys{1}, held(reading)) << "readers never wait";
    EXPECT_EQ(ErrorCode::kBusy, writing.put(pages(2, 1), "/w").error().code);
    EXPECT_FALSE(writing.stopped());
  }
  EXPECT_TRUE(writing.put(pages(2, 1), "/w"));
}

TEST_F(KvStore, StopsWritingOnAFullDiskAndNothingElse) {
  const fs::path disk = folder_ / "disk";
  fs::create_directories(disk);
  if (::mount("none", disk.c_str(), "tmpfs", 0, "size=600k") != 0)
    GTEST_SKIP() << "only root can mount a small disk";
  const fs::path file = disk / "kv/kv.db";
  {
    ASSERT_TRUE(prepare_kv_store(file));
    KvWriter writing = KvWriter::open(file, {100'000'000, [this] { return now_; }}).value();
    std::uint64_t put = 0;
    while (put < 1000 && writing.put(pages(put, 1), "/w")) ++put;
    EXPECT_LT(put, 1000U);
    ASSERT_TRUE(writing.stopped());
    EXPECT_EQ(ErrorCode::kFull, writing.stopped()->code) << writing.stopped()->message;
    EXPECT_NE(std::string::npos, writing.stopped()->message.find("kv.db"));
    KvReader reading = KvReader::open(file).value();
    EXPECT_EQ(KvReader::Found::kPage, found(reading, put - 1));
    EXPECT_EQ(KvReader::Found::kNothing, found(reading, put));
  }
  ASSERT_EQ(0, ::umount(disk.c_str()));
}

TEST_F(KvStore, ReadsFromAReadOnlyFolder) {
  ASSERT_TRUE(writer().put(pages(1, 1), "/w"));
  fs::permissions(path(), fs::perms::owner_read);
  fs::permissions(path().parent_path(), fs::perms::owner_read | fs::perms::owner_exec);
  {
    KvReader reading = reader();
    EXPECT_EQ(KvReader::Found::kPage, found(reading, 1));
  }
  fs::permissions(path().parent_path(), fs::perms::owner_all);
}

}  // namespace
}  // namespace hearth::cache
