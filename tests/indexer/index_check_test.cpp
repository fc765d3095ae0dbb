#include "indexer/index_check.h"

#include <gtest/gtest.h>

#include "tests/support/indexed_workspace.h"
#include "tests/support/without_privileges.h"

namespace hearth::indexer {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> faults(const testing::IndexedWorkspace& workspace) {
  WorkspaceView view = workspace.view();
  const auto report = check_index({.root = workspace.root(), .global_excludes = {}, .threads = 1, .only = {}},
                                  view.reader(), {});
  EXPECT_TRUE(report) << report.error().message;
  std::vector<std::string> lines;
  for (const IndexFault& fault : report->faults) lines.push_back(fault.path + ": " + fault.what);
  return lines;
}

TEST(IndexCheck, FindsNothingWrongWithWhatWasJustIndexed) {
  const testing::IndexedWorkspace workspace;
  workspace.write("a.py", "A = 1\n");
  workspace.write("b/blob.bin", std::string("\0\1", 2));
  workspace.write(".env", "KEY=1\n");
  workspace.write("node_modules/x.js", "");
  workspace.index();
  EXPECT_EQ(std::vector<std::string>(), faults(workspace));
}

TEST(IndexCheck, NamesEachFileThatTheStoreHasWrong) {
  const testing::IndexedWorkspace workspace;
  for (const char* name : {"changed.py", "gone.py", "ignored.py", "same.py"})
    workspace.write(name, "A = 1\n");
  workspace.index();
  const auto time = fs::last_write_time(workspace.root() / "changed.py");
  workspace.write("changed.py", "A = 2\n");
  fs::last_write_time(workspace.root() / "changed.py", time);  // nothing but its content tells
  fs::remove(workspace.root() / "gone.py");
  workspace.write("new.py", "");
  workspace.write(".hearthignore", "ignored.py\n");
  EXPECT_EQ((std::vector<std::string>{
                ".hearthignore: not in the store", "changed.py: changed since it was indexed",
                "gone.py: gone from the disk", "ignored.py: should be left out: named by .hearthignore",
                "new.py: not in the store"}),
            faults(workspace));
}

TEST(IndexCheck, TellsWhatCannotBeReadFromWhatIsGone) {
  const testing::IndexedWorkspace workspace;
  for (const char* name : {"closed/a.py", "known.py", "never.py"}) workspace.write(name, "A = 1\n");
  fs::permissions(workspace.root() / "never.py", fs::perms::none);
  const testing::WithoutPrivileges plain;
  workspace.index();
  EXPECT_EQ(std::vector<std::string>(), faults(workspace));
  for (const char* name : {"closed", "known.py"}) fs::permissions(workspace.root() / name, fs::perms::none);
  workspace.index();
  EXPECT_EQ((std::vector<std::string>{
                "closed/a.py: its folder cannot be read",
                "known.py: " + (workspace.root() / "known.py").string() + ": Permission denied"}),
            faults(workspace));
  for (const char* name : {"closed", "known.py", "never.py"})
    fs::permissions(workspace.root() / name, fs::perms::owner_all);
  EXPECT_EQ((std::vector<std::string>{"closed/: gone from the disk",
                                      "never.py: should not be left out: cannot be read"}),
            faults(workspace));
}

}  // namespace
}  // namespace hearth::indexer
