#include "engine/generation.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace hearth::engine {

namespace {

constexpr int kPenaltyWindow = 64;

constexpr double kLeastRivalConfidence = 0.02;  // a line that begins less likely is not worth its time
constexpr int kRivalMatch = 6;
constexpr int kRivalCandidates = 4;  // of the mixture, the rivals' tokens among them

// Tokens that a generation writes at most, drafts and a border included.
std::size_t to_come(const Job& job, const Prompt& prompt) {
  return static_cast<std::size_t>(job.stop.max_tokens) + prompt.healed.size() + kMostDrafts + 2;
}

// With something in it, to its end.
bool holds_a_line(std::string_view text) {
  return text.find('\n', text.find_first_not_of(" \t\r\n")) != std::string_view::npos;
}

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
      written_(job.priority == Priority::kWarm
                   ? 0
                   : prompt.before.size() + prompt.after.size() + to_come(job, prompt)),
      heal_left_(prompt.healed),
      monitor_(job.stop),
      random_(job.sampling.seed) {
  if (job.priority == Priority::kWarm) return;
  const bool remembered =
      context_.memory.knows(job.document) && std::ranges::find(job.masked, job.document) == job.masked.end();
  const std::size_t most = written_.room() - std::min(written_.room(), to_come(job, prompt));
  const auto before = std::span(prompt.before).last(std::min(prompt.before.size(), most));
  const auto after = std::span(prompt.after).first(std::min(prompt.after.size(), most - before.size()));
  if (!remembered) {
    for (const TokenId token : after) written_.append(token);
  }
  written_.append_silent(MatchIndex::kBorder);
  for (const TokenId token : before) remembered ? written_.append_silent(token) : written_.append(token);
}

void Generation::write(TokenId token) {
  written_.append(context_.tokenizer.is_control(token) ? MatchIndex::kBorder : token);
}

std::span<const TokenId> Generation::prepare(int limit) {
  next_guess_.reset();
  if (job_->priority != Priority::kWarm) view_ = context_.memory.view(job_->document, job_->masked);
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

// What the memory and the text itself say comes next, of what begins with `required`.
MemoryGuess Generation::guess(std::string_view required) const {
  auto found = find_occurrences(written_, context_.memory, view_);
  std::erase_if(found, [&](const WorkspaceMemory::Occurrence& occurrence) {
    std::string_view left = required;
    std::size_t n = 0;
    while (!left.empty() && n < occurrence.following.size() && follows(left, occurrence.following[n])) ++n;
    return !left.empty() || occurrence.following.empty();
  });
  return memory_guess(found);
}

std::vector<TokenId> Generation::propose_drafts(int limit) {
  draft_match_ = 0;
  foreseen_ = -1;
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
  MemoryGuess memory = guess(heal_left_);
  if (memory.draft.empty() &&
      !heal_left_.empty()) {  // the cut text as the tokenizer sees it, but its last token
    auto drafts = context_.tokenizer.encode(heal_left_);
    drafts.pop_back();
    if (static_cast<int>(drafts.size()) > limit) drafts.resize(limit);
    return keep_possible(std::move(drafts));
  }
  const int available = std::min(limit, static_cast<int>(memory.draft.size()));
  const auto taken = memory.draft.first(context_.drafts.drafts(memory.match_length, available));
  draft_match_ = memory.match_length;
  if (!memory.draft.empty()) foreseen_ = memory.draft.front();
  auto drafts = keep_possible({taken.begin(), taken.end()});
  memory.draft = {};  // what it refers to may move
  next_guess_ = std::move(memory);
  return drafts;
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
  guesses_.clear();
  query_ids_.clear();
  penalised_ = penalised();
  const int k = std::max({alternatives, candidates_needed(job_->sampling, penalised_.size()),
                          may_have_rivals() ? kRivalCandidates : 1});
  std::vector<kernels::HeadQuery> queries;
  std::string_view required = heal_left_;
  masks_.reserve(prepared_.size());
  query_ids_.reserve(prepared_.size());
  const std::size_t written = written_.size();
  for (std::size_t i = n_sure_ - 1; i < prepared_.size(); ++i) {
    if (i >= n_sure_) {
      follows(required, prepared_[i]);
      write(prepared_[i]);
    }
    if (!required.empty()) masks_.push_back(context_.token_index.tokens_towards(required));
    if (!job_->switches.memory) {
      guesses_.emplace_back();
    } else if (i + 1 == n_sure_ && next_guess_) {  // drafts were made of it
      guesses_.push_back(std::move(*next_guess_));
    } else {
      guesses_.push_back(guess(required));
    }
    query_ids_.push_back(penalised_);
    for (const auto& candidate : guesses_.back().candidates) query_ids_.back().push_back(candidate.token);
    guesses_.back().draft = {};  // what it refers to may move
    queries.push_back({.row = first_row + static_cast<std::uint32_t>(i),
                       .allowed = required.empty() ? std::span<const std::uint64_t>{} : masks_.back(),
                       .k = k,
                       .ids = query_ids_.back()});
  }
  while (written_.size() > written) written_.pop();
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
  const auto drafted = static_cast<int>(prepared_.size());
  drafted_ += drafted;
  int accepted = 0;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const kernels::HeadAnswer answer = mixed_answer(answers[i], i);
    const auto sampled = sample(job_->sampling, answer, penalised_, random_);
    if (!sampled) {
      finish(FinishReason::kStop);
      break;
    }
    consider_rivals(answer, i);
    push(*sampled);
    if (drafted == 0 && foreseen_ >= 0)  // what a draft would have come to
      context_.drafts.learn(draft_match_, 1, std::exchange(foreseen_, -1) == sampled->token ? 1 : 0);
    const bool right = i < prepared_.size() && prepared_[i] == sampled->token;
    accepted += right ? 1 : 0;
    if (done()) break;
    if (!right) {
      pending_.push_back(sampled->token);
      break;
    }
    context_.tree.commit(path_, std::span(prepared_).subspan(i, 1));
  }
  drafts_accepted_ += accepted;
  if (drafted > 0 && draft_match_ > 0) context_.drafts.learn(draft_match_, drafted, accepted);
}

kernels::HeadAnswer Generation::mixed_answer(const kernels::HeadAnswer& answer, std::size_t query) const {
  return job_->switches.memory ? mixed(answer, guesses_[query], context_.mixture) : answer;
}

bool Generation::may_have_rivals() const {
  return job_->switches.rival && rivals_left_ > 0 && job_->alternatives == 1 &&
         job_->sampling.temperature <= 0 && job_->sampling.repetition_penalty == 1 && !job_->stop.exact &&
         !has_line();
}

// Asks the query's guess, which is there with drafts and without, so that these change nothing.
bool Generation::contends(const kernels::HeadAnswer& answer, std::size_t rank, std::size_t query) const {
  const kernels::TokenLogit& token = answer.top[rank];
  const MemoryGuess& guess = guesses_[query];
  const bool remembered = !guess.candidates.empty() && guess.match_length >= kRivalMatch &&
                          guess.candidates.front().token == token.token;
  const double share = remembered ? context_.rivals.remembered_share : context_.rivals.share;
  const double likely = std::exp(static_cast<double>(token.logit) - answer.log_sum_exp);
  return token.logit >= answer.top.front().logit + std::log(share) &&
         confidence_ * likely >= kLeastRivalConfidence;
}

void Generation::consider_rivals(const kernels::HeadAnswer& answer, std::size_t query) {
  for (std::size_t rank = 1; rank < answer.top.size() && may_have_rivals(); ++rank) {
    if (!contends(answer, rank, query)) continue;
    auto path = context_.tree.fork(path_);
    if (!path) return;
    auto rivals = std::exchange(rivals_, {});
    Generation other = *this;
    rivals_ = std::move(rivals);
    other.path_ = std::move(*path);
    --rivals_left_;
    other.rivals_left_ = 0;
    other.prepared_.clear();
    other.foreseen_ = -1;
    other.generated_ = other.drafted_ = other.drafts_accepted_ = 0;
    const kernels::TokenLogit& token = answer.top[rank];
    other.push({token.token, static_cast<double>(token.logit) - answer.log_sum_exp});
    if (!other.done()) other.pending_.push_back(token.token);
    rivals_.push_back(std::move(other));
  }
}

bool Generation::has_line() const { return done() || holds_a_line(text()); }

std::optional<Generation> Generation::branch(const kernels::HeadAnswer& unmixed, int rank) {
  commit_sure();
  const kernels::HeadAnswer answer = mixed_answer(unmixed, 0);
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
  if (!holds_a_line(text())) confidence_ *= std::exp(sampled.log_probability);
  const bool wants_to_end =
      context_.tokenizer.ends_generation(sampled.token) || context_.tokenizer.is_control(sampled.token);
  if (wants_to_end && !job_->stop.exact) return finish(FinishReason::kStop);
  write(sampled.token);
  log_probability_ += sampled.log_probability;
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
