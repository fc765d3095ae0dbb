#include "indexer/related_files.h"

#include <gtest/gtest.h>

#include "tests/support/indexed_workspace.h"

namespace hearth::indexer {
namespace {

using testing::IndexedWorkspace;

// The text with `|` at the cursor, as the content of a file.
std::vector<RelatedFile> related(const IndexedWorkspace& workspace, const std::string& path,
                                 const std::string& marked, PlaceInFile place = {}) {
  const std::size_t cursor = marked.find('|');
  const std::string text = marked.substr(0, cursor) + marked.substr(cursor + 1);
  place.path = path;
  place.text = text;
  place.cursor = cursor;
  WorkspaceView view = workspace.view();
  DocumentOutliner outliner;
  auto files = related_files(view, outliner, place, 10);
  EXPECT_TRUE(files) << files.error().message;
  return std::move(*files);
}

std::vector<std::string> paths(const std::vector<RelatedFile>& files) {
  std::vector<std::string> paths;
  for (const RelatedFile& file : files) paths.push_back(file.path);
  return paths;
}

class RelatedFiles : public ::testing::Test {
 protected:
  RelatedFiles() {
    workspace_.write("shop/__init__.py", "");
    workspace_.write("shop/cart.py", "class Cart:\n    def add_item(self, item):\n        pass\n");
    workspace_.write("shop/prices.py",
                     "def price_of(item):\n    return 1\n\ndef _rounded(x):\n    return x\n");
    workspace_.write("shop/unused.py", "def something_else():\n    pass\n");
    workspace_.write("web/cart.js", "export function price_of(item) {}\n");
    workspace_.index();
  }

  IndexedWorkspace workspace_;
};

TEST_F(RelatedFiles, AreThoseThatAreImportedTheNearestUsedFirst) {
  const std::string imports = "from shop.cart import Cart\nfrom shop.prices import price_of\n\n";
  const std::string far(200, '\n');
  EXPECT_EQ((std::vector<std::string>{"shop/cart.py", "shop/prices.py"}),
            paths(related(workspace_, "main.py", imports + "price_of(1)\n" + far + "cart = Cart()\n|")));
  const auto files = related(workspace_, "main.py", imports + "cart = Cart()\n" + far + "price_of(1)\n|");
  EXPECT_EQ((std::vector<std::string>{"shop/prices.py", "shop/cart.py"}), paths(files));
  EXPECT_EQ(std::vector<std::string>{"price_of"}, files.front().wanted);
}

TEST_F(RelatedFiles, DefineWhatStandsAtTheCursorInTheLanguageOfTheFile) {
  EXPECT_EQ(std::vector<std::string>{"shop/prices.py"},
            paths(related(workspace_, "main.py", "x = price_of(|\n")));
  EXPECT_EQ(std::vector<std::string>{"web/cart.js"},
            paths(related(workspace_, "web/main.js", "price_of(|\n")));
}

TEST_F(RelatedFiles, AreNotThoseThatNothingCallsFor) {
  EXPECT_TRUE(related(workspace_, "main.py", "x = 1\n|").empty());
  EXPECT_TRUE(related(workspace_, "main.py", "_rounded(|").empty());  // its own file's business
}

TEST_F(RelatedFiles, AreNeverTheFileItselfNorWhatIsMasked) {
  EXPECT_TRUE(related(workspace_, "shop/prices.py", "price_of(|").empty());
  PlaceInFile place;
  place.masked = {"shop/prices.py"};
  EXPECT_TRUE(related(workspace_, "main.py", "from shop.prices import price_of\nprice_of(|", place).empty());
}

TEST_F(RelatedFiles, ThatWereUsedLatelyComeBeforeOthersLikeThem) {
  workspace_.write("shop/a.py", "def shared_name():\n    pass\n");
  workspace_.write("shop/b.py", "def shared_name():\n    pass\n");
  workspace_.index();
  EXPECT_EQ((std::vector<std::string>{"shop/a.py", "shop/b.py"}),
            paths(related(workspace_, "main.py", "shared_name(|")));
  PlaceInFile place;
  place.recent = {"shop/b.py"};
  EXPECT_EQ((std::vector<std::string>{"shop/b.py", "shop/a.py"}),
            paths(related(workspace_, "main.py", "shared_name(|", place)));
}

}  // namespace
}  // namespace hearth::indexer
