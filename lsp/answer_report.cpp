#include "lsp/answer_report.h"

namespace hearth::lsp {

std::string_view name_of(AnswerSource source) {
  switch (source) {
    case AnswerSource::kEngine: return "engine";
    case AnswerSource::kTypedThrough: return "typedThrough";
    case AnswerSource::kNone: return "none";
    case AnswerSource::kSuperseded: return "superseded";
  }
  return {};
}

boost::json::object answer_report(std::string_view method, const CompletionAnswer& answer) {
  return {{"method", method},
          {"source", name_of(answer.source)},
          {"suggestions", answer.insertions.size()},
          {"usage",
           {{"promptTokens", answer.usage.prompt_tokens},
            {"cachedTokens", answer.usage.cached_tokens},
            {"generatedTokens", answer.usage.generated_tokens},
            {"draftedTokens", answer.usage.drafted_tokens},
            {"acceptedTokens", answer.usage.accepted_tokens}}},
          {"timings",
           {{"queueMs", answer.timings.queue_ms},
            {"prefillMs", answer.timings.prefill_ms},
            {"firstTokenMs", answer.timings.first_token_ms},
            {"decodeMs", answer.timings.decode_ms},
            {"totalMs", answer.timings.total_ms}}}};
}

}  // namespace hearth::lsp
