// The life of a keystroke (DESIGN.md section 3) for one client, behind the protocol and before the
// engine: typed-through answers, jobs with deadlines, superseding, sharing, warming. The protocol thread
// owns it; no call blocks.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lsp/clock.h"
#include "lsp/completion.h"
#include "lsp/completion_query.h"
#include "lsp/document.h"
#include "lsp/job_router.h"
#include "lsp/logger.h"
#include "lsp/plan_store.h"
#include "lsp/settings.h"
#include "lsp/silence.h"
#include "lsp/syntax_faults.h"
#include "lsp/typed_through.h"
#include "lsp/workspace_contexts.h"

namespace hearth::lsp {

enum class AnswerSource : std::uint8_t {
  kEngine,
  kTypedThrough,
  kNone,        // switched off, failed, or past every deadline
  kSuperseded,  // a newer query of the same document and method came
};

struct CompletionAnswer {
  AnswerSource source = AnswerSource::kNone;
  std::vector<Insertion> insertions;  // at the query's cursor, best first
  Silence silence = Silence::kNone;   // why there are none
  engine::Usage usage;                // of the engine's answers
  engine::Timings timings;
};

// Since the session began.
struct CompletionCounts {
  std::uint64_t queries = 0;
  std::uint64_t engine_answers = 0;  // empty ones included
  std::uint64_t typed_through = 0;
  std::uint64_t empty = 0;
  std::uint64_t superseded = 0;
  std::uint64_t cancelled = 0;
};

enum class Attention : std::uint8_t {
  kLooks,    // the document was opened or got the focus
  kChanges,  // it is being changed
};

class CompletionService {
 public:
  using Ticket = std::uint64_t;
  using Done = std::function<void(CompletionAnswer answer)>;

  // `client` names the session to the engine. `failed` is called when a job ends as kFailed.
  CompletionService(std::string client, JobRouter& router, Clock& clock, Logger& logger,
                    std::function<void()> failed);
  ~CompletionService();  // cancels what runs; nothing is called any more

  CompletionService(const CompletionService&) = delete;
  CompletionService& operator=(const CompletionService&) = delete;

  void configure(Settings settings);

  // Where prompts learn of the workspace; it goes before this does. None: nowhere.
  void use(WorkspaceContexts& contexts) { contexts_ = &contexts; }

  // Who is told which insertions are parsed. None: nobody.
  void use(std::shared_ptr<indexer::ParseJournal> journal) { syntax_ = SyntaxFaults(std::move(journal)); }

  // Where plans outlive the session; it outlives this. None: nowhere.
  void use(PlanStore& plans) { plans_ = &plans; }

  // From now on every completion runs to exactly so many tokens, without deadlines (0: as usual).
  void run_exactly(int tokens) { exact_tokens_ = tokens; }

  // `done` is called exactly once, maybe before this returns, unless the ticket is cancelled first. A query
  // of the same document and method that still waits is answered as superseded.
  Ticket ask(CompletionQuery query, Done done);

  // `done` is not called any more, and work that nobody else waits for ends.
  void cancel(Ticket ticket);

  // The prompt up to `begin` with what stands from there to the query's cursor taken out: for what else might
  // stand there.
  std::vector<engine::Segment> prompt_before(const CompletionQuery& query, std::size_t begin);

  // The user is in the query's document, with the cursor likely there: the engine prepares for the next
  // keystroke, at once for who looks at it, instead of for other documents; for who changes it, when nothing
  // more happens for a moment.
  void touched(CompletionQuery query, Attention attention);

  void closed(const std::string& uri);

  // It is not for the model any more: closed, and nothing that was read of it is kept.
  void forget(const std::string& uri);

  // Answers whatever waits, with nothing.
  void drain();

  const CompletionCounts& counts() const { return counts_; }

 private:
  struct Waiter {
    CompletionMethod method;
    std::string uri;
    engine::JobId job;
    Done done;
  };
  struct Running {
    CompletionQuery query;
    engine::StopRules stop;
    std::size_t segments = 0;  // of its prompt
    std::vector<Ticket> waiters;
    std::optional<Clock::TimerId> backstop;
  };
  enum class Ending : std::uint8_t { kWhole, kCutShort };  // by a deadline or the token limit
  struct Remembered {
    std::uint64_t id;
    Answer answer;
    Urgency urgency;
    Extent extent;
    Ending ending;
  };
  struct Extension {
    engine::JobId job;
    std::uint64_t remembered;  // the answer it goes on with
  };
  struct Recalled {
    std::vector<Insertion> insertions;
    const Remembered* from;
  };
  struct PerDocument {
    PlanState plan;
    std::optional<CompletionQuery> warmed_for;        // the last plan that became current in a pause
    std::size_t left_at = 0;                          // by a kept plan, until the user is elsewhere
    double bytes_per_token = kCautiousBytesPerToken;  // around the cursor, when it last rested
    std::deque<Remembered> answers;                   // newest first
    std::optional<Clock::TimerId> idle;
    std::optional<engine::JobId> warming;
    std::optional<Extension> extending;
    std::optional<engine::JobId> ahead;
    std::vector<std::uint64_t> warmed;  // hashes of the segments last warmed, or being warmed
  };

  std::optional<Recalled> recall(const CompletionQuery& query) const;
  PlannedCompletion plan(const CompletionQuery& query, const PerDocument& document, engine::Priority priority,
                         Anchoring anchoring = Anchoring::kKeep,
                         std::shared_ptr<const PromptContext> context = nullptr);
  engine::JobId job_for(const CompletionQuery& query);
  void finish(engine::JobId job, const engine::Final& final);
  void measure_tokens(const CompletionQuery& query);
  void answer(engine::JobId job, const CompletionAnswer& answer);
  void remember(const CompletionQuery& query, std::vector<Insertion> insertions, Ending ending);
  // Lets the engine go on where the best of an answer that was cut short ends, for when it is typed.
  void extend(const CompletionQuery& query, const Remembered& remembered, const Insertion& left);
  void extended(const CompletionQuery& ahead, std::uint64_t remembered, const engine::StopRules& stop,
                const engine::Final& final);
  // In a pause: what will be suggested when what is suggested now is taken.
  void answer_ahead(const CompletionQuery& query);
  double least_confidence(const CompletionQuery& query) const;
  std::optional<Waiter> take(Ticket ticket);
  void drop_if_unwanted(engine::JobId job);
  void stop(engine::JobId job);
  void give_up(engine::JobId job);  // whoever waits is answered with nothing
  void rest(const CompletionQuery& query);
  void turn_to(const CompletionQuery& query);
  // Once the engine is ready: asks what the workspace says, then warms the plan that comes of it.
  void prepare(const CompletionQuery& query);
  void ask_workspace(const CompletionQuery& query);
  void warm(const CompletionQuery& query, Anchoring anchoring,
            std::shared_ptr<const PromptContext> context = nullptr);
  bool asks_workspace() const;  // whether prompts may have something of it
  int context_tokens();
  void recall_plan(const CompletionQuery& query, PerDocument& document);
  void keep_plan(const PerDocument& document);
  void let_go(const PerDocument& document);  // of what runs for it

  std::string client_;
  JobRouter& router_;
  Clock& clock_;
  Logger& logger_;
  std::function<void()> failed_;
  WorkspaceContexts* contexts_ = nullptr;
  PlanStore* plans_ = nullptr;
  Settings settings_;
  SyntaxFaults syntax_;
  CompletionCounts counts_;
  std::string last_failure_;  // logged once, not at each key
  int context_tokens_ = 0;    // 0: not known yet
  int exact_tokens_ = 0;
  Ticket next_ticket_ = 1;
  std::uint64_t last_remembered_ = 0;
  std::map<Ticket, Waiter> waiters_;
  std::map<engine::JobId, Running> running_;
  std::map<std::string, PerDocument> documents_;
  std::string at_hand_;  // the document that was looked at last
};

}  // namespace hearth::lsp
