// Keeps the store of one workspace up to date while a session lasts: indexes it, then follows its changes. A
// thread of its own at low priority; the constructing thread owns the object.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <thread>

#include "cache/store_writer.h"
#include "indexer/folder_watch.h"
#include "indexer/workspace_index.h"
#include "lsp/workspace_contexts.h"

namespace hearth::lsp {

struct RootIndexerOptions {
  indexer::IndexOptions index;
  std::filesystem::path store;
  cache::WriterOptions writer;
  std::size_t watches = 0;                      // that it may use
  std::chrono::milliseconds try_again{60'000};  // after another process had the store
};

class RootIndexer {
 public:
  // `tell` is called on the indexer's thread.
  RootIndexer(RootIndexerOptions options, std::function<void(IndexNews)> tell);
  ~RootIndexer();  // stops, releases the lease, waits for the end

  // This file, by its path from the root, was asked for. Any thread; written when the store is next.
  void use(std::string path);

 private:
  void run(const std::stop_token& stop);
  // Until it is stopped or fails; true when it is to be tried again. As the next one.
  bool index(const std::stop_token& stop);
  bool failed(const indexer::Error& error);
  indexer::Result<indexer::IndexReport> update(indexer::WorkspaceIndex& index, const std::stop_token& stop);
  // While single files change; false when the root is gone.
  bool follow(indexer::WorkspaceIndex& index, indexer::FolderWatch& watch, const std::stop_token& stop);
  void write_used(indexer::WorkspaceIndex& index);
  void tell(IndexNews::Kind kind, std::string message = "", int percentage = 0);

  const RootIndexerOptions options_;
  const std::function<void(IndexNews)> tell_;
  bool told_partial_ = false;  // the indexer's thread's
  std::mutex mutex_;
  std::set<std::string> used_;  // guarded by mutex_
  std::jthread thread_;
};

}  // namespace hearth::lsp
