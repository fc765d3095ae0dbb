#include "cache/schema.h"

#include <array>
#include <gtest/gtest.h>

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
