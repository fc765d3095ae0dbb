#include "indexer/workspace_index.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "cache/store_location.h"
#include "indexer/manifest.h"
#include "indexer/store_error.h"

namespace hearth::indexer {

Result<WorkspaceIndex> WorkspaceIndex::open(IndexOptions options, std::filesystem::path store,
                                            cache::WriterOptions writer) {
  WorkspaceIndex index(std::move(options), std::move(store), std::move(writer));
  if (const Result<void> opened = index.open_store(); !opened) return opened.error();
  return index;
}

Result<void> WorkspaceIndex::open_store() {
  open_.reset();
  for (const bool last_try : {false, true}) {
    const auto prepared = cache::prepare_store(store_);
    if (!prepared) return store_error(prepared.error());
    if (prepared->set_aside) set_aside_ = prepared->set_aside;
    auto writer = cache::StoreWriter::open(store_, writer_options_);
    auto reader = cache::StoreReader::open(store_);
    if (writer && reader) {
      open_ = std::make_unique<Open>(Open{std::move(*reader), std::move(*writer)});
      return {};
    }
    const cache::Error error = writer ? reader.error() : writer.error();
    if (error.code != cache::ErrorCode::kCorrupt || last_try) return store_error(error);
    cache::mark_corrupt(store_);
  }
  return {};
}

Result<IndexReport> WorkspaceIndex::update(const std::function<void(const IndexProgress&)>& progress,
                                           std::stop_token stop) {
  const auto attempt = [&] {
    return index_workspace(options_, open_->reader, open_->writer, progress, stop);
  };
  Result<IndexReport> report = attempt();
  const auto& stopped = open_->writer.stopped();
  if (report || !stopped || stopped->code != cache::ErrorCode::kCorrupt) return report;
  cache::mark_corrupt(store_);
  if (const Result<void> opened = open_store(); !opened) return opened.error();
  return attempt();
}

Result<void> WorkspaceIndex::use(std::span<const std::string> paths) {
  if (const auto used = open_->writer.use(paths); !used) return store_error(used.error());
  return {};
}

Result<IndexReport> WorkspaceIndex::update_paths(std::vector<std::string> paths, std::stop_token stop) {
  // What these say reaches further than themselves.
  const auto reaches_far = [](const std::string& path) {
    const std::string_view name = std::string_view(path).substr(path.rfind('/') + 1);
    return name == ".gitignore" || name == ".hearthignore" || is_lock_file(path);
  };
  const auto nobody = [](const IndexProgress&) {};
  if (std::ranges::any_of(paths, reaches_far)) return update(nobody, std::move(stop));
  IndexOptions options = options_;
  options.only = std::move(paths);
  return index_workspace(options, open_->reader, open_->writer, nobody, std::move(stop));
}

}  // namespace hearth::indexer
