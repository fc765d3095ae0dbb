// Time as the protocol thread knows it: now, and what to run later. Tests turn it by hand.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>

namespace hearth::lsp {

class Clock {
 public:
  using TimerId = std::uint64_t;

  virtual ~Clock() = default;
  virtual std::chrono::steady_clock::time_point now() const = 0;

  // Runs `run` once on the protocol thread, not before `after` or `cancel` returns.
  virtual TimerId after(std::chrono::milliseconds delay, std::function<void()> run) = 0;

  // Of a timer that ran or never was, nothing happens.
  virtual void cancel(TimerId timer) = 0;
};

class AsioClock : public Clock {
 public:
  explicit AsioClock(boost::asio::io_context& context) : context_(context) {}

  std::chrono::steady_clock::time_point now() const override { return std::chrono::steady_clock::now(); }
  TimerId after(std::chrono::milliseconds delay, std::function<void()> run) override;
  void cancel(TimerId timer) override { timers_.erase(timer); }

 private:
  boost::asio::io_context& context_;
  std::map<TimerId, boost::asio::steady_timer> timers_;
  TimerId next_ = 1;
};

}  // namespace hearth::lsp
