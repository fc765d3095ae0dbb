#include "indexer/index_check.h"

#include <gtest/gtest.h>

#include "tests/support/indexed_workspace.h"

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

}  // namespace
}  // namespace hearth::indexer
