// An EngineClient that a test plays by hand: it keeps what was submitted and cancelled, and answers what
// and when the test says. Thread-safe where EngineClient is.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "engine/engine_client.h"

namespace hearth::tests {

class FakeEngine : public engine::EngineClient {
 public:
  FakeEngine() {
    status_.state = "ready";
    status_.model = "fake";
    status_.context_tokens = 1024;
  }

  engine::JobId submit(engine::Job job) override {
    const std::lock_guard lock(mutex_);
    const engine::JobId id = ++last_id_;
    open_.emplace(id, std::move(job));
    return id;
  }

  void cancel(engine::JobId job) override {
    {
      const std::lock_guard lock(mutex_);
      cancelled_.push_back(job);
      if (open_.erase(job) == 0) return;
      events_.push_back(engine::Final{.job = job, .reason = engine::FinishReason::kCancelled});
    }
    news_.notify_all();
  }

  std::optional<engine::Event> wait(std::chrono::steady_clock::time_point deadline) override {
    std::unique_lock lock(mutex_);
    news_.wait_until(lock, deadline, [&] { return woken_ || !events_.empty(); });
    woken_ = false;
    if (events_.empty()) return std::nullopt;
    engine::Event event = std::move(events_.front());
    events_.pop_front();
    return event;
  }

  void wake() override {
    {
      const std::lock_guard lock(mutex_);
      woken_ = true;
    }
    news_.notify_all();
  }

  engine::Result<std::vector<double>> score(engine::ScoreRequest request) override {
    const std::lock_guard lock(mutex_);
    std::vector<double> scores;
    for (const std::string& candidate : request.candidates) scores.push_back(score_(candidate));
    return scores;
  }

  engine::Result<std::vector<int>> count_tokens(const std::vector<std::string>& texts) override {
    std::vector<int> counts;
    for (const std::string& text : texts) counts.push_back(static_cast<int>(text.size()));
    return counts;
  }

  void remember(engine::MemoryUpdate update) override {
    const std::lock_guard lock(mutex_);
    remembered_.push_back(std::move(update));
  }

  void forget(std::string document) override {
    const std::lock_guard lock(mutex_);
    forgotten_.push_back(std::move(document));
  }

  engine::EngineStatus status() override {
    const std::lock_guard lock(mutex_);
    return status_;
  }

  // The test's side.

  void set_score(std::function<double(const std::string& candidate)> score) {
    const std::lock_guard lock(mutex_);
    score_ = std::move(score);
  }

  void set_status(engine::EngineStatus status) {
    const std::lock_guard lock(mutex_);
    status_ = std::move(status);
  }

  void set_state(std::string state, std::string error = {}) {
    const std::lock_guard lock(mutex_);
    status_.state = std::move(state);
    status_.error = std::move(error);
  }

  // Submitted, neither answered nor cancelled; oldest first.
  std::vector<engine::JobId> open(engine::Priority at_least = engine::Priority::kAutomatic) {
    const std::lock_guard lock(mutex_);
    std::vector<engine::JobId> ids;
    for (const auto& [id, job] : open_) {
      if (job.priority >= at_least) ids.push_back(id);
    }
    return ids;
  }

  engine::Job job(engine::JobId id) {
    const std::lock_guard lock(mutex_);
    return open_.at(id);
  }

  std::vector<engine::JobId> cancelled() {
    const std::lock_guard lock(mutex_);
    return cancelled_;
  }

  std::vector<engine::MemoryUpdate> remembered() {
    const std::lock_guard lock(mutex_);
    return remembered_;
  }

  std::vector<std::string> forgotten() {
    const std::lock_guard lock(mutex_);
    return forgotten_;
  }

  // Ends an open job.
  void finish(engine::Final final) {
    {
      const std::lock_guard lock(mutex_);
      const auto job = open_.find(final.job);
      if (job == open_.end()) return;
      if (final.segments_taken.empty()) {
        for (std::size_t i = 0; i < job->second.segments.size(); ++i) final.segments_taken.push_back(i);
      }
      open_.erase(job);
      events_.push_back(std::move(final));
    }
    news_.notify_all();
  }

  void finish(engine::JobId job, const std::vector<std::string>& texts) {
    engine::Final final{.job = job};
    for (const std::string& text : texts) final.alternatives.push_back({text, -1.0, 0.9});
    finish(std::move(final));
  }

 private:
  std::mutex mutex_;
  std::condition_variable news_;
  engine::JobId last_id_ = 0;
  std::map<engine::JobId, engine::Job> open_;
  std::vector<engine::JobId> cancelled_;
  std::vector<engine::MemoryUpdate> remembered_;
  std::vector<std::string> forgotten_;
  std::deque<engine::Event> events_;
  engine::EngineStatus status_;
  std::function<double(const std::string&)> score_ = [](const std::string&) { return 0.0; };
  bool woken_ = false;
};

}  // namespace hearth::tests
