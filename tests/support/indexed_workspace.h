// A workspace in a folder of a test's own, with its store.
#pragma once

#include <gtest/gtest.h>
#include <string>

#include "indexer/workspace_index.h"
#include "indexer/workspace_view.h"
#include "tests/support/temporary_folder.h"

namespace hearth::testing {

class IndexedWorkspace {
 public:
  IndexedWorkspace() { std::filesystem::create_directories(root()); }

  std::filesystem::path root() const { return folder_ / "shop"; }
  std::filesystem::path store() const { return folder_ / "stores/shop.db"; }
  void write(const std::string& name, const std::string& text) const { folder_.file("shop/" + name, text); }

  indexer::Result<indexer::WorkspaceIndex> try_open() const {
    cache::WriterOptions options;
    options.now = [] { return std::chrono::sys_seconds(std::chrono::seconds(1)); };
    options.patience = std::chrono::milliseconds(100);
    const auto journal = std::make_shared<indexer::ParseJournal>(store().parent_path());
    return indexer::WorkspaceIndex::open(
        {.root = root(), .global_excludes = {}, .threads = 2, .journal = journal, .only = {}}, store(),
        options);
  }

  // Brings the store up to date.
  indexer::IndexReport index() const {
    auto index = try_open();
    EXPECT_TRUE(index) << index.error().message;
    const auto report = index->update([](const indexer::IndexProgress&) {}, {});
    EXPECT_TRUE(report) << report.error().message;
    return report ? *report : indexer::IndexReport{};
  }

  indexer::WorkspaceView view() const { return indexer::WorkspaceView::open(root(), store()).value(); }

 private:
  TemporaryFolder folder_;
};

}  // namespace hearth::testing
