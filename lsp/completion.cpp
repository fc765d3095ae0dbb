#include "lsp/completion.h"

#include <algorithm>
#include <utility>

#include "lsp/utf8.h"

namespace hearth::lsp {

PlannedCompletion plan_completion(const CompletionRequest& request, const Settings& settings) {
  PlannedCompletion planned;
  engine::Job& job = planned.job;
  job.priority = request.priority;
  job.stop = request_stop_rules(request.place, settings, request.extent);
  job.hard_ms = settings.completion_hard_ms;
  switch (request.priority) {
    case engine::Priority::kWarm:
    case engine::Priority::kAhead: job.hard_ms.reset(); break;
    case engine::Priority::kAutomatic: job.soft_ms = settings.completion_soft_ms; break;
    case engine::Priority::kInvoked: job.alternatives = settings.completion_alternatives; break;
  }
  Plan plan = plan_prompt(request.place,
                          {.context_tokens = request.context_tokens,
                           .new_tokens = job.stop.max_tokens,
                           .prompt_tokens = settings.completion_context_tokens,
                           .bytes_per_token = request.bytes_per_token},
                          request.previous, request.anchoring, request.context);
  job.segments = std::move(plan.segments);
  planned.state = std::move(plan.state);
  return planned;
}

std::vector<Insertion> finish_completion(const CursorPlace& place, const engine::StopRules& stop,
                                         const engine::Final& final, SyntaxFaults* syntax, RestOfLine rest,
                                         double least_confidence) {
  const bool cut_short =
      final.reason == engine::FinishReason::kTokens || final.reason == engine::FinishReason::kDeadline;
  const PostProcessing how{stop, cut_short ? RawEnd::kCutShort : RawEnd::kStopped, rest};
  std::vector<Insertion> insertions;
  for (const engine::Alternative& alternative : final.alternatives) {
    if (alternative.confidence < least_confidence) continue;
    // Bytes of a token need not be a whole character.
    const auto text = std::string_view(alternative.text).substr(0, valid_utf8_bytes(alternative.text));
    auto insertion = post_process(place, text, how, syntax);
    if (insertion && std::ranges::find(insertions, *insertion) == insertions.end()) {
      insertions.push_back(std::move(*insertion));
    }
  }
  return insertions;
}

}  // namespace hearth::lsp
