#include "lsp/root_indexer.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <utility>

#include "cache/store_location.h"

namespace hearth::lsp {
namespace {

constexpr int kNice = 10;  // below what the user waits for

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
  BackOff back_off(options_.try_again);
  while (!stop.stop_requested()) {
    const indexer::Result<void> ended = index(back_off, stop);
    if (ended) return;
    const bool busy = ended.error().code == indexer::ErrorCode::kBusy;
    tell(busy ? IndexNews::Kind::kElsewhere : IndexNews::Kind::kFailed, ended.error().message);
    back_off.rest(stop);
  }
}

void RootIndexer::use(std::string path) {
  const std::lock_guard lock(mutex_);
  used_.insert(std::move(path));
}

void RootIndexer::write_used(indexer::WorkspaceIndex& index) {
  std::set<std::string> used;
  {
    const std::lock_guard lock(mutex_);
    used.swap(used_);
  }
  // What cannot be written says so when there is something that has to be.
  if (!used.empty()) (void)index.use(std::vector(used.begin(), used.end()));
}

indexer::Result<indexer::IndexReport> RootIndexer::update(indexer::WorkspaceIndex& index,
                                                          const std::stop_token& stop) {
  tell(IndexNews::Kind::kBegun);
  write_used(index);
  auto report = index.update(
      [this](const indexer::IndexProgress& at) {
        if (at.all_bytes == 0) return;
        tell(IndexNews::Kind::kProgress, fmt::format("{} of {} files", at.files, at.all_files),
             static_cast<int>(100 * at.bytes / at.all_bytes));
      },
      stop);
  if (const auto aside = index.take_set_aside())
    tell(IndexNews::Kind::kNotice,
         "the store was corrupt; it is rebuilt, and what it was is in " + aside->string());
  return report;
}

indexer::Result<void> RootIndexer::index(BackOff& back_off, const std::stop_token& stop) {
  auto index = indexer::WorkspaceIndex::open(options_.index, options_.store, options_.writer);
  if (!index) return index.error();
  // Watched from before the first look, so that nothing falls between them.
  auto watch = indexer::FolderWatch::open(
      {.root = options_.index.root, .global_excludes = options_.index.global_excludes, .enter = {}},
      options_.watches, stop);
  while (!stop.stop_requested()) {
    const auto report = update(*index, stop);
    if (stop.stop_requested()) break;
    if (!report) return report.error();
    back_off.succeeded();
    tell(IndexNews::Kind::kDone, sentence(*report));
    // What cannot be removed now is tried again by the next one.
    (void)cache::evict_stores(options_.store.parent_path(), cache::kAllStoresBytes, options_.store,
                              options_.writer.now());
    if (!watch) {
      rest(indexer::kLookAgain, stop);
      continue;
    }
    if (const auto followed = follow(*index, *watch, stop); !followed) return followed.error();
  }
  write_used(*index);
  return {};
}

indexer::Result<void> RootIndexer::follow(indexer::WorkspaceIndex& index, indexer::FolderWatch& watch,
                                          const std::stop_token& stop) {
  const auto looked = std::chrono::steady_clock::now();
  while (!stop.stop_requested()) {
    if (watch.is_partial() && !std::exchange(told_partial_, true))
      tell(IndexNews::Kind::kNotice,
           fmt::format("the system has watches for {} of its folders only; it is looked at every minute",
                       watch.folders()));
    const auto changes = watch.wait(watch.limit_since(looked), stop);
    if (changes && changes->root_gone)
      return indexer::Error{indexer::ErrorCode::kUnreadable, options_.index.root.string() + " is gone"};
    if (!changes || changes->whole) return {};
    write_used(index);
    if (!index.update_paths(changes->paths, stop)) return {};
    tell(IndexNews::Kind::kFollowed);
  }
  return {};
}

}  // namespace hearth::lsp
