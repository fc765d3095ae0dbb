#include "engine/scheduler.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <string>

namespace hearth::engine {

namespace {

constexpr int kMostRunningJobs = 8;
constexpr int kDefaultContextLimit = 8192;
constexpr int kDecodeReserveTokens = 8;  // decoded after a prefill that is to meet a deadline
constexpr int kPrefillStepRows = 16;     // a step of so many rows says how fast prefill is
constexpr double kSpeedSmoothing = 0.2;
constexpr double kAssumedDecodeSpeed = 100;    // tokens a second, while it is not known
constexpr std::array kStageMs{300.0, 1200.0};  // of a warm job's first stages
constexpr double kLeastConfidence = 0.01;      // a rival that is less likely is not right
constexpr double kEvidence = 0.5;  // how much what follows a line counts beside the line's own likelihood

double milliseconds(TimePoint from, TimePoint to) {
  return std::chrono::duration<double, std::milli>(to - from).count();
}

bool holds_a_word(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](unsigned char c) { return std::isalnum(c) || c == '_' || c >= 0x80; });
}

void smooth(double& average, double value) {
  average = average == 0 ? value : average + kSpeedSmoothing * (value - average);
}

}  // namespace

struct Scheduler::ActiveJob {
  JobId id = 0;
  Job job;
  TimePoint submitted;
  TimePoint started;
  std::optional<TimePoint> first_answer;
  bool cancelled = false;
  bool finished = false;
  std::size_t stage = 0;  // of a warm job
  std::vector<std::size_t> segments_taken;
  WeighingText weighing;  // what its lines are weighed by, if by anything
  Usage usage;
  std::vector<Generation> generations;  // the first is the greedy one
  std::vector<std::size_t> reported;    // bytes of each that deltas have told
  std::vector<double> reported_log_probability;

  void add(Generation generation) {
    generations.push_back(std::move(generation));
    reported.push_back(0);
    reported_log_probability.push_back(0);
  }
  bool has_rivals() const { return generations.size() > 1 && job.alternatives == 1; }
  bool is_weighed() const { return !weighing.head.empty(); }
  Healing healing() const { return job.switches.healing ? Healing::kOn : Healing::kOff; }
  bool warm() const { return job.priority == Priority::kWarm; }
  bool urgent() const { return job.priority >= Priority::kAutomatic; }
  // Jobs of the highest class share a step.
  Priority step_class() const { return std::min(job.priority, Priority::kAutomatic); }
  bool past(std::optional<int> budget_ms, TimePoint now) const {
    return budget_ms && milliseconds(submitted, now) >= *budget_ms;
  }
};

// What one forward pass computes, and for whom.
struct Scheduler::StepPlan {
  struct Part {
    ActiveJob* job;
    std::size_t generation;
    std::size_t first_query;
    std::size_t n_queries;
  };
  std::vector<Part> parts;
  std::vector<kernels::Row> rows;
  std::vector<std::span<const kernels::PageRef>> sequences;
  std::vector<kernels::HeadQuery> queries;
  int decode_rows = 0;
  Priority step_class = Priority::kWarm;
};

Scheduler::Scheduler(const Model& model, const SchedulerOptions& options, std::function<TimePoint()> clock)
    : model_(model),
      clock_(std::move(clock)),
      options_(options),
      token_index_(model.tokenizer()),
      memory_(model.tokenizer(), options.memory_bytes),
      mixture_(options.mixture.value_or(default_mixture_weights(model.description().name))),
      weighs_lines_(options.weigh_lines.value_or(is_good_reader(model.description().shape))) {
  const auto& shape = model.description().shape;
  context_tokens_ = options.context_tokens > 0 ? std::min(options.context_tokens, shape.max_positions)
                                               : std::min(kDefaultContextLimit, shape.max_positions);
  const auto page_bytes = model.make_page_pool(1)->page_bytes();
  const auto pages = std::max<std::uint64_t>(options.cache_bytes / page_bytes, 1);
  pool_ = model.make_page_pool(static_cast<int>(pages));
  workspace_ = model.device().make_workspace(shape, options.largest_step);
  tree_ = std::make_unique<PrefixTree>(*pool_);
  if (options.stored_kv) stored_kv_.emplace(*options.stored_kv, *tree_, *pool_);
}

Scheduler::~Scheduler() = default;

std::uint64_t Scheduler::cache_bytes() const { return pool_->page_bytes() * pool_->in_use(); }
std::uint64_t Scheduler::cache_limit_bytes() const { return pool_->page_bytes() * pool_->capacity(); }

void Scheduler::submit(JobId id, Job job, TimePoint submitted) {
  auto active = std::make_unique<ActiveJob>();
  active->id = id;
  active->job = std::move(job);
  active->submitted = submitted;
  waiting_.push_back(std::move(active));
}

void Scheduler::cancel(JobId id) {
  for (auto* jobs : {&waiting_, &running_}) {
    for (auto& job : *jobs) {
      if (job->id == id) job->cancelled = true;
    }
  }
}

bool Scheduler::urgent() const {
  return urgent_waiting() || std::ranges::any_of(running_, [](const auto& job) { return job->urgent(); });
}

bool Scheduler::urgent_waiting() const {
  return std::any_of(waiting_.begin(), waiting_.end(),
                     [](const auto& job) { return job->urgent() && !job->cancelled; });
}

void Scheduler::start_waiting() {
  std::stable_sort(waiting_.begin(), waiting_.end(),
                   [](const auto& a, const auto& b) { return a->job.priority > b->job.priority; });
  std::size_t kept = 0;
  for (auto& job : waiting_) {
    if (job->cancelled) {
      finish(*job, FinishReason::kCancelled);
    } else if (running() < kMostRunningJobs) {
      if (start(*job)) running_.push_back(std::move(job));
    } else {
      waiting_[kept++] = std::move(job);
    }
  }
  waiting_.resize(kept);
}

// The time that prefill may take; nothing: as long as it does.
std::optional<double> Scheduler::prefill_budget_ms(const ActiveJob& active) const {
  if (active.warm())
    return active.stage < kStageMs.size() ? std::optional(kStageMs[active.stage]) : std::nullopt;
  const auto left = time_left_ms(active);
  if (!left) return std::nullopt;
  const double decode_speed =
      speed_.decode_tokens_per_s > 0 ? speed_.decode_tokens_per_s : kAssumedDecodeSpeed;
  return *left - 1e3 * kDecodeReserveTokens / decode_speed;
}

std::optional<double> Scheduler::time_left_ms(const ActiveJob& active) const {
  const auto deadline = active.job.soft_ms ? active.job.soft_ms : active.job.hard_ms;
  if (!deadline) return std::nullopt;
  return *deadline - milliseconds(active.submitted, clock_());
}

// Takes as many segments as fit the context and, where it is limited, the time: cached tokens cost nothing.
bool Scheduler::start(ActiveJob& active) {
  const Job& job = active.job;
  if (active.stage == 0) active.started = clock_();
  if (weighs_lines_ && !active.warm()) active.weighing = weighing_text(job);
  const auto& description = model_.description();
  const auto budget_ms = prefill_budget_ms(active);
  const auto choices = segment_choices(job.segments);
  Prompt prompt;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    prompt =
        lay_out_prompt(model_.tokenizer(), description.fim_order, job.segments, choices[i], active.healing());
    const int n = static_cast<int>(prompt.tokens.size());
    const bool fits = n + job.stop.max_tokens <= context_tokens_;
    const bool last = i + 1 == choices.size();
    if (!fits && !last) continue;
    if (!fits) {
      finish(active, FinishReason::kFailed,
             "a prompt of " + std::to_string(n) + " tokens and " + std::to_string(job.stop.max_tokens) +
                 " new ones do not fit the context of " + std::to_string(context_tokens_));
      return false;
    }
    active.segments_taken = choices[i];
    if (stored_kv_) stored_kv_->wake(prompt.tokens);
    if (!budget_ms || last) break;
    const double uncached = n - tree_->match(prompt.tokens);
    if (1e3 * uncached <= *budget_ms * std::max(speed_.prefill_tokens_per_s, kLeastSpeed)) break;
  }
  const std::size_t computed_again = active.warm() ? 0 : 1;  // the last token's row gives the logits
  auto path = tree_->open(std::span(prompt.tokens).first(prompt.tokens.size() - computed_again));
  active.usage.prompt_tokens = static_cast<int>(prompt.tokens.size());
  active.usage.cached_tokens = path.size();
  active.add(Generation(GenerationContext{model_.tokenizer(), token_index_, *tree_, memory_, mixture_,
                                          drafts_, active.is_weighed() ? kBestOfFour : kLikeliestOfTwo},
                        active.job, prompt, std::move(path)));
  return true;
}

Scheduler::StepPlan Scheduler::plan_step() {
  StepPlan plan;
  for (const auto& job : running_) plan.step_class = std::max(plan.step_class, job->step_class());
  const auto add = [&](ActiveJob& job, std::size_t index, int limit) {
    Generation& generation = job.generations[index];
    const auto tokens = generation.prepare(limit);
    if (!tree_->reserve(generation.path(), static_cast<int>(tokens.size()))) {
      if (plan.parts.empty())
        finish(job, FinishReason::kFailed, "the KV cache is full: a larger cache is needed");
      return;  // others may leave room
    }
    const auto first_row = static_cast<std::uint32_t>(plan.rows.size());
    const auto sequence = static_cast<std::uint32_t>(plan.sequences.size());
    auto position = static_cast<std::uint32_t>(generation.path().size());
    for (const TokenId token : tokens) plan.rows.push_back({token, position++, sequence});
    plan.sequences.push_back(generation.path().pages());
    const int alternatives = generation.generated() == 0 ? job.job.alternatives : 1;
    const auto queries = generation.queries(first_row, alternatives);
    plan.parts.push_back({&job, index, plan.queries.size(), queries.size()});
    plan.queries.insert(plan.queries.end(), queries.begin(), queries.end());
    if (generation.generated() > 0) plan.decode_rows += static_cast<int>(tokens.size());
  };
  const auto each = [&](auto wanted, int limit) {
    for (auto& job : running_) {
      if (job->step_class() != plan.step_class || job->finished) continue;
      for (std::size_t i = 0; i < job->generations.size() && !job->finished; ++i) {
        const int room = options_.largest_step - static_cast<int>(plan.rows.size());
        const Generation& generation = job->generations[i];
        if (room > 0 && !generation.done() && generation.pending() > 0 && wanted(generation)) {
          add(*job, i, std::min(room, limit));
        }
      }
    }
  };
  constexpr int kDecodeBlock = 8;
  each([](const Generation& g) { return g.generated() > 0; }, kDecodeBlock);
  each([](const Generation& g) { return g.generated() == 0; }, options_.prefill_rows);
  return plan;
}

bool Scheduler::pointless(const StepPlan& plan) const {
  if (plan.step_class < Priority::kAutomatic && urgent_waiting()) return true;
  const TimePoint now = clock_();
  return std::all_of(plan.parts.begin(), plan.parts.end(), [&](const StepPlan::Part& part) {
    return part.job->cancelled || part.job->past(part.job->job.hard_ms, now);
  });
}

void Scheduler::step(const std::function<bool()>& poll) {
  start_waiting();
  for (auto& job : running_) settle(*job);
  std::erase_if(running_, [](const auto& job) { return job->finished; });
  StepPlan plan = plan_step();
  if (!plan.rows.empty()) {
    const TimePoint began = clock_();
    const auto interrupted = [&] { return !poll() || pointless(plan); };
    const auto answers =
        model_.run({plan.rows, plan.sequences}, plan.queries, *pool_, *workspace_, interrupted);
    if (answers) {
      measure(plan, milliseconds(began, clock_()) / 1e3);
      accept(plan, *answers);
    }
  }
  for (auto& job : running_) decide(*job, poll);
  for (auto& job : running_) settle(*job);
  std::erase_if(running_, [](const auto& job) { return job->finished; });
}

void Scheduler::accept(StepPlan& plan, const std::vector<kernels::HeadAnswer>& answers) {
  for (const auto& part : plan.parts) {
    ActiveJob& job = *part.job;
    const std::span own(answers.data() + part.first_query, part.n_queries);
    const bool first = !own.empty() && job.generations[part.generation].generated() == 0;
    if (first && !job.first_answer) job.first_answer = clock_();
    if (first && part.generation == 0) {
      for (int rank = 1; rank < job.job.alternatives; ++rank) {
        auto other = job.generations[0].branch(own.front(), rank);
        if (!other) break;
        job.add(std::move(*other));
      }
    }
    job.generations[part.generation].accept(own);
    for (Generation& rival : job.generations[part.generation].take_rivals()) job.add(std::move(rival));
  }
}

void Scheduler::measure(const StepPlan& plan, double seconds) {
  prefilled_tokens_ += plan.rows.size() - static_cast<std::size_t>(plan.decode_rows);
  const auto rows = static_cast<double>(plan.rows.size());
  if (seconds <= 0) return;
  if (plan.decode_rows == 0 && rows >= kPrefillStepRows) smooth(speed_.prefill_tokens_per_s, rows / seconds);
  const bool of_one_job = std::ranges::all_of(
      plan.parts, [&](const StepPlan::Part& part) { return part.job == plan.parts.front().job; });
  if (plan.decode_rows > 0 && plan.decode_rows == rows && of_one_job) {
    smooth(speed_.decode_tokens_per_s, 1 / seconds);  // a block of drafts costs little more than one token
    drafts_.took(plan.decode_rows, seconds);
  }
}

// Ends what has to end: cancelled, past a deadline, or done.
void Scheduler::settle(ActiveJob& job) {
  if (job.finished) return;
  if (job.cancelled) return finish(job, FinishReason::kCancelled);
  const TimePoint now = clock_();
  report(job);
  if (job.warm()) {
    if (job.generations[0].pending() > 0) return;
    if (job.segments_taken.size() < job.job.segments.size() && job.stage < kStageMs.size()) return grow(job);
    if (stored_kv_) keep_kv(job);
    return finish(job, FinishReason::kWarmed);
  }
  const auto done = [](const Generation& g) { return g.done(); };
  if (std::all_of(job.generations.begin(), job.generations.end(), done)) {
    return finish(job, job.generations[0].reason());
  }
  const bool soft = job.past(job.job.soft_ms, now) && holds_a_word(job.generations[0].text());
  if (!soft && !job.past(job.job.hard_ms, now)) return;
  finish(job, done(job.generations[0]) ? job.generations[0].reason() : FinishReason::kDeadline);
}

// Segments that come to a warm job's prompt stand before some that are there, so much of it is computed anew:
// what is required serves meanwhile, and after it what takes a second.
void Scheduler::grow(ActiveJob& job) {
  close(job, job.generations[0]);
  job.generations.clear();
  job.reported.clear();
  job.reported_log_probability.clear();
  ++job.stage;
  start(job);
}

// Of the job's line and its rivals one stays, when all are whole: where text follows, the one that this fits
// best, else the likeliest. Nothing is no line, and of equal guesses the first is as good.
void Scheduler::decide(ActiveJob& job, const std::function<bool()>& poll) {
  if (!job.has_rivals() || job.cancelled) return;
  keep(job, [&](std::size_t i) {
    const Generation& rival = job.generations[i];
    const bool says_nothing =
        rival.has_line() && rival.text().find_first_not_of(" \t\r\n") == std::string_view::npos;
    return i == 0 || (!says_nothing && rival.confidence() >= kLeastConfidence);
  });
  if (!job.has_rivals()) return;
  if (!job.is_weighed()) {  // a line's probability only falls while it grows
    const auto likelier = [](const Generation& a, const Generation& b) {
      return a.confidence() < b.confidence();
    };
    const auto likeliest = std::ranges::max_element(job.generations, likelier);
    const auto index = static_cast<std::size_t>(likeliest - job.generations.begin());
    if (likeliest->has_line()) keep(job, [&](std::size_t i) { return i == index; });
    return;
  }
  if (!std::ranges::all_of(job.generations, &Generation::has_line)) return;
  std::vector<std::string> lines;
  std::vector<double> weights;
  double sum = 0;
  for (const Generation& line : job.generations) {
    lines.emplace_back(line.text());
    weights.push_back(std::log(line.confidence()));
    sum += line.confidence();
  }
  bool put_off = false;  // to the next step
  const auto evidence = weigh(job.weighing, job.healing(), lines, time_left_ms(job), [&] {
    put_off = !poll() || job.cancelled || (!job.urgent() && urgent_waiting());
    return put_off || job.past(job.job.hard_ms, clock_());
  });
  if (put_off) return;
  for (std::size_t i = 0; evidence && i < weights.size(); ++i) weights[i] += kEvidence * (*evidence)[i];
  const auto best = static_cast<std::size_t>(std::ranges::max_element(weights) - weights.begin());
  if (evidence) {  // what the lines share out, by weight; the geometric mean of that and of its own
    double all = 0;
    for (const double weight : weights) all += std::exp(weight - weights[best]);
    job.generations[best].set_confidence(std::sqrt(job.generations[best].confidence() * sum / all));
  }
  keep(job, [&](std::size_t i) { return i == best; });
}

// What was told is told of the first that stays: all lines share it.
void Scheduler::keep(ActiveJob& job, const std::function<bool(std::size_t)>& stays) {
  std::vector<Generation> kept;
  for (std::size_t i = 0; i < job.generations.size(); ++i) {
    if (stays(i)) {
      kept.push_back(std::move(job.generations[i]));
    } else {
      close(job, job.generations[i]);
    }
  }
  job.generations = std::move(kept);
  job.reported.resize(job.generations.size());
  job.reported_log_probability.resize(job.generations.size());
}

void Scheduler::close(ActiveJob& job, Generation& generation) {
  tree_->close(generation.path());
  job.usage.generated_tokens += generation.generated();
  job.usage.drafted_tokens += generation.drafted();
  job.usage.accepted_tokens += generation.drafts_accepted();
}

void Scheduler::report(ActiveJob& job) {
  if (job.has_rivals()) return;  // what is told stays
  for (std::size_t i = 0; i < job.generations.size(); ++i) {
    const Generation& generation = job.generations[i];
    const auto text = generation.text();
    if (text.size() == job.reported[i]) continue;
    events_.push_back(Delta{.job = job.id,
                            .alternative = static_cast<int>(i),
                            .text = std::string(text.substr(job.reported[i])),
                            .log_probability = generation.log_probability() - job.reported_log_probability[i],
                            .confidence = generation.confidence()});
    job.reported[i] = text.size();
    job.reported_log_probability[i] = generation.log_probability();
  }
}

void Scheduler::finish(ActiveJob& job, FinishReason reason, std::string error) {
  const TimePoint now = clock_();
  if (job.has_rivals()) keep(job, [](std::size_t i) { return i == 0; });
  for (auto& generation : job.generations) {
    generation.finish(reason);
    close(job, generation);
  }
  Final final{.job = job.id, .reason = reason, .error = std::move(error), .usage = job.usage};
  final.segments_taken = job.segments_taken;
  if (reason != FinishReason::kCancelled && reason != FinishReason::kWarmed) {
    report(job);
    for (const auto& generation : job.generations) {
      const auto same = [&](const Alternative& a) { return a.text == generation.text(); };
      if (std::any_of(final.alternatives.begin(), final.alternatives.end(), same)) continue;
      final.alternatives.push_back(
          {std::string(generation.text()), generation.log_probability(), generation.confidence()});
    }
    if (final.alternatives.size() > 2) {
      std::stable_sort(final.alternatives.begin() + 1, final.alternatives.end(),
                       [](const auto& a, const auto& b) { return a.log_probability > b.log_probability; });
    }
  }
  const bool started = !job.generations.empty();
  final.timings.queue_ms = milliseconds(job.submitted, started ? job.started : now);
  final.timings.total_ms = milliseconds(job.submitted, now);
  if (started) final.timings.prefill_ms = milliseconds(job.started, job.first_answer.value_or(now));
  if (job.first_answer) {
    final.timings.first_token_ms = milliseconds(job.submitted, *job.first_answer);
    final.timings.decode_ms = milliseconds(*job.first_answer, now);
  }
  events_.push_back(std::move(final));
  job.finished = true;
}

// All but what has been typed since, which each keystroke changes.
void Scheduler::keep_kv(ActiveJob& active) {
  const Job& job = active.job;
  if (job.workspace.empty()) return stored_kv_->keep(job.document, {}, {}, clock_());
  std::vector<std::size_t> stable = active.segments_taken;
  std::erase_if(stable, [&](std::size_t i) { return job.segments[i].kind == SegmentKind::kTyped; });
  const auto prompt = lay_out_prompt(model_.tokenizer(), model_.description().fim_order, job.segments, stable,
                                     active.healing());
  const std::span<const TokenId> whole = active.generations[0].path().tokens();
  const auto end = std::ranges::mismatch(whole, prompt.tokens).in1;
  stored_kv_->keep(job.document, job.workspace, {whole.begin(), end}, clock_());
}

std::vector<Event> Scheduler::take_events() { return std::exchange(events_, {}); }

}  // namespace hearth::engine
