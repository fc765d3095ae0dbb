// Keeps the store of one workspace up to date while a session lasts: indexes it, then follows its changes. A
// thread of its own at low priority; the constructing thread owns the object.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <thread>

#include "cache/store_writer.h"
#include "indexer/index_run.h"
#include "lsp/workspace_contexts.h"

namespace hearth::lsp {

struct RootIndexerOptions {
  indexer::IndexOptions index;
  std::filesystem::path store;
  cache::WriterOptions writer;
  std::size_t watches = 0;  // that it may use
};

class RootIndexer {
 public:
  // `tell` is called on the indexer's thread.
  RootIndexer(RootIndexerOptions options, std::function<void(IndexNews)> tell);
  ~RootIndexer();  // stops, releases the lease, waits for the end

 private:
  void run(const std::stop_token& stop);
  bool index(const std::stop_token& stop);  // until it is stopped or fails for good
  void tell(IndexNews::Kind kind, std::string message = "", int percentage = 0);

  const RootIndexerOptions options_;
  const std::function<void(IndexNews)> tell_;
  std::jthread thread_;
};

}  // namespace hearth::lsp
