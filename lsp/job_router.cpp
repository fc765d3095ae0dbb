#include "lsp/job_router.h"

#include <utility>

namespace hearth::lsp {

engine::JobId JobRouter::submit(engine::Job job, Done done) {
  const engine::JobId id = engine_.submit(std::move(job));
  waiting_.emplace(id, std::move(done));
  if (waiting_.size() == 1) tell(EngineLoad::kBusy);
  return id;
}

void JobRouter::cancel(engine::JobId job) {
  if (waiting_.erase(job) == 0) return;
  engine_.cancel(job);
  if (waiting_.empty()) tell(EngineLoad::kIdle);
}

void JobRouter::deliver(const engine::Event& event) {
  const auto* final = std::get_if<engine::Final>(&event);
  if (!final) return;
  auto node = waiting_.extract(final->job);
  if (!node) return;
  node.mapped()(*final);
  if (waiting_.empty()) tell(EngineLoad::kIdle);
}

std::shared_ptr<const JobRouter::Told> JobRouter::watch(Told told) {
  auto watcher = std::make_shared<const Told>(std::move(told));
  watchers_.push_back(watcher);
  (*watcher)(waiting_.empty() ? EngineLoad::kIdle : EngineLoad::kBusy);
  return watcher;
}

void JobRouter::tell(EngineLoad load) {
  std::erase_if(watchers_, [](const auto& watcher) { return watcher.expired(); });
  for (const auto& watcher : watchers_) (*watcher.lock())(load);
}

}  // namespace hearth::lsp
