#include "cache/database.h"

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"

namespace hearth::cache {
namespace {

using testing::TemporaryFolder;

TEST(Database, KeepsTextWithAnyBytesAndNulls) {
  const TemporaryFolder folder;
  Database database = Database::open(folder / "odd #?%41.db", Database::Mode::kReadWrite).value();
  ASSERT_TRUE(database.execute("CREATE TABLE t(a TEXT, b INTEGER)"));
  const std::string bytes("a\0\xff\n", 4);
  ASSERT_TRUE(database.run("INSERT INTO t VALUES(?, ?)", bytes, std::optional<int>()));
  Statement& row = **database.statement("SELECT a, b FROM t");
  ASSERT_TRUE(row.step().value());
  EXPECT_EQ(bytes, row.text(0));
  EXPECT_TRUE(row.is_null(1));
  EXPECT_FALSE(row.step().value());
  EXPECT_TRUE(std::filesystem::exists(folder / "odd #?%41.db"));
}

TEST(Database, RollsBackWhatIsNotCommitted) {
  const TemporaryFolder folder;
  Database database = Database::open(folder / "a.db", Database::Mode::kReadWrite).value();
  ASSERT_TRUE(database.execute("CREATE TABLE t(a INTEGER)"));
  {
    const Transaction dropped = Transaction::begin(database).value();
    ASSERT_TRUE(database.run("INSERT INTO t VALUES(?)", 1));
  }
  EXPECT_EQ(0, database.integer("SELECT count(*) FROM t").value());
  Transaction kept = Transaction::begin(database).value();
  ASSERT_TRUE(database.run("INSERT INTO t VALUES(?)", 2));
  ASSERT_TRUE(kept.commit());
  EXPECT_EQ(2, database.integer("SELECT a FROM t").value());
}

TEST(Database, NamesTheFileInItsErrors) {
  const TemporaryFolder folder;
  const auto missing = Database::open(folder / "no/such.db", Database::Mode::kReadWrite);
  ASSERT_FALSE(missing);
  EXPECT_EQ(ErrorCode::kUnreadable, missing.error().code);
  EXPECT_NE(std::string::npos, missing.error().message.find("no/such.db"));

  folder.file("text.db", std::string(5000, 'x'));
  Database text = Database::open(folder / "text.db", Database::Mode::kReadWrite).value();
  const auto read = text.integer("PRAGMA user_version");
  ASSERT_FALSE(read);
  EXPECT_EQ(ErrorCode::kCorrupt, read.error().code);
  EXPECT_NE(std::string::npos, read.error().message.find("text.db"));
}

}  // namespace
}  // namespace hearth::cache
