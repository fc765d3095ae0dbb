// Keeps sessions' statistics in the stores of their workspaces. What cannot be kept is dropped, with a line
// in the log.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lsp/commands/store_thread.h"
#include "lsp/logger.h"
#include "lsp/suggestion_statistics.h"

namespace hearth::commands {

class StatisticsKeeper {
 public:
  // `stores`: the folder of the stores; without one nothing is kept. `home` is no workspace. `thread` goes
  // before this does.
  StatisticsKeeper(std::optional<std::filesystem::path> stores, std::optional<std::string> home,
                   lsp::Logger& logger, StoreThread& thread)
      : stores_(std::move(stores)), home_(std::move(home)), logger_(logger), thread_(thread) {}

  // Any thread.
  void keep(std::vector<lsp::FolderStatistics> statistics);

 private:
  void write(const lsp::FolderStatistics& statistics);

  const std::optional<std::filesystem::path> stores_;
  const std::optional<std::string> home_;
  lsp::Logger& logger_;
  StoreThread& thread_;
};

}  // namespace hearth::commands
