#include "indexer/workspace_index.h"

#include <cstdlib>
#include <gtest/gtest.h>

#include "tests/support/indexed_workspace.h"

namespace hearth::indexer {
namespace {

namespace fs = std::filesystem;
using testing::IndexedWorkspace;

std::string only_symbol(const IndexedWorkspace& workspace, const std::string& path) {
  WorkspaceView view = workspace.view();
  const auto symbols = view.reader().symbols(path);
  return symbols && symbols->size() == 1 ? symbols->front().name : "";
}

TEST(WorkspaceIndex, LooksOnlyAtThePathsThatItIsGiven) {
  const IndexedWorkspace workspace;
  workspace.write("a.py", "def one():\n    pass\n");
  workspace.write("b/c.py", "import a\n");
  workspace.index();
  workspace.write("a.py", "def two():\n    pass\n");
  workspace.write("b/c.py", "def three():\n    pass\n");
  auto index = workspace.try_open().value();
  const auto report = index.update_paths({"a.py"}, {});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(1, report->analysed);
  EXPECT_EQ(2, report->files);
  EXPECT_EQ("two", only_symbol(workspace, "a.py"));
  EXPECT_EQ("", only_symbol(workspace, "b/c.py"));
}

TEST(WorkspaceIndex, FollowsPathsThatComeAndGoWithTheirImporters) {
  const IndexedWorkspace workspace;
  workspace.write("main.py", "import helper\n");
  workspace.index();
  auto index = workspace.try_open().value();
  const auto target = [&] { return index.reader().imports("main.py")->at(0).target; };
  workspace.write("helper.py", "");
  EXPECT_EQ(1, index.update_paths({"helper.py"}, {})->analysed);
  EXPECT_EQ("helper.py", target());
  fs::remove(workspace.root() / "helper.py");
  EXPECT_EQ(1, index.update_paths({"helper.py"}, {})->removed);
  EXPECT_EQ(std::nullopt, target());
  workspace.write("secrets/x.py", "");
  ASSERT_TRUE(index.update_paths({"secrets/x.py", "never/was.py"}, {}));
  EXPECT_EQ("may hold secrets", index.reader().file("secrets/x.py").value()->left_out);
}

TEST(WorkspaceIndex, LooksAtEverythingWhenAnIgnoreFileChanged) {
  const IndexedWorkspace workspace;
  workspace.write("a.py", "A = 1\n");
  workspace.write("b.py", "B = 1\n");
  workspace.index();
  workspace.write(".hearthignore", "b.py\n");
  auto index = workspace.try_open().value();
  EXPECT_EQ(2, index.update_paths({".hearthignore"}, {})->files);
  EXPECT_EQ("named by .hearthignore", index.reader().file("b.py").value()->left_out);
}

TEST(WorkspaceIndex, MakesANewStoreOfOneThatIsCorrupt) {
  const IndexedWorkspace workspace;
  workspace.write("a.py", "A = 1\n");
  workspace.index();
  fs::resize_file(workspace.store(), 5000);
  auto index = workspace.try_open();
  ASSERT_TRUE(index) << index.error().message;
  const auto report = index->update([](const IndexProgress&) {}, {});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(1, report->files);
  const auto aside = index->take_set_aside();
  ASSERT_TRUE(aside);
  EXPECT_TRUE(fs::exists(*aside));
  EXPECT_FALSE(index->take_set_aside());
}

TEST(WorkspaceIndex, GoesOnAfterAnotherConnectionHadTheStoreLocked) {
  const IndexedWorkspace workspace;
  workspace.write("a.py", "A = 1\n");
  workspace.index();
  workspace.write("a.py", "LATER = 2\n");
  auto index = workspace.try_open().value();
  auto other = cache::Database::open(workspace.store(), cache::Database::Mode::kReadWrite).value();
  {
    const auto locked = cache::Transaction::begin(other);
    ASSERT_TRUE(locked);
    const auto report = index.update([](const IndexProgress&) {}, {});
    ASSERT_FALSE(report);
    EXPECT_EQ(ErrorCode::kBusy, report.error().code);
    EXPECT_EQ(ErrorCode::kBusy, workspace.try_open().error().code);
  }
  EXPECT_TRUE(index.update([](const IndexProgress&) {}, {}));
  EXPECT_EQ("LATER", only_symbol(workspace, "a.py"));
}

TEST(WorkspaceIndex, NamesAWorkspaceThatVanished) {
  const IndexedWorkspace workspace;
  workspace.write("a.py", "A = 1\n");
  workspace.index();
  auto index = workspace.try_open().value();
  fs::remove_all(workspace.root());
  for (const auto& report :
       {index.update_paths({"a.py"}, {}), index.update([](const IndexProgress&) {}, {})}) {
    ASSERT_FALSE(report);
    EXPECT_NE(std::string::npos, report.error().message.find(workspace.root().string()));
  }
  EXPECT_EQ(1, index.reader().counts()->files);
}

}  // namespace
}  // namespace hearth::indexer
