// Scheduler::score: many candidates in one forward pass, behind one prompt whose pages they share.
#include "engine/scheduler.h"

namespace hearth::engine {

namespace {

using Interrupted = std::function<bool()>;

constexpr double kBytesPerToken = 3;  // at least, for what reading a text will cost

Error cache_is_full() { return {ErrorCode::kInvalid, "the KV cache is full: a larger cache is needed"}; }

double log_probability(const kernels::HeadAnswer& answer, std::size_t id) {
  return static_cast<double>(answer.logits[id]) - answer.log_sum_exp;
}

}  // namespace

// The prompt's last row answers a candidate's first token, rows of its own the others.
struct Scheduler::Candidate {
  std::vector<TokenId> tokens;
  double score = 0;
  int rows() const { return static_cast<int>(tokens.size()) - 1; }
};

std::optional<Result<std::vector<double>>> Scheduler::score(const ScoreRequest& request,
                                                            const std::function<bool()>& poll) {
  return score_texts(prompt_at_hand(request.segments), request.candidates,
                     [&] { return !poll() || urgent_waiting(); });
}

// The log-probability of each text behind the prompt.
std::optional<Result<std::vector<double>>> Scheduler::score_texts(const Prompt& prompt,
                                                                  std::span<const std::string> texts,
                                                                  const Interrupted& interrupted) {
  std::vector<Candidate> candidates;
  std::vector<TokenId> first_tokens;
  for (const auto& text : texts) {
    Candidate& candidate = candidates.emplace_back();
    candidate.tokens = model_.tokenizer().encode(prompt.healed + text);
    if (candidate.tokens.empty()) continue;
    const int n = static_cast<int>(prompt.tokens.size()) + candidate.rows();
    if (n > context_tokens_ || candidate.rows() > options_.largest_step) {
      return Error{ErrorCode::kInvalid, "a prompt and candidate of " + std::to_string(n) +
                                            " tokens do not fit the context of " +
                                            std::to_string(context_tokens_)};
    }
    first_tokens.push_back(candidate.tokens.front());
  }
  auto path = tree_->open(std::span(prompt.tokens).first(prompt.tokens.size() - 1));
  auto first = read_prompt(path, prompt.tokens, first_tokens, interrupted);
  std::optional<Result<void>> scored;
  if (first && *first) {
    std::size_t answered = 0;
    for (Candidate& candidate : candidates) {
      if (!candidate.tokens.empty()) candidate.score = log_probability(**first, answered++);
    }
    scored = Result<void>{};
    auto next = candidates.begin();
    while (scored && *scored && next != candidates.end()) {
      const auto begin = next;
      for (int rows = 0; next != candidates.end(); ++next) {
        rows += std::max(next->rows(), 0);
        if (rows > options_.largest_step) break;
      }
      scored = score_together(path, {begin, next}, interrupted);
    }
  } else if (first) {
    scored = Result<void>(first->error());
  }
  tree_->close(path);
  if (!scored) return std::nullopt;
  if (!*scored) return scored->error();
  std::vector<double> scores;
  for (const Candidate& candidate : candidates) scores.push_back(candidate.score);
  return scores;
}

// The log-probability of each line with what follows it; nullopt where
// there is no time to read it, and when interrupted.
std::optional<std::vector<double>> Scheduler::weigh(const WeighingText& text, Healing healing,
                                                    std::span<const std::string> lines,
                                                    std::optional<double> budget_ms,
                                                    const std::function<bool()>& interrupted) {
  const Segment window{.kind = SegmentKind::kPrefix, .text = text.window};
  const std::size_t taken = 0;
  const Prompt prompt =
      lay_out_prompt(model_.tokenizer(), FimOrder::kNone, {&window, 1}, {&taken, 1}, healing);
  std::vector<std::string> texts;
  double tokens = static_cast<double>(prompt.tokens.size()) - tree_->match(prompt.tokens);
  for (const std::string& line : lines) {
    texts.push_back(line + text.head);
    tokens += static_cast<double>(prompt.healed.size() + texts.back().size()) / kBytesPerToken;
  }
  if (budget_ms && 1e3 * tokens > *budget_ms * std::max(speed_.prefill_tokens_per_s, kLeastSpeed))
    return std::nullopt;
  auto scores = score_texts(prompt, texts, interrupted);
  if (!scores || !*scores) return std::nullopt;
  return std::move(**scores);
}

// With as many of the optional segments as cost little more than what is in memory.
Prompt Scheduler::prompt_at_hand(const std::vector<Segment>& segments) const {
  Prompt prompt;
  for (const auto& choice : segment_choices(segments)) {
    prompt =
        lay_out_prompt(model_.tokenizer(), model_.description().fim_order, segments, choice, Healing::kOn);
    const int n = static_cast<int>(prompt.tokens.size());
    if (n <= context_tokens_ && n - tree_->match(prompt.tokens) <= options_.prefill_rows) break;
  }
  return prompt;
}

// The logits of `ids` behind all of `tokens`, whose pages the path has then.
std::optional<Result<kernels::HeadAnswer>> Scheduler::read_prompt(PrefixTree::Path& path,
                                                                  std::span<const TokenId> tokens,
                                                                  std::span<const TokenId> ids,
                                                                  const Interrupted& interrupted) {
  while (true) {
    const int n = std::min(options_.prefill_rows, static_cast<int>(tokens.size()) - path.size());
    if (!tree_->reserve(path, n)) return Result<kernels::HeadAnswer>(cache_is_full());
    const auto taken = tokens.subspan(path.size(), n);
    std::vector<kernels::Row> rows;
    auto position = static_cast<std::uint32_t>(path.size());
    for (const TokenId token : taken) rows.push_back({token, position++, 0});
    const bool last = position == tokens.size();
    const kernels::HeadQuery query{.row = static_cast<std::uint32_t>(n - 1), .ids = ids};
    const std::span<const kernels::PageRef> pages = path.pages();
    auto answers =
        model_.run({rows, {&pages, 1}}, {&query, last ? 1U : 0U}, *pool_, *workspace_, interrupted);
    if (!answers) return std::nullopt;
    tree_->commit(path, taken);
    if (last) return Result<kernels::HeadAnswer>(std::move(answers->front()));
  }
}

// Adds what their tokens after the first are worth. What is computed for it is dropped: few of them will be
// typed, and the pages of all would push out what is.
std::optional<Result<void>> Scheduler::score_together(const PrefixTree::Path& prompt,
                                                      std::span<Candidate> candidates,
                                                      const Interrupted& interrupted) {
  std::vector<PrefixTree::Path> paths;
  std::vector<kernels::Row> rows;
  std::vector<kernels::HeadQuery> queries;
  std::vector<std::span<const kernels::PageRef>> sequences;
  bool is_full = false;
  bool is_interrupted = false;
  for (const Candidate& candidate : candidates) {
    if (candidate.rows() < 1) continue;
    auto path = tree_->fork(prompt);
    if (path) paths.push_back(std::move(*path));
    if (!path || !tree_->reserve(paths.back(), candidate.rows())) {
      is_full = true;
      break;
    }
    for (int i = 0; i < candidate.rows(); ++i) {
      const auto row = static_cast<std::uint32_t>(rows.size());
      rows.push_back({candidate.tokens[i], static_cast<std::uint32_t>(prompt.size() + i),
                      static_cast<std::uint32_t>(paths.size() - 1)});
      queries.push_back({.row = row, .ids = std::span(candidate.tokens).subspan(i + 1, 1)});
    }
  }
  for (const PrefixTree::Path& path : paths) sequences.push_back(path.pages());
  if (!is_full && !rows.empty()) {
    const auto answers = model_.run({rows, sequences}, queries, *pool_, *workspace_, interrupted);
    is_interrupted = !answers;
    std::size_t answered = 0;
    for (Candidate& candidate : candidates) {
      for (int i = 0; answers && i < candidate.rows(); ++i)
        candidate.score += log_probability((*answers)[answered++], 0);
    }
  }
  for (PrefixTree::Path& path : paths) tree_->close(path);
  if (is_interrupted) return std::nullopt;
  return is_full ? Result<void>(cache_is_full()) : Result<void>{};
}

}  // namespace hearth::engine
