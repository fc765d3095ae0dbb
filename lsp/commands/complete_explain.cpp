#include <algorithm>
#include <fmt/format.h>

#include "lsp/commands/complete_run.h"

namespace hearth::commands {
namespace {

std::string_view name_of(engine::SegmentKind kind) {
  switch (kind) {
    case engine::SegmentKind::kManifests: return "manifests";
    case engine::SegmentKind::kRelated: return "related";
    case engine::SegmentKind::kPath: return "path";
    case engine::SegmentKind::kSuffix: return "suffix";
    case engine::SegmentKind::kPrefix: return "prefix";
    case engine::SegmentKind::kTyped: return "typed";
  }
  return "";
}

std::string_view name_of(engine::FinishReason reason) {
  switch (reason) {
    case engine::FinishReason::kStop: return "stop";
    case engine::FinishReason::kTokens: return "tokens";
    case engine::FinishReason::kDeadline: return "deadline";
    case engine::FinishReason::kWarmed: return "warmed";
    case engine::FinishReason::kCancelled: return "cancelled";
    case engine::FinishReason::kFailed: return "failed";
  }
  return "";
}

bool was_taken(const CompletionOutcome& outcome, std::size_t segment) {
  const auto& taken = outcome.final.segments_taken;
  return std::find(taken.begin(), taken.end(), segment) != taken.end();
}

std::string raw_text(const CompletionOutcome& outcome) {
  return outcome.final.alternatives.empty() ? std::string{} : outcome.final.alternatives.front().text;
}

std::string said(const boost::json::object& explanation) {
  std::string text(explanation.at("message").as_string());
  if (const auto* setting = explanation.if_contains("setting"))
    text += fmt::format(" ({})", std::string_view(setting->as_string()));
  return text;
}

}  // namespace

std::string explain_text(const CompletionOutcome& outcome, const std::vector<int>& segment_tokens) {
  const auto& [job, final, insertion, by_hand, unasked, ms] = outcome;
  std::string text =
      fmt::format("{:<10} {:>6} {:>6}  {:<10} {}\n", "segment", "bytes", "tokens", "need", "taken");
  for (std::size_t i = 0; i < job.segments.size(); ++i) {
    const engine::Segment& segment = job.segments[i];
    const std::string need =
        segment.required ? std::string{"required"} : fmt::format("priority {}", segment.priority);
    text += fmt::format("{:<10} {:>6} {:>6}  {:<10} {}\n", name_of(segment.kind), segment.text.size(),
                        segment_tokens[i], need, was_taken(outcome, i) ? "yes" : "no");
  }
  text +=
      fmt::format("prompt     {} tokens, {} cached\n", final.usage.prompt_tokens, final.usage.cached_tokens);
  text += fmt::format("answer     {} tokens generated, {} of {} drafted accepted, ended by {}\n",
                      final.usage.generated_tokens, final.usage.accepted_tokens, final.usage.drafted_tokens,
                      name_of(final.reason));
  text += fmt::format(
      "time       {:.1f} ms: queue {:.1f}, prefill {:.1f}, decode {:.1f}, first token at {:.1f}\n", ms,
      final.timings.queue_ms, final.timings.prefill_ms, final.timings.decode_ms,
      final.timings.first_token_ms);
  text += fmt::format("raw        {}\n", boost::json::serialize(boost::json::string(raw_text(outcome))));
  if (insertion) {
    text +=
        fmt::format("insertion  {} over {} bytes\n",
                    boost::json::serialize(boost::json::string(insertion->text)), insertion->replaces_after);
  } else {
    text += fmt::format("insertion  none: {}\n", said(by_hand));
  }
  const bool shows = unasked.at("suggests").as_bool();
  text += fmt::format("unasked    an editor shows {}\n", shows ? "it" : "nothing: " + said(unasked));
  return text;
}

boost::json::array plan_json(const engine::Job& job) {
  boost::json::array segments;
  for (const engine::Segment& segment : job.segments) {
    segments.push_back({{"kind", name_of(segment.kind)}, {"text", segment.text}});
  }
  return segments;
}

boost::json::object explain_json(const CompletionOutcome& outcome, const std::vector<int>& segment_tokens) {
  const engine::Final& final = outcome.final;
  boost::json::array segments;
  for (std::size_t i = 0; i < outcome.job.segments.size(); ++i) {
    const engine::Segment& segment = outcome.job.segments[i];
    segments.push_back({{"kind", name_of(segment.kind)},
                        {"bytes", segment.text.size()},
                        {"tokens", segment_tokens[i]},
                        {"required", segment.required},
                        {"priority", segment.priority},
                        {"taken", was_taken(outcome, i)},
                        {"text", segment.text}});
  }
  return {{"segments", std::move(segments)},
          {"finish", name_of(final.reason)},
          {"raw", raw_text(outcome)},
          {"by_hand", outcome.by_hand},
          {"unasked", outcome.unasked},
          {"generated_tokens", final.usage.generated_tokens},
          {"drafted_tokens", final.usage.drafted_tokens},
          {"accepted_tokens", final.usage.accepted_tokens},
          {"queue_ms", final.timings.queue_ms},
          {"prefill_ms", final.timings.prefill_ms},
          {"first_token_ms", final.timings.first_token_ms},
          {"decode_ms", final.timings.decode_ms}};
}

}  // namespace hearth::commands
