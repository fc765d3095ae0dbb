#include "lsp/job_router.h"

#include <utility>

namespace hearth::lsp {

engine::JobId JobRouter::submit(engine::Job job, Done done) {
  const engine::JobId id = engine_.submit(std::move(job));
  waiting_.emplace(id, std::move(done));
  return id;
}

void JobRouter::cancel(engine::JobId job) {
  if (waiting_.erase(job) > 0) engine_.cancel(job);
}

void JobRouter::deliver(const engine::Event& event) {
  const auto* final = std::get_if<engine::Final>(&event);
  if (!final) return;
  auto node = waiting_.extract(final->job);
  if (node) node.mapped()(*final);
}

}  // namespace hearth::lsp
