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

void StatisticsKeeper::keep(std::vector<lsp::FolderStatistics> statistics) {
  for (lsp::FolderStatistics& folder : statistics)
    thread_.add([this, folder = std::move(folder)] { write(folder); });
}

void StatisticsKeeper::write(const lsp::FolderStatistics& statistics) {
  if (!stores_ || statistics.folder.empty()) return;
  const auto root = indexer::workspace_root(statistics.folder, home_);
  if (!root) return;  // no workspace, and so no store
  const auto added = cache::add_statistics(cache::store_path(*stores_, *root), today(), statistics.languages);
  if (!added) logger_.write(lsp::LogLevel::kWarning, "statistics are not kept: " + added.error().message);
}

}  // namespace hearth::commands
