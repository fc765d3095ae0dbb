// Scheduler::score: candidates one after another behind one prompt, whose pages they share.
#include "engine/scheduler.h"

namespace hearth::engine {

std::optional<Result<std::vector<double>>> Scheduler::score(const ScoreRequest& request,
                                                            const std::function<bool()>& poll) {
  const auto interrupted = [&] { return !poll() || urgent_waiting(); };
  const auto& tokenizer = model_.tokenizer();
  const Prompt prompt = lay_out_prompt(tokenizer, model_.description().fim_order, request.segments,
                                       segment_choices(request.segments).front(), Healing::kOn);
  std::vector<double> scores;
  for (const auto& candidate : request.candidates) {
    std::vector<TokenId> tokens = prompt.tokens;
    const auto added = tokenizer.encode(prompt.healed + candidate);
    tokens.insert(tokens.end(), added.begin(), added.end());
    const auto score = score_tokens(tokens, static_cast<int>(prompt.tokens.size()), interrupted);
    if (!score) return std::nullopt;
    if (!*score) return score->error();
    scores.push_back(**score);
  }
  return scores;
}

// The log-probability of tokens[first_scored ...] after those before them.
std::optional<Result<double>> Scheduler::score_tokens(std::span<const TokenId> tokens, int first_scored,
                                                      const std::function<bool()>& interrupted) {
  const int n_tokens = static_cast<int>(tokens.size());
  if (n_tokens > context_tokens_) {
    return Error{ErrorCode::kInvalid, "a prompt and candidate of " + std::to_string(n_tokens) +
                                          " tokens do not fit the context of " +
                                          std::to_string(context_tokens_)};
  }
  auto path = tree_->open(tokens.first(first_scored - 1));
  double score = 0;
  while (path.size() + 1 < n_tokens) {
    const int from = path.size();
    const int n = std::min(options_.prefill_rows, n_tokens - 1 - from);
    if (!tree_->reserve(path, n)) {
      tree_->close(path);
      return Error{ErrorCode::kInvalid, "the KV cache is full: a larger cache is needed"};
    }
    std::vector<kernels::Row> rows;
    std::vector<kernels::HeadQuery> queries;
    for (int i = 0; i < n; ++i) {
      rows.push_back({tokens[from + i], static_cast<std::uint32_t>(from + i), 0});
      if (from + i + 1 < first_scored) continue;
      queries.push_back({.row = static_cast<std::uint32_t>(i), .ids = tokens.subspan(from + i + 1, 1)});
    }
    const std::span<const kernels::PageRef> pages = path.pages();
    const auto answers = model_.run({rows, {&pages, 1}}, queries, *pool_, *workspace_, interrupted);
    if (!answers) {
      tree_->close(path);
      return std::nullopt;
    }
    tree_->commit(path, tokens.subspan(from, n));
    for (const auto& answer : *answers) score += static_cast<double>(answer.logits[0]) - answer.log_sum_exp;
  }
  tree_->close(path);
  return score;
}

}  // namespace hearth::engine
