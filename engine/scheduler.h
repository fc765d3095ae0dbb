// Decides what the next forward pass computes: rows of several jobs together, urgent ones before others
// ones, and what becomes of the answers. Single-threaded and free of clocks and locks of its own, so that
// tests run it inline; local_engine.h puts it on the engine's thread.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "engine/generation.h"
#include "engine/job.h"
#include "engine/model.h"
#include "engine/prefix_tree.h"
#include "engine/stored_kv.h"
#include "engine/token_index.h"
#include "engine/weighing.h"

namespace hearth::engine {

using TimePoint = std::chrono::steady_clock::time_point;

inline constexpr double kLeastSpeed = 200;  // tokens a second of prefill, while it is not known

struct SchedulerOptions {
  std::uint64_t cache_bytes = 256 << 20;
  std::uint64_t memory_bytes = 64 << 20;    // of the workspace memory
  std::optional<MixtureWeights> mixture{};  // else the defaults for the model
  int context_tokens = 0;                   // 0: the model's own limit, at most 8,192
  int prefill_rows = 64;                    // of one job a step; a cancel loses no more than this
  int largest_step = 256;                   // rows of all jobs
  std::optional<StoredKvOptions> stored_kv{};
  std::optional<bool> weigh_lines{};  // by what follows the cursor; else where the model is a good reader
};

// Speeds as measured lately; 0 until something was.
struct EngineSpeed {
  double prefill_tokens_per_s = 0;
  double decode_tokens_per_s = 0;
};

class Scheduler {
 public:
  Scheduler(const Model& model, const SchedulerOptions& options, std::function<TimePoint()> clock);
  ~Scheduler();

  void submit(JobId id, Job job, TimePoint submitted);
  void cancel(JobId id);
  bool idle() const { return waiting_.empty() && running_.empty(); }
  bool urgent() const;  // some job that somebody waits for waits or runs

  // What of KV outlives the engine; nullptr: nothing.
  StoredKv* stored_kv() { return stored_kv_ ? &*stored_kv_ : nullptr; }

  // To be changed between steps only.
  WorkspaceMemory& memory() { return memory_; }

  // One forward pass and its consequences. `poll` is called between the operations of a layer and may
  // call `submit` and `cancel`: the pass is given up when all its jobs are cancelled or past their hard
  // deadline, or when it serves no urgent job and one has come. False from `poll` gives it up
  // at once.
  void step(const std::function<bool()>& poll);

  // Log-probabilities of the request's candidates; nullopt when `poll` said false or an urgent job came
  // (what was prefilled by then is kept).
  std::optional<Result<std::vector<double>>> score(const ScoreRequest& request,
                                                   const std::function<bool()>& poll);

  // Deltas and finals since the last call, in order.
  std::vector<Event> take_events();

  EngineSpeed speed() const { return speed_; }
  std::uint64_t prefilled_tokens() const { return prefilled_tokens_; }  // of prompts, in all
  std::uint64_t cache_bytes() const;
  std::uint64_t cache_limit_bytes() const;
  int context_tokens() const { return context_tokens_; }
  int running() const { return static_cast<int>(running_.size()); }
  int waiting() const { return static_cast<int>(waiting_.size()); }

 private:
  struct ActiveJob;
  struct StepPlan;
  struct Candidate;

  void start_waiting();
  bool start(ActiveJob& job);
  std::optional<double> prefill_budget_ms(const ActiveJob& job) const;
  bool urgent_waiting() const;
  StepPlan plan_step();
  bool pointless(const StepPlan& plan) const;
  void accept(StepPlan& plan, const std::vector<kernels::HeadAnswer>& answers);
  void decide(ActiveJob& job, const std::function<bool()>& poll);
  void keep(ActiveJob& job, const std::function<bool(std::size_t)>& stays);
  std::optional<double> time_left_ms(const ActiveJob& job) const;
  std::optional<std::vector<double>> weigh(const WeighingText& text, Healing healing,
                                           std::span<const std::string> lines,
                                           std::optional<double> budget_ms,
                                           const std::function<bool()>& interrupted);
  void close(ActiveJob& job, Generation& generation);
  void report(ActiveJob& job);
  void settle(ActiveJob& job);
  void grow(ActiveJob& job);
  void finish(ActiveJob& job, FinishReason reason, std::string error = {});
  void keep_kv(ActiveJob& job);
  void measure(const StepPlan& plan, double seconds);
  std::optional<Result<std::vector<double>>> score_texts(const Prompt& prompt,
                                                         std::span<const std::string> texts,
                                                         const std::function<bool()>& interrupted);
  Prompt prompt_at_hand(const std::vector<Segment>& segments) const;
  std::optional<Result<kernels::HeadAnswer>> read_prompt(PrefixTree::Path& path,
                                                         std::span<const TokenId> tokens,
                                                         std::span<const TokenId> ids,
                                                         const std::function<bool()>& interrupted);
  std::optional<Result<void>> score_together(const PrefixTree::Path& prompt, std::span<Candidate> candidates,
                                             const std::function<bool()>& interrupted);

  const Model& model_;
  std::function<TimePoint()> clock_;
  SchedulerOptions options_;
  int context_tokens_;
  std::unique_ptr<kernels::PagePool> pool_;
  std::unique_ptr<kernels::Workspace> workspace_;
  std::unique_ptr<PrefixTree> tree_;
  std::optional<StoredKv> stored_kv_;
  TokenIndex token_index_;
  WorkspaceMemory memory_;
  MixtureWeights mixture_;
  bool weighs_lines_;
  DraftPolicy drafts_;
  std::vector<std::unique_ptr<ActiveJob>> waiting_;
  std::vector<std::unique_ptr<ActiveJob>> running_;
  std::vector<Event> events_;
  EngineSpeed speed_;
  std::uint64_t prefilled_tokens_ = 0;
};

}  // namespace hearth::engine
