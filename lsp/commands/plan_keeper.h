// Keeps documents' plans in the stores of their workspaces. What cannot be kept is dropped, with a line in
// the log.
#pragma once

#include <filesystem>
#include <optional>

#include "lsp/commands/store_thread.h"
#include "lsp/logger.h"
#include "lsp/plan_store.h"

namespace hearth::commands {

class PlanKeeper final : public lsp::PlanStore {
 public:
  // `stores`: the folder of the stores; without one nothing is kept. `thread` goes before this does.
  PlanKeeper(std::optional<std::filesystem::path> stores, lsp::Logger& logger, StoreThread& thread)
      : stores_(std::move(stores)), logger_(logger), thread_(thread) {}

  std::optional<std::string> plan_of(const std::string& workspace, const std::string& document) override;
  void keep(const std::string& workspace, const std::string& document, std::string plan) override;

 private:
  const std::optional<std::filesystem::path> stores_;
  lsp::Logger& logger_;
  StoreThread& thread_;
};

}  // namespace hearth::commands
