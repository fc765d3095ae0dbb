#include "lsp/clock.h"

#include <utility>

namespace hearth::lsp {

Clock::TimerId AsioClock::after(std::chrono::milliseconds delay, std::function<void()> run) {
  const TimerId id = next_++;
  boost::asio::steady_timer& timer = timers_.try_emplace(id, context_, delay).first->second;
  timer.async_wait([this, id, run = std::move(run)](boost::system::error_code error) {
    // An expiry that was under way when the timer was cancelled counts as cancelled.
    if (!error && timers_.erase(id) > 0) run();
  });
  return id;
}

}  // namespace hearth::lsp
