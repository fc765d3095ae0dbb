#include "lsp/back_off.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>

namespace hearth::lsp {
namespace {

constexpr std::chrono::milliseconds kLongest = std::chrono::minutes(1);

}  // namespace

void rest(std::chrono::milliseconds time, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  stopped.wait_for(lock, stop, time, [] { return false; });
}

void BackOff::rest(const std::stop_token& stop) {
  lsp::rest(next_, stop);
  next_ = std::min(2 * next_, kLongest);
}

}  // namespace hearth::lsp
