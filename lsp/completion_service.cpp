#include "lsp/completion_service.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "lsp/text_shape.h"
#include "lsp/uri.h"

namespace hearth::lsp {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kIdle(200);           // without a change: the user pauses
constexpr milliseconds kBackstopGrace(250);  // past a job's hard deadline, before the answer is nothing
constexpr std::size_t kRememberedAnswers = 4;
constexpr int kTellingTokens = 200;    // a prompt of fewer says little about a document's bytes a token
constexpr double kRatioMargin = 0.95;  // other parts of the document may have fewer
constexpr std::size_t kLongEnoughBytes = 48;  // of an answer that was cut short, not to be extended yet

CursorPlace place_of(const CompletionQuery& query) {
  return {query.document->text(), query.cursor, query.path, query.document->language()};
}

engine::Priority priority_of(const CompletionQuery& query) {
  return query.urgency == Urgency::kByHand ? engine::Priority::kInvoked : engine::Priority::kAutomatic;
}

// Whether one job answers both.
bool same_work(const CompletionQuery& a, const CompletionQuery& b) {
  const bool both_ask_why = (a.method == CompletionMethod::kWhy) == (b.method == CompletionMethod::kWhy);
  return both_ask_why && a.document->uri() == b.document->uri() && a.cursor == b.cursor &&
         a.urgency == b.urgency && a.extent == b.extent &&
         (a.document == b.document || a.document->text() == b.document->text());
}

bool is_cut_short(const engine::Final& final) {
  return final.reason == engine::FinishReason::kDeadline || final.reason == engine::FinishReason::kTokens;
}

std::vector<std::uint64_t> hashes_of(const std::vector<engine::Segment>& segments) {
  std::vector<std::uint64_t> hashes;
  for (const engine::Segment& segment : segments) hashes.push_back(segment.hash);
  return hashes;
}

std::size_t bytes_of(const std::vector<engine::Segment>& segments) {
  std::size_t bytes = 0;
  for (const engine::Segment& segment : segments) bytes += segment.text.size();
  return bytes;
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
  for (auto& [job, running] : running_) {
    if (running.backstop) clock_.cancel(*running.backstop);
    router_.cancel(job);
  }
  for (auto& [uri, document] : documents_) {
    if (document.idle) clock_.cancel(*document.idle);
    if (document.warming) router_.cancel(*document.warming);
    if (document.extending) router_.cancel(document.extending->job);
  }
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
  const Silence by_settings = silence_by_settings(*query.document, settings_);
  if (const Silence silence = query.left_out != Silence::kNone ? query.left_out : by_settings;
      silence != Silence::kNone) {
    at_once.silence = silence;
  } else if (std::optional<Recalled> recalled = recall(query)) {
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
  PlannedCompletion next = plan(query, document, priority_of(query));
  document.plan = std::move(next.state);
  engine::Job planned = std::move(next.job);
  Running running;
  running.query = query;
  running.stop = planned.stop;
  running.prompt = {planned.segments.size(), bytes_of(planned.segments)};
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
  planned.job.switches.memory = settings_.memory_enable;
  return planned;
}

std::vector<engine::Segment> CompletionService::prompt_before(const CompletionQuery& query,
                                                              std::size_t begin) {
  const auto known = documents_.find(query.document->uri());
  std::string text = query.document->text();
  text.erase(begin, query.cursor - begin);
  CompletionQuery before = query;
  before.cursor = begin;
  before.document = std::make_shared<const Document>(query.document->uri(), query.document->language(),
                                                     query.document->version(), std::move(text));
  return plan(before, known == documents_.end() ? PerDocument() : known->second, priority_of(query))
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
    const bool must_be_sure = query.urgency == Urgency::kAutomatic || query.method == CompletionMethod::kWhy;
    const double least = must_be_sure ? settings_.completion_min_confidence / 100.0 : 0;
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
  const bool context_can_grow = final.segments_taken.size() < found->second.prompt.segments;
  measure_tokens(query.document->uri(), found->second.prompt, final);
  answer(job, result);
  if (found->second.backstop) clock_.cancel(*found->second.backstop);
  running_.erase(found);
  if (result.source != AnswerSource::kEngine) return;
  if (context_can_grow) warm(query, Anchoring::kKeep);
  rest(query);
}

void CompletionService::measure_tokens(const std::string& uri, const SentPrompt& prompt,
                                       const engine::Final& final) {
  const auto document = documents_.find(uri);
  const int tokens = final.usage.prompt_tokens;
  if (document == documents_.end() || tokens < kTellingTokens) return;
  if (final.segments_taken.size() < prompt.segments) return;  // the tokens are of a part of the bytes
  document->second.bytes_per_token = kRatioMargin * static_cast<double>(prompt.bytes) / tokens;
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
  CompletionQuery ahead = query;
  std::string text = query.document->text();
  text.insert(query.cursor, left.text);
  ahead.cursor += left.text.size();
  ahead.document = std::make_shared<const Document>(query.document->uri(), query.document->language(),
                                                    query.document->version(), std::move(text));
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

void CompletionService::drain() {
  while (!running_.empty()) {
    const engine::JobId job = running_.begin()->first;
    answer(job, {.silence = Silence::kSuperseded});
    stop(job);
  }
}

void CompletionService::touched(const Snapshot& document, std::size_t cursor, std::string path) {
  CompletionQuery query;
  query.document = document;
  query.cursor = cursor;
  query.path = std::move(path);
  documents_.try_emplace(document->uri());
  rest(query);
}

void CompletionService::closed(const std::string& uri) {
  const auto document = documents_.find(uri);
  if (document == documents_.end()) return;
  if (document->second.idle) clock_.cancel(*document->second.idle);
  if (document->second.warming) router_.cancel(*document->second.warming);
  if (document->second.extending) router_.cancel(document->second.extending->job);
  documents_.erase(document);
}

void CompletionService::rest(const CompletionQuery& query) {
  const auto document = documents_.find(query.document->uri());
  if (document == documents_.end()) return;  // closed meanwhile
  std::optional<Clock::TimerId>& idle = document->second.idle;
  if (idle) clock_.cancel(*idle);
  idle = clock_.after(kIdle, [this, query] {
    documents_.at(query.document->uri()).idle.reset();
    prepare(query);
  });
}

void CompletionService::prepare(const CompletionQuery& query) {
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
  std::vector<std::uint64_t> hashes = hashes_of(planned.job.segments);
  if (hashes == state.warmed) return;
  if (state.warming) router_.cancel(*state.warming);
  state.warmed = std::move(hashes);
  const SentPrompt prompt{planned.job.segments.size(), bytes_of(planned.job.segments)};
  state.warming = router_.submit(
      std::move(planned.job),
      [this, query, anchoring, prompt, plan = std::move(planned.state)](const engine::Final& final) {
        const auto warmed = documents_.find(query.document->uri());
        if (warmed == documents_.end()) return;
        warmed->second.warming.reset();
        if (final.reason == engine::FinishReason::kWarmed) {
          warmed->second.plan = plan;  // one step: the next keystroke finds it all in memory
          measure_tokens(query.document->uri(), prompt, final);
          if (anchoring == Anchoring::kRenew) warm(query, anchoring);  // the window may be another now
        } else {
          warmed->second.warmed.clear();
        }
        if (final.reason == engine::FinishReason::kFailed) failed_();
      });
}

}  // namespace hearth::lsp
