// When to try again what failed for a reason that may pass, such as a full disk: soon, and then less and less
// often, at most a minute later. One thread at a time.
#pragma once

#include <chrono>
#include <stop_token>

namespace hearth::lsp {

// Nothing happens until then, or until it is stopped.
void rest(std::chrono::milliseconds time, const std::stop_token& stop);

class BackOff {
 public:
  explicit BackOff(std::chrono::milliseconds first = std::chrono::seconds(1)) : first_(first), next_(first) {}

  // Until the next try is due, or until it is stopped.
  void rest(const std::stop_token& stop);

  void succeeded() { next_ = first_; }

 private:
  std::chrono::milliseconds first_, next_;
};

}  // namespace hearth::lsp
