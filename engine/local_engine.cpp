#include "engine/local_engine.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <sched.h>
#include <thread>
#include <utility>
#include <variant>

#include "engine/scheduler.h"
#include "engine/sidecar.h"

namespace hearth::engine {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kStorePatience(500);  // what is woken is worth more time than that

int cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return std::max(1, CPU_COUNT(&set));
}

struct Submission {
  JobId id;
  Job job;
  TimePoint when;
};

struct Forgetting {
  std::string document;
};

using MemoryMail = std::variant<MemoryUpdate, Forgetting>;

struct Scoring {
  ScoreRequest request;
  std::promise<Result<std::vector<double>>> answer;
};

class LocalEngine final : public EngineClient {
 public:
  explicit LocalEngine(LocalEngineOptions options)
      : options_(std::move(options)),
        threads_(options_.threads > 0 ? options_.threads : cores()),
        device_(kernels::make_cpu_device(threads_, options_.isa)) {
    status_.state = "loading";
    status_.model_path = options_.model.string();
    status_.device = device_->name();
    status_.threads = threads_.size();
    thread_ = std::thread([this] { main(); });
  }

  ~LocalEngine() override {
    {
      std::lock_guard lock(mutex_);
      stopping_ = true;
      has_mail_ = true;
    }
    mail_.notify_all();
    news_.notify_all();
    thread_.join();
  }

  JobId submit(Job job) override {
    const TimePoint now = Clock::now();
    std::lock_guard lock(mutex_);
    const JobId id = ++last_id_;
    submissions_.push_back({id, std::move(job), now});
    post();
    return id;
  }

  void cancel(JobId job) override {
    std::lock_guard lock(mutex_);
    cancels_.push_back(job);
    post();
  }

  std::optional<Event> wait(TimePoint deadline) override {
    std::unique_lock lock(mutex_);
    news_.wait_until(lock, deadline, [&] { return !events_.empty() || woken_ || stopping_; });
    if (events_.empty()) {
      woken_ = false;
      return std::nullopt;
    }
    Event event = std::move(events_.front());
    events_.pop_front();
    return event;
  }

  void wake() override {
    {
      std::lock_guard lock(mutex_);
      woken_ = true;
    }
    news_.notify_all();
  }

  Result<std::vector<double>> score(ScoreRequest request) override {
    std::future<Result<std::vector<double>>> answer;
    {
      std::lock_guard lock(mutex_);
      if (status_.state == "failed") return Error{ErrorCode::kNotFound, status_.error};
      scorings_.push_back({std::move(request), {}});
      answer = scorings_.back().answer.get_future();
      post();
    }
    return answer.get();
  }

  Result<std::vector<int>> count_tokens(const std::vector<std::string>& texts) override {
    std::shared_ptr<const Model> model;
    {
      std::lock_guard lock(mutex_);
      model = model_;
      if (!model) return Error{ErrorCode::kNotFound, "no model is loaded: " + status_.state};
    }
    std::vector<int> counts;
    for (const auto& text : texts) counts.push_back(static_cast<int>(model->tokenizer().encode(text).size()));
    return counts;
  }

  void remember(MemoryUpdate update) override { post_to_memory(std::move(update)); }
  void forget(std::string document) override { post_to_memory(Forgetting{std::move(document)}); }

  EngineStatus status() override {
    std::lock_guard lock(mutex_);
    EngineStatus status = status_;
    status.jobs_waiting += static_cast<int>(submissions_.size());
    return status;
  }

 private:
  void post() {  // with mutex_ held
    has_mail_.store(true, std::memory_order_release);
    mail_.notify_one();
  }

  void post_to_memory(MemoryMail mail) {
    std::lock_guard lock(mutex_);
    if (status_.state == "failed") return;
    memory_mail_.push_back(std::move(mail));
    post();
  }

  void main() {
    if (!load()) return fail_jobs();
    Scheduler scheduler(*model_,
                        {.cache_bytes = options_.cache_bytes,
                         .memory_bytes = options_.memory_bytes,
                         .mixture = calibrated_mixture(),
                         .context_tokens = options_.context_tokens,
                         .stored_kv = stored_kv_options()},
                        [] { return Clock::now(); });
    if (scheduler.stored_kv() != nullptr) scheduler.stored_kv()->wait_until_open(kStorePatience);
    const auto poll = [&] {
      if (has_mail_.load(std::memory_order_acquire)) read_mail(scheduler);
      return !stopping_.load(std::memory_order_relaxed);
    };
    while (true) {
      deliver(scheduler);
      wait_for_work(scheduler);
      if (!poll()) break;
      if (StoredKv* const kv = scheduler.stored_kv(); kv != nullptr && !scheduler.urgent())
        kv->work(Clock::now());
      deliver(scheduler);  // a step may take long: what came in shows before it
      if (update_memory(scheduler)) continue;
      if (!scheduler.idle()) scheduler.step(poll);
      if (!open_scorings_.empty()) score_next(scheduler, poll);
    }
    for (auto& scoring : open_scorings_)
      scoring.answer.set_value(Error{ErrorCode::kInvalid, "the engine stopped"});
  }

  // A sidecar that is broken or another model's is as good as none; `hearth doctor` tells of it.
  std::optional<MixtureWeights> calibrated_mixture() const {
    const auto sidecar = read_sidecar(options_.model);
    return sidecar && *sidecar ? std::optional((*sidecar)->mixture) : std::nullopt;
  }

  std::optional<StoredKvOptions> stored_kv_options() const {
    if (!options_.kv_store) return std::nullopt;
    const auto& [file, limit_bytes, program] = *options_.kv_store;
    return StoredKvOptions{
        file, limit_bytes, program + ' ' + device_->name() + ' ' + std::to_string(content_hash_),
        [] { return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()); }};
  }

  Result<std::unique_ptr<Model>> load_model() {
    auto file = GgufFile::open(options_.model);
    if (!file) return file.error();
    if (options_.kv_store) content_hash_ = file->content_hash();
    return Model::load(
        *file, *device_,
        [&](double share) {
          std::lock_guard lock(mutex_);
          status_.load_progress = share;
          return !stopping_;
        },
        options_.kv_type);
  }

  bool load() {
    auto model = load_model();
    std::lock_guard lock(mutex_);
    if (!model) {
      status_.state = "failed";
      status_.error = model.error().message;
      return false;
    }
    model_ = std::move(*model);
    status_.state = "ready";
    status_.model = model_->description().name;
    return true;
  }

  // Without a model every job ends with the reason.
  void fail_jobs() {
    std::unique_lock lock(mutex_);
    while (true) {
      for (const auto& submission : submissions_) {
        events_.push_back(
            Final{.job = submission.id, .reason = FinishReason::kFailed, .error = status_.error});
      }
      for (auto& scoring : scorings_) scoring.answer.set_value(Error{ErrorCode::kNotFound, status_.error});
      submissions_.clear();
      memory_mail_.clear();
      scorings_.clear();
      news_.notify_all();
      has_mail_ = stopping_.load();
      mail_.wait(lock, [&] { return has_mail_.load(); });
      if (stopping_) return;
    }
  }

  void read_mail(Scheduler& scheduler) {
    std::lock_guard lock(mutex_);
    has_mail_ = stopping_.load();
    for (auto& [id, job, when] : submissions_) scheduler.submit(id, std::move(job), when);
    for (const JobId id : cancels_) scheduler.cancel(id);
    for (auto& mail : memory_mail_) open_memory_mail_.push_back(std::move(mail));
    for (auto& scoring : scorings_) open_scorings_.push_back(std::move(scoring));
    submissions_.clear();
    cancels_.clear();
    memory_mail_.clear();
    scorings_.clear();
  }

  // Edits at once; what is new to the memory as long as nothing urgent waits. True while there is more of
  // that to do before anything else.
  bool update_memory(Scheduler& scheduler) {
    WorkspaceMemory& memory = scheduler.memory();
    for (; !open_memory_mail_.empty(); open_memory_mail_.pop_front()) {
      if (auto* update = std::get_if<MemoryUpdate>(&open_memory_mail_.front())) {
        memory.remember(std::move(*update));
      } else {
        memory.forget(std::get<Forgetting>(open_memory_mail_.front()).document);
      }
    }
    while (memory.work(WorkspaceMemory::Urgency::kEdits)) {
    }
    if (scheduler.urgent()) return false;
    while (!has_mail_.load(std::memory_order_acquire)) {
      if (!memory.work(WorkspaceMemory::Urgency::kAll)) return false;
    }
    return memory.pending() > 0;
  }

  void deliver(Scheduler& scheduler) {
    auto events = scheduler.take_events();
    const auto speed = scheduler.speed();
    {
      std::lock_guard lock(mutex_);
      events_.insert(events_.end(), std::make_move_iterator(events.begin()),
                     std::make_move_iterator(events.end()));
      status_.context_tokens = scheduler.context_tokens();
      status_.cache_bytes = scheduler.cache_bytes();
      status_.cache_limit_bytes = scheduler.cache_limit_bytes();
      status_.memory_bytes = scheduler.memory().bytes();
      status_.memory_limit_bytes = scheduler.memory().limit_bytes();
      status_.memory_documents = static_cast<int>(scheduler.memory().documents());
      status_.jobs_running = scheduler.running();
      status_.jobs_waiting = scheduler.waiting();
      status_.prefilled_tokens = scheduler.prefilled_tokens();
      if (scheduler.stored_kv() != nullptr) status_.woken_tokens = scheduler.stored_kv()->woken_tokens();
      status_.prefill_tokens_per_s = speed.prefill_tokens_per_s;
      status_.decode_tokens_per_s = speed.decode_tokens_per_s;
    }
    if (!events.empty()) news_.notify_all();
  }

  void wait_for_work(Scheduler& scheduler) {
    if (!scheduler.idle() || scheduler.memory().pending() > 0 || !open_scorings_.empty()) return;
    const auto due = scheduler.stored_kv() == nullptr ? std::nullopt : scheduler.stored_kv()->due();
    std::unique_lock lock(mutex_);
    const auto has_mail = [&] { return has_mail_.load(); };
    due ? static_cast<void>(mail_.wait_until(lock, *due, has_mail)) : mail_.wait(lock, has_mail);
  }

  void score_next(Scheduler& scheduler, const std::function<bool()>& poll) {
    auto scores = scheduler.score(open_scorings_.front().request, poll);
    if (!scores) return;  // an urgent job first
    open_scorings_.front().answer.set_value(std::move(*scores));
    open_scorings_.pop_front();
  }

  const LocalEngineOptions options_;
  kernels::ThreadPool threads_;              // used by the engine's thread alone
  std::unique_ptr<kernels::Device> device_;  // likewise
  std::deque<Scoring> open_scorings_;        // likewise
  std::deque<MemoryMail> open_memory_mail_;  // likewise
  std::uint64_t content_hash_ = 0;           // likewise; of the model's file, where KV is stored
  std::shared_ptr<const Model> model_;       // set once under mutex_; tokenizer read by any thread

  std::atomic<bool> stopping_ = false;
  std::atomic<bool> has_mail_ = false;

  std::mutex mutex_;              // guards what follows
  std::condition_variable mail_;  // for the engine's thread
  std::condition_variable news_;  // for `wait`
  JobId last_id_ = 0;
  std::vector<Submission> submissions_;
  std::vector<JobId> cancels_;
  std::vector<MemoryMail> memory_mail_;
  std::vector<Scoring> scorings_;
  std::deque<Event> events_;
  bool woken_ = false;
  EngineStatus status_;

  std::thread thread_;
};

}  // namespace

std::unique_ptr<EngineClient> start_local_engine(LocalEngineOptions options) {
  return std::make_unique<LocalEngine>(std::move(options));
}

}  // namespace hearth::engine
