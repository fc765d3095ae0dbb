// One completion, as the server and the command line both make it: a job from the cursor's place, and
// insertions from the engine's answer. Pure.
#pragma once

#include <memory>
#include <vector>

#include "engine/job.h"
#include "lsp/post_process.h"
#include "lsp/prompt_plan.h"
#include "lsp/settings.h"
#include "lsp/stop_rules.h"

namespace hearth::lsp {

struct CompletionRequest {
  CursorPlace place;
  engine::Priority priority = engine::Priority::kAutomatic;  // kWarm: prefill only
  Extent extent = Extent::kAuto;
  int context_tokens = 0;  // the engine's (EngineStatus)
  double bytes_per_token = kCautiousBytesPerToken;
  PlanState previous;
  Anchoring anchoring = Anchoring::kKeep;
  std::shared_ptr<const PromptContext> context;  // none: that of `previous`
};

struct PlannedCompletion {
  engine::Job job;  // without client and document, which the caller knows
  PlanState state;
};

// Deadlines and alternatives from the settings: automatic requests have both deadlines, invoked ones only
// the hard one and `completion.alternatives`.
PlannedCompletion plan_completion(const CompletionRequest& request, const Settings& settings);

// Distinct, best first, of those that the engine is at least so sure of; empty when it had nothing worth
// showing. `stop`: the job's.
std::vector<Insertion> finish_completion(const CursorPlace& place, const engine::StopRules& stop,
                                         const engine::Final& final, SyntaxFaults* syntax,
                                         RestOfLine rest = RestOfLine::kMayBeReplaced,
                                         double least_confidence = 0);

}  // namespace hearth::lsp
