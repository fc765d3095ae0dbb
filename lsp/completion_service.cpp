#include "lsp/completion_service.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "lsp/utf8.h"

namespace hearth::lsp {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kIdle(200);           // without a change: the user pauses
constexpr milliseconds kBackstopGrace(250);  // past a job's hard deadline, before the answer is nothing
constexpr std::size_t kRememberedAnswers = 4;

CursorPlace place_of(const CompletionQuery& query) {
  return {query.document->text(), query.cursor, query.path, query.document->language()};
}

// Whether one job answers both.
bool same_work(const CompletionQuery& a, const CompletionQuery& b) {
  return a.document->uri() == b.document->uri() && a.cursor == b.cursor && a.urgency == b.urgency &&
         a.extent == b.extent && (a.document == b.document || a.document->text() == b.document->text());
}

// Bytes of a token need not be a whole character.
engine::Final whole_characters(engine::Final final) {
  for (engine::Alternative& alternative : final.alternatives) {
    alternative.text.resize(valid_utf8_bytes(alternative.text));
  }
  return final;
}

std::vector<std::uint64_t> hashes_of(const std::vector<engine::Segment>& segments) {
  std::vector<std::uint64_t> hashes;
  for (const engine::Segment& segment : segments) hashes.push_back(segment.hash);
  return hashes;
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
  }
}

void CompletionService::configure(Settings settings) {
  settings_ = std::move(settings);
  for (auto& [uri, document] : documents_) document.answers.clear();
}

bool CompletionService::enabled(const Document& document) const {
  const auto& disabled = settings_.completion_disabled_languages;
  return settings_.enable &&
         std::find(disabled.begin(), disabled.end(), document.language()) == disabled.end();
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
  if (!enabled(*query.document)) {
    at_once.source = AnswerSource::kNone;
  } else if (auto rest_of_earlier = recall(query)) {
    at_once = {AnswerSource::kTypedThrough, std::move(*rest_of_earlier), {}, {}};
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
    older->done({AnswerSource::kSuperseded, {}, {}, {}});
  }
  if (answered) done(std::move(at_once));
  return ticket;
}

std::optional<std::vector<Insertion>> CompletionService::recall(const CompletionQuery& query) {
  const auto document = documents_.find(query.document->uri());
  if (document == documents_.end()) return std::nullopt;
  for (const Remembered& remembered : document->second.answers) {
    // Who asks by hand after ghost text wants more than what is shown.
    if (query.urgency == Urgency::kByHand && remembered.urgency != Urgency::kByHand) continue;
    if (query.extent != remembered.extent) continue;
    std::vector<Insertion> left = typed_through(remembered.answer, query.document->text(), query.cursor);
    if (!left.empty()) return left;
  }
  return std::nullopt;
}

engine::JobId CompletionService::job_for(const CompletionQuery& query) {
  for (const auto& [job, running] : running_) {
    if (same_work(running.query, query)) return job;
  }
  PerDocument& document = documents_[query.document->uri()];
  CompletionRequest request;
  request.place = place_of(query);
  request.priority =
      query.urgency == Urgency::kByHand ? engine::Priority::kInvoked : engine::Priority::kAutomatic;
  request.extent = query.extent;
  request.context_tokens = context_tokens();
  request.previous = document.plan;
  PlannedCompletion planned = plan_completion(request, settings_);
  document.plan = std::move(planned.state);
  planned.job.client = client_;
  planned.job.document = query.document->uri();

  Running running;
  running.query = query;
  running.stop = planned.job.stop;
  running.segments = planned.job.segments.size();
  if (exact_tokens_ > 0) {
    planned.job.stop = {.max_tokens = exact_tokens_, .max_lines = 0, .exact = true};
    planned.job.soft_ms.reset();
    planned.job.hard_ms.reset();
  }
  const std::optional<int> hard_ms = planned.job.hard_ms;
  const engine::JobId job = router_.submit(std::move(planned.job),
                                           [this](const engine::Final& final) { finish(final.job, final); });
  if (hard_ms) {
    running.backstop = clock_.after(milliseconds(*hard_ms) + kBackstopGrace, [this, job] {
      logger_.write(LogLevel::kWarning, fmt::format("the engine let job {} pass its deadline", job));
      running_.at(job).backstop.reset();
      answer(job, {});
      stop(job);
    });
  }
  running_.emplace(job, std::move(running));
  return job;
}

void CompletionService::finish(engine::JobId job, const engine::Final& final) {
  const auto found = running_.find(job);
  if (found == running_.end()) return;
  CompletionAnswer result;
  const CompletionQuery query = found->second.query;
  if (final.reason == engine::FinishReason::kFailed) {
    logger_.write(LogLevel::kError, fmt::format("the engine failed: {}", final.error));
    failed_();
  } else if (final.reason != engine::FinishReason::kCancelled) {
    result = {AnswerSource::kEngine,
              finish_completion(place_of(query), found->second.stop, whole_characters(final)), final.usage,
              final.timings};
    ++counts_.engine_answers;
    if (result.insertions.empty()) ++counts_.empty;
    remember(query, result.insertions);
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

void CompletionService::answer(engine::JobId job, const CompletionAnswer& answer) {
  for (const Ticket ticket : std::exchange(running_.at(job).waiters, {})) {
    auto node = waiters_.extract(ticket);
    node.mapped().done(answer);
  }
}

void CompletionService::remember(const CompletionQuery& query, std::vector<Insertion> insertions) {
  if (insertions.empty()) return;
  const auto document = documents_.find(query.document->uri());
  if (document == documents_.end()) return;
  std::deque<Remembered>& answers = document->second.answers;
  answers.push_front(
      {{query.document->text(), query.cursor, std::move(insertions)}, query.urgency, query.extent});
  if (answers.size() > kRememberedAnswers) answers.pop_back();
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
    answer(job, {});
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
  documents_.erase(document);
}

void CompletionService::rest(const CompletionQuery& query) {
  const auto document = documents_.find(query.document->uri());
  if (document == documents_.end()) return;  // closed meanwhile
  std::optional<Clock::TimerId>& idle = document->second.idle;
  if (idle) clock_.cancel(*idle);
  idle = clock_.after(kIdle, [this, query] {
    documents_.at(query.document->uri()).idle.reset();
    warm(query, Anchoring::kRenew);
  });
}

void CompletionService::warm(const CompletionQuery& query, Anchoring anchoring) {
  const auto document = documents_.find(query.document->uri());
  if (document == documents_.end() || !enabled(*query.document)) return;
  PerDocument& state = document->second;
  CompletionRequest request;
  request.place = place_of(query);
  request.priority = engine::Priority::kWarm;
  request.context_tokens = context_tokens();
  request.previous = state.plan;
  request.anchoring = anchoring;
  PlannedCompletion planned = plan_completion(request, settings_);
  std::vector<std::uint64_t> hashes = hashes_of(planned.job.segments);
  if (hashes == state.warmed) return;
  if (state.warming) router_.cancel(*state.warming);
  state.warmed = std::move(hashes);
  planned.job.client = client_;
  planned.job.document = query.document->uri();
  state.warming = router_.submit(
      std::move(planned.job),
      [this, uri = query.document->uri(), plan = std::move(planned.state)](const engine::Final& final) {
        const auto warmed = documents_.find(uri);
        if (warmed == documents_.end()) return;
        warmed->second.warming.reset();
        if (final.reason == engine::FinishReason::kWarmed) {
          warmed->second.plan = plan;  // one step: the next keystroke finds it all in memory
        } else {
          warmed->second.warmed.clear();
        }
        if (final.reason == engine::FinishReason::kFailed) failed_();
      });
}

}  // namespace hearth::lsp
