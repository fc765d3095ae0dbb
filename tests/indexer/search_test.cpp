#include "indexer/search.h"

#include <gtest/gtest.h>

#include "tests/support/indexed_workspace.h"

namespace hearth::indexer {
namespace {

TEST(Search, FindsFilesAndSymbolsByTheWordsOfTheirNames) {
  const testing::IndexedWorkspace workspace;
  workspace.write("config.py", "def read_config(path):\n    pass\n\ndef write_config(path):\n    pass\n");
  workspace.write("use.py", "from config import read_config\n\ndef main():\n    read_config('a')\n");
  workspace.write("other.py", "def parse_header(line):\n    pass\n");
  workspace.index();
  WorkspaceView view = workspace.view();
  for (const char* query : {"read config", "readConfig", "read_config"}) {
    const auto hits = search_workspace(view.reader(), query, 10);
    ASSERT_TRUE(hits) << hits.error().message;
    ASSERT_EQ(2u, hits->size()) << query;
    EXPECT_EQ("config.py", hits->at(0).path) << query;
    EXPECT_EQ("read_config", hits->at(0).symbols.at(0).name) << query;
    EXPECT_EQ("use.py", hits->at(1).path) << query;
  }
  EXPECT_EQ(1u, search_workspace(view.reader(), "read config", 1)->size());
  EXPECT_TRUE(search_workspace(view.reader(), "", 10)->empty());
  EXPECT_TRUE(search_workspace(view.reader(), "\"* OR (", 10)->empty());
}

}  // namespace
}  // namespace hearth::indexer
