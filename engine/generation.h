// One alternative of a job in the making: a path in the prefix tree, the tokens that are sure to come
// next, drafts to verify with them, and the text so far. Owned by the scheduler, on the engine's thread.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/draft_policy.h"
#include "engine/job.h"
#include "engine/match_index.h"
#include "engine/mixture.h"
#include "engine/prefix_tree.h"
#include "engine/prompt_layout.h"
#include "engine/sampler.h"
#include "engine/stop_rules.h"
#include "engine/token_index.h"
#include "engine/workspace_memory.h"
#include "kernels/device.h"

namespace hearth::engine {

// A rival is worth its time where its token has so large a share of what the likeliest has; where it is the
// memory's, which remembers so many tokens before, a smaller one.
struct RivalRule {
  int most = 1;  // of a job
  double share = 0.3;
  double remembered_share = 0.2;
};
inline constexpr RivalRule kLikeliestOfTwo{};
inline constexpr RivalRule kBestOfFour{3, 0.2, 0.1};  // where what follows is a judge of them

// What all generations of an engine share.
struct GenerationContext {
  const Tokenizer& tokenizer;
  const TokenIndex& token_index;
  PrefixTree& tree;
  const WorkspaceMemory& memory;
  const MixtureWeights& mixture;
  DraftPolicy& drafts;
  RivalRule rivals;
};

class Generation {
 public:
  // `path` holds a proper prefix of the prompt's tokens (the whole of it for a warm job).
  Generation(const GenerationContext& context, const Job& job, const Prompt& prompt, PrefixTree::Path path);

  // The next tokens to compute, at most `limit`: sure ones, then drafts. Fixed until `accept`.
  std::span<const TokenId> prepare(int limit);

  // The questions about the prepared tokens, whose first one stands at row `first_row` of the step.
  // None while the prompt is not computed to its end.
  std::vector<kernels::HeadQuery> queries(std::uint32_t first_row, int alternatives);

  // The prepared tokens were computed; `answers` are those to `queries`.
  void accept(std::span<const kernels::HeadAnswer> answers);

  // Another alternative that begins with the answer's `rank`-th choice. To be called with the first answer,
  // before `accept`. nullopt when memory is full or there is no such choice.
  std::optional<Generation> branch(const kernels::HeadAnswer& answer, int rank);

  // Greedy as it goes, the text need not be the likeliest line, nor the right one: where other tokens were
  // nearly as likely as the one that was taken, generations that took them, at the first such places,
  // however the work is cut. Given out once; a rival has none.
  std::vector<Generation> take_rivals() { return std::exchange(rivals_, {}); }

  // The first line will not change any more.
  bool has_line() const;

  // Ends it here, with what is whole.
  void finish(FinishReason reason);

  PrefixTree::Path& path() { return path_; }
  bool done() const { return reason_.has_value(); }
  FinishReason reason() const { return *reason_; }
  std::string_view text() const { return monitor_.safe(); }
  double log_probability() const { return log_probability_; }
  double confidence() const { return confidence_; }
  void set_confidence(double confidence) { confidence_ = confidence; }  // of a line that is whole
  int generated() const { return generated_; }
  int drafted() const { return drafted_; }
  int drafts_accepted() const { return drafts_accepted_; }
  int pending() const { return static_cast<int>(pending_.size()); }

 private:
  void write(TokenId token);
  kernels::HeadAnswer mixed_answer(const kernels::HeadAnswer& answer, std::size_t query) const;
  MemoryGuess guess(std::string_view required) const;
  std::vector<TokenId> propose_drafts(int limit);
  bool may_have_rivals() const;
  bool contends(const kernels::HeadAnswer& answer, std::size_t rank, std::size_t query) const;
  void consider_rivals(const kernels::HeadAnswer& answer, std::size_t query);
  void commit_sure();
  void push(const SampledToken& sampled);
  std::vector<TokenId> penalised() const;
  bool follows(std::string_view& required, TokenId token) const;

  GenerationContext context_;
  const Job* job_;
  PrefixTree::Path path_;
  std::vector<TokenId> pending_;
  std::vector<TokenId> prepared_;
  std::size_t n_sure_ = 0;  // of prepared_, until they are committed
  // What the memory does not know of this text: the prompt's file, unless it is remembered, and what was
  // generated. Ends where the sure tokens end.
  MatchIndex written_;
  int draft_match_ = 0;         // length of the match that the prepared drafts followed; 0: of another source
  TokenId foreseen_ = -1;       // the first draft, where none was worth its cost
  WorkspaceMemory::View view_;  // of this step
  int rivals_left_ = context_.rivals.most;
  std::vector<Generation> rivals_;         // not taken yet
  std::optional<MemoryGuess> next_guess_;  // what drafts were made of, for the query behind the sure tokens
  std::vector<std::vector<std::uint64_t>> masks_;
  std::vector<TokenId> penalised_;
  std::vector<MemoryGuess> guesses_;             // of each query
  std::vector<std::vector<TokenId>> query_ids_;  // of each query: the penalised ones, then the guess's
  std::string heal_left_;
  StopMonitor monitor_;
  std::mt19937_64 random_;
  double log_probability_ = 0;
  double confidence_ = 1;
  int generated_ = 0;
  int counted_ = 0;  // of the generated tokens, those that added text after the cursor
  int drafted_ = 0;
  int drafts_accepted_ = 0;
  std::optional<FinishReason> reason_;
};

}  // namespace hearth::engine
