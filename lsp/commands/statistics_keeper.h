// Writes sessions' statistics into the stores of their workspaces, on a thread of its own, because a store
// may have to be waited for. What cannot be kept is dropped, with a line in the log.
#pragma once

#include <condition_variable>
#include <deque>
#include <filesystem>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "lsp/logger.h"
#include "lsp/suggestion_statistics.h"

namespace hearth::commands {

class StatisticsKeeper {
 public:
  // `stores`: the folder of the stores; without one nothing is kept. `home` is no workspace.
  StatisticsKeeper(std::optional<std::filesystem::path> stores, std::optional<std::string> home,
                   lsp::Logger& logger);
  ~StatisticsKeeper();  // after all that it was given is written

  // Any thread.
  void keep(std::vector<lsp::FolderStatistics> statistics);

 private:
  void run();
  void write(const lsp::FolderStatistics& statistics);

  const std::optional<std::filesystem::path> stores_;
  const std::optional<std::string> home_;
  lsp::Logger& logger_;
  std::mutex mutex_;
  std::condition_variable news_;
  std::deque<lsp::FolderStatistics> waiting_;  // guarded by mutex_
  bool ending_ = false;                        // guarded by mutex_
  std::thread thread_;
};

}  // namespace hearth::commands
