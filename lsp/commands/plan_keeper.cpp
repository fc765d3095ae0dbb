#include "lsp/commands/plan_keeper.h"

#include <utility>

#include "cache/plans.h"
#include "cache/store_location.h"
#include "indexer/find_workspace.h"
#include "lsp/commands/workspace.h"

namespace hearth::commands {

std::optional<std::string> PlanKeeper::plan_of(const std::string& workspace, const std::string& document) {
  const auto path = indexer::path_in(workspace, document);
  if (!stores_ || !path) return std::nullopt;
  const auto plan = cache::plan_of(cache::store_path(*stores_, workspace), *path);
  return plan ? *plan : std::nullopt;  // a store that is not there yet has none
}

void PlanKeeper::keep(const std::string& workspace, const std::string& document, std::string plan) {
  auto path = indexer::path_in(workspace, document);
  if (!stores_ || !path) return;
  thread_.add([this, store = cache::store_path(*stores_, workspace), path = std::move(*path),
               plan = std::move(plan)] {
    const auto put = cache::put_plan(store, path, plan, system_seconds());
    if (!put) logger_.write(lsp::LogLevel::kWarning, "a plan is not kept: " + put.error().message);
  });
}

}  // namespace hearth::commands
