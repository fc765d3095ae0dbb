#include "lsp/commands/interrupt.h"

#include <array>
#include <cstdint>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

namespace hearth::commands {
namespace {

sigset_t watched_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

}  // namespace

Interrupt::Interrupt() : leave_(::eventfd(0, EFD_CLOEXEC)) {
  const sigset_t set = watched_signals();
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  watcher_ = std::thread([this] { watch(); });
}

Interrupt::~Interrupt() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(leave_, &one, sizeof one);
  watcher_.join();
  ::close(leave_);
  const sigset_t set = watched_signals();
  ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

void Interrupt::watch() {
  const sigset_t set = watched_signals();
  const int signals = ::signalfd(-1, &set, SFD_CLOEXEC);
  std::array<pollfd, 2> events = {pollfd{signals, POLLIN, 0}, pollfd{leave_, POLLIN, 0}};
  while (::poll(events.data(), events.size(), -1) < 0 || events[1].revents == 0) {
    signalfd_siginfo signal;
    if (events[0].revents == 0 || ::read(signals, &signal, sizeof signal) != sizeof signal) continue;
    if (source_.stop_requested()) ::_exit(128 + static_cast<int>(signal.ssi_signo));
    source_.request_stop();
  }
  ::close(signals);
}

}  // namespace hearth::commands
