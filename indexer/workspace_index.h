// The writing side of one workspace: its store, with the lease in hand, brought up to date as often as one
// wants. One thread at a time.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "cache/store_reader.h"
#include "cache/store_writer.h"
#include "indexer/error.h"
#include "indexer/index_run.h"

namespace hearth::indexer {

class WorkspaceIndex {
 public:
  // Makes the store where there is none; one that is corrupt is set aside and made anew. kBusy: another
  // process indexes this workspace, or has its store locked.
  static Result<WorkspaceIndex> open(IndexOptions options, std::filesystem::path store,
                                     cache::WriterOptions writer);

  // The whole workspace. A store that turns out corrupt on the way is set aside and made anew, once. After
  // kBusy it can be called again; after another failure of the store (kFull, kStore) it has to be opened
  // anew.
  Result<IndexReport> update(const std::function<void(const IndexProgress&)>& progress, std::stop_token stop);

  // Only these paths from the root, files or what was files, and what depends on them.
  Result<IndexReport> update_paths(std::vector<std::string> paths, std::stop_token stop);

  // These files, by their paths from the root, were asked for now: the last to leave an over-full store.
  Result<void> use(std::span<const std::string> paths);

  // Where the corrupt store is that was there before; told once.
  std::optional<std::filesystem::path> take_set_aside() { return std::exchange(set_aside_, std::nullopt); }
  const std::filesystem::path& root() const { return options_.root; }
  cache::StoreReader& reader() { return open_->reader; }

 private:
  struct Open {
    cache::StoreReader reader;
    cache::StoreWriter writer;  // goes first: on its way out it empties the log
  };

  WorkspaceIndex(IndexOptions options, std::filesystem::path store, cache::WriterOptions writer)
      : options_(std::move(options)), store_(std::move(store)), writer_options_(std::move(writer)) {}

  Result<void> open_store();

  IndexOptions options_;
  std::filesystem::path store_;
  cache::WriterOptions writer_options_;
  std::optional<std::filesystem::path> set_aside_;
  std::unique_ptr<Open> open_;
};

}  // namespace hearth::indexer
