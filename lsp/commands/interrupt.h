// Ctrl-C and SIGTERM as a stop token, so that a command can clean up after itself; the second one ends
// the process at once. Construct it before any other thread starts.
#pragma once

#include <stop_token>
#include <thread>

namespace hearth::commands {

class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  std::stop_token token() const { return source_.get_token(); }

 private:
  void watch();

  std::stop_source source_;
  int leave_ = -1;  // an eventfd that ends the watch
  std::thread watcher_;
};

}  // namespace hearth::commands
