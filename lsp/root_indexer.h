// Keeps the store of one workspace up to date while a session lasts: indexes it, then follows its changes.
// What fails (another process has the store, the disk is full, the workspace is gone) is tried again, with
// all that changed meanwhile. A thread of its own at low priority; the constructing thread owns the object.
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
#include "lsp/back_off.h"
#include "lsp/workspace_contexts.h"

namespace hearth::lsp {

struct RootIndexerOptions {
  indexer::IndexOptions index;
  std::filesystem::path store;
  cache::WriterOptions writer;
  std::size_t watches = 0;                     // that it may use
  std::chrono::milliseconds try_again{1'000};  // after the first failure (back_off.h)
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
  // Until it is stopped or fails.
  indexer::Result<void> index(BackOff& back_off, const std::stop_token& stop);
  indexer::Result<indexer::IndexReport> update(indexer::WorkspaceIndex& index, const std::stop_token& stop);
  // While single files change; an error when the root is gone.
  indexer::Result<void> follow(indexer::WorkspaceIndex& index, indexer::FolderWatch& watch,
                               const std::stop_token& stop);
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
