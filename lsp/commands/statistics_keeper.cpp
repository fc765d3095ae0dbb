#include "lsp/commands/statistics_keeper.h"

#include <chrono>
#include <utility>

#include "cache/store_location.h"
#include "indexer/scanner.h"

namespace hearth::commands {
namespace {

std::int64_t today() {
  return std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now()).time_since_epoch().count();
}

}  // namespace

StatisticsKeeper::StatisticsKeeper(std::optional<std::filesystem::path> stores,
                                   std::optional<std::string> home, lsp::Logger& logger)
    : stores_(std::move(stores)), home_(std::move(home)), logger_(logger), thread_([this] { run(); }) {}

StatisticsKeeper::~StatisticsKeeper() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  news_.notify_one();
  thread_.join();
}

void StatisticsKeeper::keep(std::vector<lsp::FolderStatistics> statistics) {
  {
    const std::lock_guard lock(mutex_);
    for (lsp::FolderStatistics& folder : statistics) waiting_.push_back(std::move(folder));
  }
  news_.notify_one();
}

void StatisticsKeeper::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    news_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    const lsp::FolderStatistics next = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    write(next);
    lock.lock();
  }
}

void StatisticsKeeper::write(const lsp::FolderStatistics& statistics) {
  if (!stores_ || statistics.folder.empty()) return;
  const auto root = indexer::workspace_root(statistics.folder, home_);
  if (!root) return;  // no workspace, and so no store
  const auto added = cache::add_statistics(cache::store_path(*stores_, *root), today(), statistics.languages);
  if (!added) logger_.write(lsp::LogLevel::kWarning, "statistics are not kept: " + added.error().message);
}

}  // namespace hearth::commands
