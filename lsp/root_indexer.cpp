#include "lsp/root_indexer.h"

#include <condition_variable>
#include <fmt/format.h>
#include <mutex>
#include <sys/resource.h>
#include <utility>

#include "cache/store_location.h"
#include "indexer/folder_watch.h"
#include "indexer/workspace_index.h"

namespace hearth::lsp {
namespace {

constexpr int kNice = 10;                           // below what the user waits for
constexpr std::chrono::seconds kTryLeaseAgain(60);  // after another process had it
constexpr std::chrono::seconds kLookAgain(60);      // where changes cannot all be watched

// Nothing happens until then, or until it is stopped.
void rest(std::chrono::seconds time, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  stopped.wait_for(lock, stop, time, [] { return false; });
}

std::string sentence(const indexer::IndexReport& report) {
  return fmt::format("{} files, {} of them new or changed", report.files, report.analysed);
}

}  // namespace

RootIndexer::RootIndexer(RootIndexerOptions options, std::function<void(IndexNews)> tell)
    : options_(std::move(options)),
      tell_(std::move(tell)),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

RootIndexer::~RootIndexer() = default;

void RootIndexer::tell(IndexNews::Kind kind, std::string message, int percentage) {
  tell_({kind, options_.index.root.string(), std::move(message), percentage});
}

void RootIndexer::run(const std::stop_token& stop) {
  ::setpriority(PRIO_PROCESS, 0, kNice);  // of this thread, and of those it starts
  while (!stop.stop_requested() && index(stop)) rest(kTryLeaseAgain, stop);
}

bool RootIndexer::index(const std::stop_token& stop) {
  auto index = indexer::WorkspaceIndex::open(options_.index, options_.store, options_.writer);
  if (!index) {
    const bool busy = index.error().code == indexer::ErrorCode::kBusy;
    tell(busy ? IndexNews::Kind::kElsewhere : IndexNews::Kind::kFailed, index.error().message);
    return busy;
  }
  // Watched from before the first look, so that nothing falls between them.
  auto watch = indexer::FolderWatch::open(
      {.root = options_.index.root, .global_excludes = options_.index.global_excludes, .enter = {}},
      options_.watches, stop);
  while (!stop.stop_requested()) {
    tell(IndexNews::Kind::kBegun);
    const auto report = index->update(
        [this](const indexer::IndexProgress& at) {
          if (at.all_bytes == 0) return;
          tell(IndexNews::Kind::kProgress, fmt::format("{} of {} files", at.files, at.all_files),
               static_cast<int>(100 * at.bytes / at.all_bytes));
        },
        stop);
    if (stop.stop_requested()) return false;
    if (!report) {
      tell(IndexNews::Kind::kFailed, report.error().message);
      return false;
    }
    tell(IndexNews::Kind::kDone, sentence(*report));
    // What cannot be removed now is tried again by the next one.
    (void)cache::evict_stores(options_.store.parent_path(), cache::kAllStoresBytes, options_.store,
                              options_.writer.now());
    if (!watch) {
      rest(kLookAgain, stop);
      continue;
    }
    bool whole = false;
    while (!whole && !stop.stop_requested()) {
      const auto changes = watch->wait(
          watch->is_partial() ? std::optional<std::chrono::milliseconds>(kLookAgain) : std::nullopt, stop);
      whole = !changes || changes->whole;
      if (changes && changes->root_gone) {
        tell(IndexNews::Kind::kFailed, options_.index.root.string() + " is gone");
        return false;
      }
      if (whole) continue;
      whole = !index->update_paths(changes->paths, stop);
      if (!whole) tell(IndexNews::Kind::kFollowed);
    }
  }
  return false;
}

}  // namespace hearth::lsp
