#include "lsp/completion_service.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "lsp/kept_plan.h"
#include "lsp/text_shape.h"
#include "lsp/uri.h"

namespace hearth::lsp {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kIdle(200);           // without a change: the user pauses
constexpr milliseconds kBackstopGrace(250);  // past a job's hard deadline, before the answer is nothing
constexpr std::size_t kRememberedAnswers = 4;
constexpr std::size_t kMeasuredBytes = 2048;
constexpr int kTellingTokens = 200;           // a text of fewer says little about a document's bytes a token
constexpr double kRatioMargin = 0.95;         // other parts of the document may have fewer
constexpr std::size_t kLongEnoughBytes = 48;  // of an answer that was cut short, not to be extended yet

bool is_cut_short(const engine::Final& final) {
  return final.reason == engine::FinishReason::kDeadline || final.reason == engine::FinishReason::kTokens;
}

}  // namespace

CompletionService::CompletionService(std::string client, JobRouter& router, Clock& clock, Logger& logger,
                                     std::function<void()> failed)
    : client_(std::move(client)),
      router_(router),
      clock_(clock),
      logger_(logger),
      failed_(std::move(failed)) {}

CompletionService::~CompletionService() {
  while (!running_.empty()) stop(running_.begin()->first);
  for (const auto& [uri, document] : documents_) let_go(document);
}

void CompletionService::let_go(const PerDocument& document) {
  if (document.idle) clock_.cancel(*document.idle);
  if (document.warming) router_.cancel(*document.warming);
  if (document.extending) router_.cancel(document.extending->job);
  if (document.ahead) router_.cancel(*document.ahead);
  keep_plan(document);
}

void CompletionService::configure(Settings settings) {
  settings_ = std::move(settings);
  for (auto& [uri, document] : documents_) {
    document.answers.clear();
    if (asks_workspace()) continue;
    // A warming whose plan has it would bring it back.
    if (document.warming) router_.cancel(*std::exchange(document.warming, std::nullopt));
    document.plan.context.reset();
    document.warmed.clear();
  }
}

bool CompletionService::asks_workspace() const {
  return contexts_ != nullptr && settings_.index_enabled && settings_.completion_related_tokens > 0;
}

int CompletionService::context_tokens() {
  if (context_tokens_ == 0) context_tokens_ = router_.engine().status().context_tokens;
  return context_tokens_;
}

CompletionService::Ticket CompletionService::ask(CompletionQuery query, Done done) {
  ++counts_.queries;
  const auto superseded = std::find_if(waiters_.begin(), waiters_.end(), [&](const auto& entry) {
    return entry.second.method == query.method && entry.second.uri == query.document->uri();
  });
  std::optional<Waiter> older;
  if (superseded != waiters_.end()) older = take(superseded->first);

  Ticket ticket = 0;
  CompletionAnswer at_once;
  bool answered = true;
  Silence silence = query.left_out;
  if (silence == Silence::kNone) silence = silence_by_settings(*query.document, settings_);
  std::optional<Recalled> recalled = silence == Silence::kNone ? recall(query) : std::nullopt;
  if (silence == Silence::kNone && !recalled && is_unasked(query))
    silence = silence_of_place(*query.document, query.cursor, settings_);
  if (silence != Silence::kNone) {
    at_once.silence = silence;
  } else if (recalled) {
    extend(query, *recalled->from, recalled->insertions.front());
    at_once.source = AnswerSource::kTypedThrough;
    at_once.insertions = std::move(recalled->insertions);
    ++counts_.typed_through;
    rest(query);
  } else {
    answered = false;
    const engine::JobId job = job_for(query);
    ticket = next_ticket_++;
    waiters_.emplace(ticket, Waiter{query.method, query.document->uri(), job, std::move(done)});
    running_.at(job).waiters.push_back(ticket);
  }
  // Only now, so that the newer query could join the older one's job.
  if (older) {
    ++counts_.superseded;
    drop_if_unwanted(older->job);
    older->done({.source = AnswerSource::kSuperseded, .silence = Silence::kSuperseded});
  }
  if (answered) done(std::move(at_once));
  return ticket;
}

std::optional<CompletionService::Recalled> CompletionService::recall(const CompletionQuery& query) const {
  const auto document = documents_.find(query.document->uri());
  if (document == documents_.end()) return std::nullopt;
  for (const Remembered& remembered : document->second.answers) {
    // Who asks by hand after ghost text wants more than what is shown.
    if (query.urgency == Urgency::kByHand && remembered.urgency != Urgency::kByHand) continue;
    // A block that was asked for stays the answer while it is typed.
    const bool in_asked_block = query.extent == Extent::kAuto && remembered.extent == Extent::kBlock;
    if (query.extent != remembered.extent && !in_asked_block) continue;
    std::vector<Insertion> left = typed_through(remembered.answer, query.document->text(), query.cursor);
    if (!left.empty()) return Recalled{std::move(left), &remembered};
  }
  return std::nullopt;
}

engine::JobId CompletionService::job_for(const CompletionQuery& query) {
  for (const auto& [job, running] : running_) {
    if (same_work(running.query, query)) return job;
  }
  // What the user typed instead counts now.
  PerDocument& document = documents_[query.document->uri()];
  if (document.extending) router_.cancel(document.extending->job);
  document.extending.reset();
  if (document.ahead) router_.cancel(*std::exchange(document.ahead, std::nullopt));
  PlannedCompletion next = plan(query, document, priority_of(query));
  document.plan = std::move(next.state);
  engine::Job planned = std::move(next.job);
  Running running;
  running.query = query;
  running.stop = planned.stop;
  running.segments = planned.segments.size();
  if (exact_tokens_ > 0) {
    planned.stop = {.max_tokens = exact_tokens_, .max_lines = 0, .exact = true};
    planned.soft_ms.reset();
    planned.hard_ms.reset();
  }
  const std::optional<int> hard_ms = planned.hard_ms;
  const engine::JobId job =
      router_.submit(std::move(planned), [this](const engine::Final& final) { finish(final.job, final); });
  if (hard_ms) {
    running.backstop = clock_.after(milliseconds(*hard_ms) + kBackstopGrace, [this, job] {
      logger_.write(LogLevel::kWarning, fmt::format("the engine let job {} pass its deadline", job));
      running_.at(job).backstop.reset();
      answer(job, {.silence = Silence::kLate});
      stop(job);
    });
  }
  running_.emplace(job, std::move(running));
  if (query.document->uri() != at_hand_) turn_to(query);
  return job;
}

PlannedCompletion CompletionService::plan(const CompletionQuery& query, const PerDocument& document,
                                          engine::Priority priority, Anchoring anchoring,
                                          std::shared_ptr<const PromptContext> context) {
  CompletionRequest request;
  request.place = place_of(query);
  request.priority = priority;
  request.extent = query.extent;
  request.context_tokens = context_tokens();
  request.bytes_per_token = document.bytes_per_token;
  request.previous = document.plan;
  request.anchoring = anchoring;
  request.context = std::move(context);
  PlannedCompletion planned = plan_completion(request, settings_);
  planned.job.client = client_;
  planned.job.document = document_name(query.document->uri());
  planned.job.workspace = query.workspace;
  planned.job.switches.memory = settings_.memory_enable;
  return planned;
}

std::vector<engine::Segment> CompletionService::prompt_before(const CompletionQuery& query,
                                                              std::size_t begin) {
  const auto known = documents_.find(query.document->uri());
  return plan(untyped(query, begin), known == documents_.end() ? PerDocument() : known->second,
              priority_of(query))
      .job.segments;
}

void CompletionService::finish(engine::JobId job, const engine::Final& final) {
  const auto found = running_.find(job);
  if (found == running_.end()) return;
  CompletionAnswer result;
  const CompletionQuery query = found->second.query;
  if (final.reason == engine::FinishReason::kFailed) {
    if (std::exchange(last_failure_, final.error) != final.error) {
      logger_.write(LogLevel::kError, fmt::format("the engine failed: {}", final.error));
    }
    result.silence = Silence::kFailed;
    failed_();
  } else if (final.reason != engine::FinishReason::kCancelled) {
    result.source = AnswerSource::kEngine;
    const double least = least_confidence(query);
    result.insertions = finish_completion(place_of(query), found->second.stop, final, &syntax_,
                                          RestOfLine::kMayBeReplaced, least);
    if (result.insertions.empty()) result.silence = silence_of(final, least);
    result.usage = final.usage;
    result.timings = final.timings;
    ++counts_.engine_answers;
    if (result.insertions.empty()) ++counts_.empty;
    remember(query, result.insertions, is_cut_short(final) ? Ending::kCutShort : Ending::kWhole);
  }
  logger_.write(LogLevel::kDebug, fmt::format("job {}: {} prompt tokens, {} cached, {} generated, {:.1f} ms",
                                              job, final.usage.prompt_tokens, final.usage.cached_tokens,
                                              final.usage.generated_tokens, final.timings.total_ms));
  const bool context_can_grow = final.segments_taken.size() < found->second.segments;
  answer(job, result);
  if (found->second.backstop) clock_.cancel(*found->second.backstop);
  running_.erase(found);
  if (result.source != AnswerSource::kEngine) return;
  if (context_can_grow) warm(query, Anchoring::kKeep);
  rest(query);
}

// Of the text around the cursor, so that it depends on nothing that happened before.
void CompletionService::measure_tokens(const CompletionQuery& query) {
  const std::string& text = query.document->text();
  const std::size_t begin = query.cursor - std::min(query.cursor, 2 * kMeasuredBytes);
  const std::string around = text.substr(begin, query.cursor - begin + kMeasuredBytes);
  const auto tokens = router_.engine().count_tokens({around});
  if (!tokens || tokens->front() < kTellingTokens) return;
  documents_.at(query.document->uri()).bytes_per_token =
      kRatioMargin * static_cast<double>(around.size()) / tokens->front();
}

void CompletionService::answer(engine::JobId job, const CompletionAnswer& answer) {
  for (const Ticket ticket : std::exchange(running_.at(job).waiters, {})) {
    auto node = waiters_.extract(ticket);
    node.mapped().done(answer);
  }
}

void CompletionService::remember(const CompletionQuery& query, std::vector<Insertion> insertions,
                                 Ending ending) {
  if (insertions.empty()) return;
  const auto document = documents_.find(query.document->uri());
  if (document == documents_.end()) return;
  std::deque<Remembered>& answers = document->second.answers;
  answers.push_front({++last_remembered_,
                      {query.document->text(), query.cursor, std::move(insertions)},
                      query.urgency,
                      query.extent,
                      ending});
  if (answers.size() > kRememberedAnswers) answers.pop_back();
  extend(query, answers.front(), answers.front().answer.insertions.front());
}

void CompletionService::extend(const CompletionQuery& query, const Remembered& remembered,
                               const Insertion& left) {
  PerDocument& document = documents_.at(query.document->uri());
  if (remembered.ending == Ending::kWhole || left.text.size() >= kLongEnoughBytes ||
      left.replaces_after > 0 || exact_tokens_ > 0) {
    return;
  }
  if (document.extending) {
    if (document.extending->remembered == remembered.id) return;
    router_.cancel(document.extending->job);
  }
  const CompletionQuery ahead = accepted(query, left);
  engine::Job job = plan(ahead, document, priority_of(ahead)).job;
  job.alternatives = 1;
  job.soft_ms.reset();
  const engine::StopRules stop = job.stop;
  document.extending = {
      router_.submit(std::move(job), [this, ahead, stop, id = remembered.id](
                                         const engine::Final& final) { extended(ahead, id, stop, final); }),
      remembered.id};
}

void CompletionService::extended(const CompletionQuery& ahead, std::uint64_t remembered,
                                 const engine::StopRules& stop, const engine::Final& final) {
  const auto document = documents_.find(ahead.document->uri());
  if (document == documents_.end()) return;
  document->second.extending.reset();
  std::deque<Remembered>& answers = document->second.answers;
  const auto found = std::find_if(answers.begin(), answers.end(),
                                  [&](const Remembered& item) { return item.id == remembered; });
  if (found == answers.end()) return;
  const std::vector<Insertion> more = finish_completion(place_of(ahead), stop, final, &syntax_);
  found->ending = is_cut_short(final) ? Ending::kCutShort : Ending::kWhole;
  if (more.empty() || more.front().replaces_after > 0) {
    found->ending = Ending::kWhole;
    return;
  }
  found->answer.insertions.front().text += more.front().text;
}

double CompletionService::least_confidence(const CompletionQuery& query) const {
  return is_unasked(query) ? settings_.completion_min_confidence / 100.0 : 0;
}

void CompletionService::answer_ahead(const CompletionQuery& query) {
  const std::optional<Recalled> shown = recall(query);
  if (!shown || shown->from->ending == Ending::kCutShort || exact_tokens_ > 0) return;
  const CompletionQuery ahead = accepted(query, shown->insertions.front());
  PerDocument& document = documents_.at(query.document->uri());
  if (document.ahead || recall(ahead)) return;
  engine::Job job = plan(ahead, document, engine::Priority::kAhead).job;
  const engine::StopRules stop = job.stop;
  document.ahead = router_.submit(std::move(job), [this, ahead, stop](const engine::Final& final) {
    PerDocument& answered = documents_.at(ahead.document->uri());
    answered.ahead.reset();
    std::vector<Insertion> insertions = finish_completion(
        place_of(ahead), stop, final, &syntax_, RestOfLine::kMayBeReplaced, least_confidence(ahead));
    if (insertions.empty()) return;
    // Behind what is shown, which may be typed as well.
    if (answered.answers.size() == kRememberedAnswers) answered.answers.pop_back();
    answered.answers.push_back({++last_remembered_,
                                {ahead.document->text(), ahead.cursor, std::move(insertions)},
                                ahead.urgency,
                                ahead.extent,
                                is_cut_short(final) ? Ending::kCutShort : Ending::kWhole});
  });
}

std::optional<CompletionService::Waiter> CompletionService::take(Ticket ticket) {
  auto node = waiters_.extract(ticket);
  if (!node) return std::nullopt;
  if (const auto running = running_.find(node.mapped().job); running != running_.end()) {
    std::erase(running->second.waiters, ticket);
  }
  return std::move(node.mapped());
}

void CompletionService::cancel(Ticket ticket) {
  const std::optional<Waiter> waiter = take(ticket);
  if (!waiter) return;
  ++counts_.cancelled;
  drop_if_unwanted(waiter->job);
}

void CompletionService::drop_if_unwanted(engine::JobId job) {
  const auto running = running_.find(job);
  if (running != running_.end() && running->second.waiters.empty()) stop(job);
}

void CompletionService::stop(engine::JobId job) {
  const auto running = running_.find(job);
  if (running->second.backstop) clock_.cancel(*running->second.backstop);
  running_.erase(running);
  router_.cancel(job);
}

void CompletionService::give_up(engine::JobId job) {
  answer(job, {.silence = Silence::kSuperseded});
  stop(job);
}

void CompletionService::drain() {
  while (!running_.empty()) give_up(running_.begin()->first);
}

void CompletionService::touched(CompletionQuery query, Attention attention) {
  const auto [document, is_new] = documents_.try_emplace(query.document->uri());
  PerDocument& state = document->second;
  if (is_new) recall_plan(query, state);
  if (attention == Attention::kChanges) {
    state.left_at = 0;
    return rest(query);
  }
  // Where editors put the cursor of a file just opened, until it was somewhere else.
  if (query.cursor != 0) state.left_at = 0;
  if (query.cursor == 0) query.cursor = state.left_at;
  turn_to(query);
}

void CompletionService::turn_to(const CompletionQuery& query) {
  at_hand_ = query.document->uri();
  for (auto& [uri, document] : documents_) {
    if (document.idle) clock_.cancel(*std::exchange(document.idle, std::nullopt));
    if (uri == at_hand_ || !document.warming) continue;
    router_.cancel(*std::exchange(document.warming, std::nullopt));
    document.warmed.clear();
  }
  prepare(query);
}

void CompletionService::closed(const std::string& uri) {
  const auto document = documents_.find(uri);
  if (document == documents_.end()) return;
  for (auto next = running_.begin(); next != running_.end();) {
    const auto running = next++;
    if (running->second.query.document->uri() == uri) give_up(running->first);
  }
  let_go(document->second);
  documents_.erase(document);
}

void CompletionService::forget(const std::string& uri) {
  const auto document = documents_.find(uri);
  if (document == documents_.end()) return;
  document->second.warmed_for.reset();
  closed(uri);
  engine::Job nothing;
  nothing.client = client_;
  nothing.document = document_name(uri);
  nothing.priority = engine::Priority::kWarm;
  router_.submit(std::move(nothing), [](const engine::Final&) {});
}

// Who opens a document is likely to go on where it was left.
void CompletionService::recall_plan(const CompletionQuery& query, PerDocument& document) {
  if (plans_ == nullptr || query.workspace.empty()) return;
  const auto kept = plans_->plan_of(query.workspace, document_name(query.document->uri()));
  auto plan =
      kept ? read_plan(*kept, router_.engine().status().model_path, query.document->text()) : std::nullopt;
  if (!plan) return;
  document.plan = std::move(plan->state);
  document.left_at = plan->cursor;
}

void CompletionService::keep_plan(const PerDocument& document) {
  if (plans_ == nullptr || !document.warmed_for || document.warmed_for->workspace.empty()) return;
  const CompletionQuery& query = *document.warmed_for;
  std::string kept =
      write_plan({document.plan, router_.engine().status().model_path, query.cursor}, query.document->text());
  if (!kept.empty()) plans_->keep(query.workspace, document_name(query.document->uri()), std::move(kept));
}

void CompletionService::rest(const CompletionQuery& query) {
  const auto document = documents_.find(query.document->uri());
  if (document == documents_.end()) return;  // closed meanwhile
  std::optional<Clock::TimerId>& idle = document->second.idle;
  if (idle) clock_.cancel(*idle);
  idle = clock_.after(kIdle, [this, query] {
    documents_.at(query.document->uri()).idle.reset();
    answer_ahead(query);
    prepare(query);
  });
}

void CompletionService::prepare(const CompletionQuery& query) {
  if (context_tokens() > 0) return ask_workspace(query);
  // A plan for a context that is not known yet would be laid out anew once it is.
  PerDocument& document = documents_.at(query.document->uri());
  if (document.warming) router_.cancel(*document.warming);
  engine::Job ready;
  ready.client = client_;
  ready.priority = engine::Priority::kWarm;
  document.warming = router_.submit(std::move(ready), [this, query](const engine::Final& final) {
    const auto found = documents_.find(query.document->uri());
    if (found == documents_.end()) return;
    found->second.warming.reset();
    if (final.reason == engine::FinishReason::kWarmed) ask_workspace(query);
  });
}

void CompletionService::ask_workspace(const CompletionQuery& query) {
  measure_tokens(query);
  if (!asks_workspace()) return warm(query, Anchoring::kRenew);
  contexts_->ask({query.document, query.cursor, documents_.at(query.document->uri()).plan.context},
                 [this, query](std::shared_ptr<const PromptContext> context) {
                   const auto document = documents_.find(query.document->uri());
                   // Who typed on meanwhile is prepared for in the next pause.
                   if (document == documents_.end() || document->second.idle) return;
                   warm(query, Anchoring::kRenew, asks_workspace() ? std::move(context) : nullptr);
                 });
}

void CompletionService::warm(const CompletionQuery& query, Anchoring anchoring,
                             std::shared_ptr<const PromptContext> context) {
  const auto document = documents_.find(query.document->uri());
  if (document == documents_.end()) return;
  if (silence_by_settings(*query.document, settings_) != Silence::kNone) return;
  PerDocument& state = document->second;
  PlannedCompletion planned = plan(query, state, engine::Priority::kWarm, anchoring, std::move(context));
  std::vector<std::uint64_t> hashes = segment_hashes(planned.job.segments);
  if (hashes == state.warmed) return;
  if (state.warming) router_.cancel(*state.warming);
  state.warmed = std::move(hashes);
  state.warming = router_.submit(
      std::move(planned.job), [this, query, plan = std::move(planned.state)](const engine::Final& final) {
        const auto warmed = documents_.find(query.document->uri());
        if (warmed == documents_.end()) return;
        warmed->second.warming.reset();
        if (final.reason == engine::FinishReason::kWarmed) {
          warmed->second.warmed_for = query;
          warmed->second.plan = plan;  // one step: the next keystroke finds it all in memory
        } else {
          warmed->second.warmed.clear();
        }
        if (final.reason == engine::FinishReason::kFailed) failed_();
      });
}

}  // namespace hearth::lsp
