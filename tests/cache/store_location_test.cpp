#include "cache/store_location.h"

#include <sys/stat.h>

#include "cache/lease.h"
#include "cache/schema.h"
#include "tests/support/store_fixture.h"

namespace hearth::cache {
namespace {

namespace fs = std::filesystem;

class StoreLocation : public testing::StoreTest {};

TEST_F(StoreLocation, FollowsTheCacheFolderOfTheUser) {
  EXPECT_EQ("/c/hearth/workspaces", stores_folder("/c", "/h").value());
  EXPECT_EQ("/h/.cache/hearth/workspaces", stores_folder("relative", "/h").value());
  EXPECT_EQ("/h/.cache/hearth/workspaces", stores_folder(std::nullopt, "/h").value());
  EXPECT_FALSE(stores_folder(std::nullopt, std::nullopt));
  EXPECT_NE(store_path("/s", "/a/project"), store_path("/s", "/b/project"));
  EXPECT_EQ("/s", store_path("/s", "/a/project").parent_path());
  EXPECT_EQ("/s", store_path("/s", "/" + std::string(250, 'x')).parent_path());
}

TEST_F(StoreLocation, KeepsTheFolderToTheUser) {
  fs::create_directories(path().parent_path());
  fs::permissions(path().parent_path(), fs::perms::all);
  ASSERT_TRUE(prepare_store(path()));
  struct stat status {};
  ASSERT_EQ(0, ::stat(path().parent_path().c_str(), &status));
  EXPECT_EQ(0700u, status.st_mode & 0777);
  ASSERT_EQ(0, ::stat(path().c_str(), &status));
  EXPECT_EQ(0600u, status.st_mode & 0777);
}

TEST_F(StoreLocation, SetsACorruptFileAsideAndMakesANewOne) {
  for (const std::string& content :
       {std::string("no database at all, but long enough to be looked at").append(4000, ' '),
        std::string("SQLite format 3\0", 16).append(3000, '\7')}) {
    folder_.file("stores/project.db", content);
    const PreparedStore prepared = prepare_store(path()).value();
    ASSERT_TRUE(prepared.set_aside);
    EXPECT_EQ(content, testing::read_text(*prepared.set_aside));
    EXPECT_TRUE(writer().put(std::vector{record("a.py", 1)}));
    EXPECT_EQ(1, reader().counts()->files);
    EXPECT_FALSE(prepare_store(path())->set_aside);
    EXPECT_TRUE(forget_store(path()).value());
  }
}

TEST_F(StoreLocation, SurvivesAFileCutAnywhere) {
  {
    StoreWriter filled = writer();
    for (int i = 0; i < 200; ++i) ASSERT_TRUE(filled.put(std::vector{record(std::to_string(i) + ".py", 1)}));
  }
  const std::string whole = testing::read_text(path());
  for (std::size_t size = 0; size < whole.size(); size += 4999) {
    ASSERT_TRUE(forget_store(path()));
    folder_.file("stores/project.db", whole.substr(0, size));
    ASSERT_TRUE(prepare_store(path())) << size;
    // What is missing may show only where it is read.
    bool corrupt = false;
    if (auto opened = StoreWriter::open(path(), options())) {
      std::vector<FileRecord> records;
      for (int i = 0; i < 200; ++i) records.push_back(record(std::to_string(i) + ".py", 2));
      const Result<void> put = opened->put(records);
      corrupt = !put && put.error().code == ErrorCode::kCorrupt;
      EXPECT_TRUE(put || corrupt) << size;
    } else {
      corrupt = opened.error().code == ErrorCode::kCorrupt;
      EXPECT_TRUE(corrupt) << size << ' ' << opened.error().message;
    }
    if (!corrupt) continue;
    mark_corrupt(path());
    EXPECT_TRUE(prepare_store(path())->set_aside) << size;
    EXPECT_TRUE(writer().put(std::vector{record("a.py", 1)})) << size;
  }
}

TEST_F(StoreLocation, LeavesAFileOfALaterVersionAlone) {
  ASSERT_TRUE(prepare_store(path()));
  {
    Database database = Database::open(path(), Database::Mode::kReadWrite).value();
    ASSERT_TRUE(database.execute("PRAGMA user_version = 1000; PRAGMA wal_checkpoint(TRUNCATE)"));
  }
  const std::string before = testing::read_text(path());
  EXPECT_EQ(ErrorCode::kNewer, prepare_store(path()).error().code);
  EXPECT_EQ(ErrorCode::kNewer, StoreReader::open(path()).error().code);
  EXPECT_EQ(before, testing::read_text(path()));
}

TEST_F(StoreLocation, ForgetsAStoreWithAllThatBelongsToIt) {
  EXPECT_FALSE(forget_store(path()).value());
  ASSERT_TRUE(prepare_store(path()));
  mark_corrupt(path());
  ASSERT_TRUE(prepare_store(path())->set_aside);
  EXPECT_TRUE(forget_store(path()).value());
  std::vector<std::string> left;
  for (const auto& entry : fs::directory_iterator(path().parent_path()))
    left.push_back(entry.path().filename());
  EXPECT_EQ(std::vector<std::string>{"lock"}, left);
}

TEST_F(StoreLocation, EvictsTheLeastRecentlyUsedStoresThatNobodyIndexes) {
  const fs::path stores = path().parent_path();
  const auto store = [&](const char* name, int used) {
    const fs::path file = stores / name;
    EXPECT_TRUE(prepare_store(file));
    const auto at = fs::file_time_type(std::chrono::seconds(used));
    for (const char* suffix : {"", "-wal", "-shm"}) {
      std::error_code none;
      fs::last_write_time(fs::path(file) += suffix, at, none);
    }
    return file;
  };
  const fs::path newest = store("newest.db", 300), kept = store("kept.db", 10), old = store("old.db", 200);
  const fs::path leased = stores / "leased.db";
  ASSERT_TRUE(prepare_store(leased));
  const StoreWriter indexing = StoreWriter::open(leased, options()).value();
  store("leased.db", 20);
  EXPECT_TRUE(evict_stores(stores, 1'000'000'000, kept, now_)->empty());
  std::uint64_t total = 0;
  for (const auto& entry : fs::directory_iterator(stores)) total += entry.file_size();
  EXPECT_EQ(std::vector{old}, evict_stores(stores, total - 1, kept, now_).value());
  EXPECT_EQ(std::vector{newest}, evict_stores(stores, 0, kept, now_).value());
  EXPECT_TRUE(fs::exists(kept) && fs::exists(leased));
}

}  // namespace
}  // namespace hearth::cache
