#include "engine/generation.h"

#include <algorithm>
#include <cmath>

#include "engine/draft.h"

namespace hearth::engine {

namespace {

constexpr int kMostDrafts = 7;  // with the sure token they make a block of 8
constexpr int kPenaltyWindow = 64;

bool consistent(std::string_view required, std::string_view bytes) {
  return !bytes.empty() && (required.starts_with(bytes) || bytes.starts_with(required));
}

}  // namespace

Generation::Generation(const GenerationContext& context, const Job& job, const Prompt& prompt,
                       PrefixTree::Path path)
    : context_(context),
      job_(&job),
      path_(std::move(path)),
      pending_(prompt.tokens.begin() + path_.size(), prompt.tokens.end()),
      heal_left_(prompt.healed),
      monitor_(job.stop),
      random_(job.sampling.seed) {}

std::span<const TokenId> Generation::prepare(int limit) {
  n_sure_ = std::min<std::size_t>(pending_.size(), limit);
  prepared_.assign(pending_.begin(), pending_.begin() + n_sure_);
  const int room = std::min(kMostDrafts, limit - static_cast<int>(n_sure_));
  const bool drafting = job_->switches.drafts && job_->sampling.temperature <= 0 &&
                        job_->sampling.repetition_penalty == 1 && job_->priority != Priority::kWarm;
  if (drafting && room > 0 && n_sure_ == pending_.size() && (generated_ > 0 || job_->alternatives == 1)) {
    const auto drafts = propose_drafts(room);
    prepared_.insert(prepared_.end(), drafts.begin(), drafts.end());
  }
  return prepared_;
}

// Where `required` text is still to be produced again, whether `token` may be next; takes off what it
// produces.
bool Generation::follows(std::string_view& required, TokenId token) const {
  if (context_.tokenizer.is_control(token)) return false;
  const auto bytes = context_.tokenizer.bytes(token);
  if (!required.empty() && !consistent(required, bytes)) return false;
  required.remove_prefix(std::min(required.size(), bytes.size()));
  return true;
}

std::vector<TokenId> Generation::propose_drafts(int limit) const {
  const auto keep_possible = [&](std::vector<TokenId> drafts) {
    std::string_view required = heal_left_;
    std::size_t n = 0;
    while (n < drafts.size() && follows(required, drafts[n])) ++n;
    drafts.resize(n);
    return drafts;
  };
  // What followed here before: the last answer, as long as its text is being typed.
  auto again = context_.tree.continuation(path_, static_cast<int>(n_sure_) + limit);
  if (again.size() > n_sure_ && std::equal(pending_.begin(), pending_.end(), again.begin())) {
    again.erase(again.begin(), again.begin() + n_sure_);
    auto drafts = keep_possible(std::move(again));
    if (!drafts.empty()) return drafts;
  }
  if (!heal_left_.empty()) {  // the cut text as the tokenizer sees it, but for its last token
    auto drafts = context_.tokenizer.encode(heal_left_);
    drafts.pop_back();
    if (static_cast<int>(drafts.size()) > limit) drafts.resize(limit);
    return keep_possible(std::move(drafts));
  }
  std::vector<TokenId> known(path_.tokens().begin(), path_.tokens().end());
  known.insert(known.end(), pending_.begin(), pending_.end());
  const Draft draft = draft_from_context(known, limit);
  const int worth = draft.match_length < 4 ? 3 : limit;  // a short match rarely carries far
  auto drafts = draft.tokens;
  if (static_cast<int>(drafts.size()) > worth) drafts.resize(worth);
  return keep_possible(std::move(drafts));
}

std::vector<TokenId> Generation::penalised() const {
  if (job_->sampling.repetition_penalty == 1) return {};
  const auto tokens = path_.tokens();
  const std::size_t n = std::min<std::size_t>(kPenaltyWindow, tokens.size());
  std::vector<TokenId> ids(tokens.end() - n, tokens.end());
  ids.insert(ids.end(), pending_.begin(), pending_.end());
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

std::vector<kernels::HeadQuery> Generation::queries(std::uint32_t first_row, int alternatives) {
  if (n_sure_ < pending_.size() || job_->priority == Priority::kWarm) return {};
  masks_.clear();
  penalised_ = penalised();
  const int k = std::max(alternatives, candidates_needed(job_->sampling, penalised_.size()));
  std::vector<kernels::HeadQuery> queries;
  std::string_view required = heal_left_;
  masks_.reserve(prepared_.size());
  for (std::size_t i = n_sure_ - 1; i < prepared_.size(); ++i) {
    if (i >= n_sure_) follows(required, prepared_[i]);
    if (!required.empty()) masks_.push_back(context_.token_index.tokens_towards(required));
    queries.push_back({.row = first_row + static_cast<std::uint32_t>(i),
                       .allowed = required.empty() ? std::span<const std::uint64_t>{} : masks_.back(),
                       .k = k,
                       .ids = penalised_});
  }
  return queries;
}

void Generation::commit_sure() {
  context_.tree.commit(path_, std::span(prepared_).first(n_sure_));
  pending_.erase(pending_.begin(), pending_.begin() + n_sure_);
  prepared_.erase(prepared_.begin(), prepared_.begin() + n_sure_);
  n_sure_ = 0;
}

void Generation::accept(std::span<const kernels::HeadAnswer> answers) {
  commit_sure();
  drafted_ += static_cast<int>(prepared_.size());
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const auto sampled = sample(job_->sampling, answers[i], penalised_, random_);
    if (!sampled) return finish(FinishReason::kStop);
    push(*sampled);
    if (done()) return;
    if (i >= prepared_.size() || prepared_[i] != sampled->token) {
      pending_.push_back(sampled->token);
      return;
    }
    ++drafts_accepted_;
    context_.tree.commit(path_, std::span(prepared_).subspan(i, 1));
  }
}

std::optional<Generation> Generation::branch(const kernels::HeadAnswer& answer, int rank) {
  commit_sure();
  const bool greedy = job_->sampling.temperature <= 0;
  if (answer.top.empty() || (greedy && rank >= static_cast<int>(answer.top.size()))) return std::nullopt;
  auto path = context_.tree.fork(path_);
  if (!path) return std::nullopt;
  Generation other = *this;
  other.path_ = std::move(*path);
  other.random_.seed(job_->sampling.seed + rank);
  const auto& [token, logit] = answer.top[greedy ? rank : 0];
  const SampledToken sampled = greedy ? SampledToken{token, static_cast<double>(logit) - answer.log_sum_exp}
                                      : *sample(job_->sampling, answer, penalised_, other.random_);
  other.push(sampled);
  if (!other.done()) other.pending_.push_back(sampled.token);
  return other;
}

void Generation::push(const SampledToken& sampled) {
  ++generated_;
  const bool wants_to_end =
      context_.tokenizer.ends_generation(sampled.token) || context_.tokenizer.is_control(sampled.token);
  if (wants_to_end && !job_->stop.exact) return finish(FinishReason::kStop);
  log_probability_ += sampled.log_probability;
  confidence_ = std::min(confidence_, std::exp(sampled.log_probability));
  auto text = context_.tokenizer.bytes(sampled.token);
  const std::size_t healed = std::min(heal_left_.size(), text.size());
  heal_left_.erase(0, healed);
  text.remove_prefix(healed);
  if (!text.empty() || wants_to_end) ++counted_;
  if (monitor_.add(text)) {
    reason_ = FinishReason::kStop;
  } else if (counted_ >= job_->stop.max_tokens) {
    finish(FinishReason::kTokens);
  }
}

void Generation::finish(FinishReason reason) {
  if (done()) return;
  monitor_.finish();
  reason_ = reason;
}

}  // namespace hearth::engine
