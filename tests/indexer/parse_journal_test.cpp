#include "indexer/parse_journal.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/indexed_workspace.h"

namespace hearth::indexer {
namespace {

namespace fs = std::filesystem;

// A process that dies while it parses these.
void die_parsing(const fs::path& journal_path, const std::vector<std::string>& files) {
  const pid_t child = ::fork();
  if (child == 0) {
    ParseJournal journal(journal_path, 4);
    int slot = 0;
    journal.begin(slot, "done.py");
    journal.end(slot);
    for (const std::string& file : files) journal.begin(slot++, file);
    ::_exit(1);  // without destructors, as a crash
  }
  int status = 0;
  ::waitpid(child, &status, 0);
}

TEST(ParseJournal, BlamesAFileForTheSecondDeathInARow) {
  const testing::TemporaryFolder folder;
  const fs::path path = folder / "journal";
  die_parsing(path, {"a.py", "b.py"});
  die_parsing(path, {"b.py", "c.py"});
  {
    const ParseJournal journal(path, 2);
    EXPECT_TRUE(journal.crashed("b.py"));
    EXPECT_FALSE(journal.crashed("a.py") || journal.crashed("c.py") || journal.crashed("done.py"));
    EXPECT_TRUE(journal.suspected("c.py"));
  }
  EXPECT_FALSE(fs::exists(path));  // a good end
  const ParseJournal journal(path, 2);
  EXPECT_FALSE(journal.crashed("b.py") || journal.suspected("c.py"));
}

TEST(ParseJournal, IsDoneWithoutWhereItCannotBeKept) {
  ParseJournal journal("/proc/no/such/journal", 2);
  journal.begin(0, "a.py");
  journal.end(0);
  EXPECT_FALSE(journal.crashed("a.py"));
}

TEST(ParseJournal, TakesAJournalThatIsBroken) {
  const testing::TemporaryFolder folder;
  folder.file("journal", std::string(5000, '\xff'));
  const ParseJournal journal(folder / "journal", 1);
  EXPECT_FALSE(journal.crashed(std::string(10, '\xff')));
}

TEST(ParseJournal, KeepsAFileOutOfTheIndexUntilItChanges) {
  const testing::IndexedWorkspace workspace;
  workspace.write("bad.py", "BAD = 1\n");
  workspace.write("good.py", "GOOD = 1\n");
  { ASSERT_TRUE(workspace.try_open()); }  // makes the folder of stores
  const fs::path journal = workspace.store().string() + "-parsing";
  die_parsing(journal, {"bad.py"});
  die_parsing(journal, {"bad.py"});
  EXPECT_EQ(1, workspace.index().files);
  const auto why = [&] { return workspace.view().reader().file("bad.py").value()->left_out; };
  EXPECT_EQ("its parser crashed", why());
  EXPECT_EQ(1, workspace.index().files);  // it stays out
  workspace.write("bad.py", "BETTER = 1\n");
  EXPECT_EQ(2, workspace.index().files);
  EXPECT_EQ("", why());
}

}  // namespace
}  // namespace hearth::indexer
