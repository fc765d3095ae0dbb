// Time that passes when the test says so.
#pragma once

#include <map>
#include <utility>

#include "lsp/clock.h"

namespace hearth::tests {

class ManualClock : public lsp::Clock {
 public:
  std::chrono::steady_clock::time_point now() const override { return now_; }

  TimerId after(std::chrono::milliseconds delay, std::function<void()> run) override {
    timers_.emplace(++last_, std::pair(now_ + delay, std::move(run)));
    return last_;
  }

  void cancel(TimerId timer) override { timers_.erase(timer); }

  // Runs what falls due on the way, earliest first.
  void advance(std::chrono::milliseconds time) {
    const auto end = now_ + time;
    while (true) {
      auto next = timers_.end();
      for (auto timer = timers_.begin(); timer != timers_.end(); ++timer) {
        if (timer->second.first <= end &&
            (next == timers_.end() || timer->second.first < next->second.first)) {
          next = timer;
        }
      }
      if (next == timers_.end()) break;
      now_ = next->second.first;
      const auto run = std::move(next->second.second);
      timers_.erase(next);
      run();
    }
    now_ = end;
  }

  std::size_t pending() const { return timers_.size(); }

 private:
  std::chrono::steady_clock::time_point now_{};
  std::map<TimerId, std::pair<std::chrono::steady_clock::time_point, std::function<void()>>> timers_;
  TimerId last_ = 0;
};

}  // namespace hearth::tests
