#include "cache/schema.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>

#include "cache/plans.h"
#include "cache/statistics.h"
#include "cache/store_location.h"
#include "cache/store_reader.h"
#include "cache/store_writer.h"
#include "tests/support/temporary_folder.h"

namespace hearth::cache {
namespace {

using testing::TemporaryFolder;

constexpr std::array<std::string_view, 3> kSteps = {"CREATE TABLE a(x)", "ALTER TABLE a ADD COLUMN y",
                                                    "UPDATE a SET y = x + 1"};

TEST(Schema, BringsEveryOlderVersionUpToDateAndKeepsItsRows) {
  for (std::size_t from = 1; from <= kSteps.size(); ++from) {
    const TemporaryFolder folder;
    Database database = Database::open(folder / "a.db", Database::Mode::kReadWrite).value();
    ASSERT_TRUE(migrate(database, std::span(kSteps).first(from)));
    ASSERT_TRUE(database.execute("INSERT INTO a(x) VALUES(7)"));
    ASSERT_TRUE(migrate(database, kSteps));
    EXPECT_EQ(3, database.integer("PRAGMA user_version").value());
    EXPECT_EQ(7, database.integer("SELECT x FROM a").value());
    EXPECT_EQ(from < 3 ? 8 : 0, database.integer("SELECT y FROM a").value());
  }
}

TEST(Schema, LeavesAFailedMigrationUndone) {
  constexpr std::array<std::string_view, 2> kBroken = {"CREATE TABLE b(x)", "no such statement"};
  const TemporaryFolder folder;
  Database database = Database::open(folder / "a.db", Database::Mode::kReadWrite).value();
  EXPECT_FALSE(migrate(database, kBroken));
  EXPECT_EQ(0, database.integer("PRAGMA user_version").value());
  EXPECT_EQ(0, database.integer("SELECT count(*) FROM sqlite_schema").value());
}

TEST(Schema, RefusesANewerFileAndAnotherProgrammes) {
  const TemporaryFolder folder;
  Database newer = Database::open(folder / "newer.db", Database::Mode::kReadWrite).value();
  ASSERT_TRUE(migrate(newer, kSteps));
  EXPECT_EQ(ErrorCode::kNewer, migrate(newer, std::span(kSteps).first(2)).error().code);
  EXPECT_EQ(3, newer.integer("PRAGMA user_version").value());

  Database other = Database::open(folder / "other.db", Database::Mode::kReadWrite).value();
  ASSERT_TRUE(other.execute("PRAGMA user_version = 1"));
  EXPECT_EQ(ErrorCode::kCorrupt, migrate(other, kSteps).error().code);
}

// What each version of a workspace's store brought, with a row in every table.
constexpr std::array<const char*, 3> kRows = {
    R"sql(
  INSERT INTO files VALUES(1, 'a.py', 'python', 5, 6, 7, NULL, 8), (2, '.env', '', 1, 1, 0, 'may hold secrets', 8);
  INSERT INTO symbols VALUES(1, 0, 'add', 'function', '', 'def add()', 'Adds.', 1, 0, 9, 0, 1);
  INSERT INTO imports VALUES(1, 0, 'b', '', 0, 'b.py');
  INSERT INTO chunks VALUES(1, 0, 0, 9, 0, 1, 7, x'00');
  INSERT INTO summaries VALUES(1, 'x', 'y');
  INSERT INTO manifests VALUES(1, 'pypi', 'shop', '1.0');
  INSERT INTO dependencies VALUES(1, 0, 'requests', '>=2', '2.31', '');
  INSERT INTO lease VALUES(1, 'long gone', 1, 0);
  INSERT INTO words(rowid, text) VALUES(1, 'add shared');
)sql",
    R"sql(
  INSERT INTO suggestions VALUES(3, 'python', 5, 1, 1, 1, 1, 30);
  INSERT INTO latencies VALUES(3, 'python', 2, 4);
)sql",
    "INSERT INTO plans VALUES('a.py', 'as it was', 8)"};

TEST(Schema, OpensTheStoresOfAllOlderVersionsWithWhatIsInThem) {
  const auto steps = workspace_form().migrations;
  ASSERT_GE(steps.size(), kRows.size());
  for (std::size_t version = 1; version < steps.size(); ++version) {
    const TemporaryFolder folder;
    const auto path = folder / "stores/a.db";
    std::filesystem::create_directories(path.parent_path());
    {
      Database database = Database::open(path, Database::Mode::kReadWrite).value();
      ASSERT_TRUE(migrate(database, steps.first(version)));
      for (std::size_t i = 0; i < std::min(version, kRows.size()); ++i)
        ASSERT_TRUE(database.execute(kRows.at(i))) << database.execute(kRows.at(i)).error().message;
    }
    const auto prepared = prepare_store(path);
    ASSERT_TRUE(prepared) << prepared.error().message;
    EXPECT_FALSE(prepared->set_aside);
    WriterOptions options;
    options.now = [] { return std::chrono::sys_seconds(std::chrono::seconds(100)); };
    StoreWriter writer = StoreWriter::open(path, options).value();
    StoreReader reader = StoreReader::open(path).value();
    EXPECT_EQ(7u, reader.file("a.py").value()->hash);
    EXPECT_EQ("may hold secrets", reader.file(".env").value()->left_out);
    EXPECT_EQ("add", reader.symbols("a.py")->at(0).name);
    EXPECT_EQ(std::vector<std::string>{"a.py"}, reader.importers("b.py").value());
    EXPECT_EQ("requests", reader.manifest("a.py").value()->dependencies.at(0).name);
    EXPECT_EQ(1, reader.files_with_word("shared").value());
    EXPECT_TRUE(reader.integrity()->empty());
    EXPECT_EQ(version >= 2 ? 1u : 0u, read_statistics(path, 0)->size());
    EXPECT_EQ(version >= 3 ? std::optional<std::string>("as it was") : std::nullopt,
              plan_of(path, "a.py").value());
    ASSERT_TRUE(writer.remove(std::vector<std::string>{"a.py"}));
    EXPECT_EQ(1, reader.counts()->files);
  }
}

TEST(Schema, IsWholeInTheLastVersion) {
  const TemporaryFolder folder;
  Database database = Database::open(folder / "a.db", Database::Mode::kReadWrite).value();
  ASSERT_TRUE(migrate(database));
  EXPECT_TRUE(
      database.run("SELECT * FROM files, symbols, imports, manifests, dependencies, "
                   "lease, words, word_counts"));
}

}  // namespace
}  // namespace hearth::cache
