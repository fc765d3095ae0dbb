#include "lsp/commands/survive.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace hearth::commands {
namespace {

constexpr int kMostCrashes = 20;

bool is_crash(int status) {
  if (!WIFSIGNALED(status)) return false;
  const int signal = WTERMSIG(status);
  return signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL || signal == SIGABRT;
}

// The status with which the child ends; signals that come meanwhile are passed on.
int wait_for(pid_t child, const sigset_t& signals) {
  while (true) {
    int status = 0;
    const pid_t ended = ::waitpid(child, &status, WNOHANG);
    if (ended == child) return status;
    if (ended < 0 && errno != EINTR) return 1 << 8;
    int signal = 0;
    if (::sigwait(&signals, &signal) == 0 && signal != SIGCHLD) ::kill(child, signal);
  }
}

}  // namespace

int survive(const std::function<int()>& work, const std::function<void()>& crashed) {
  sigset_t signals, before;
  ::sigemptyset(&signals);
  for (const int signal : {SIGCHLD, SIGINT, SIGTERM}) ::sigaddset(&signals, signal);
  for (int crashes = 0;; ++crashes) {
    ::sigprocmask(SIG_BLOCK, &signals, &before);
    std::cout.flush();
    const pid_t parent = ::getpid(), child = ::fork();
    if (child < 0) {  // no room for another process: then without this
      ::sigprocmask(SIG_SETMASK, &before, nullptr);
      return work();
    }
    if (child == 0) {
      // A terminal's Ctrl-C comes once, by way of the parent.
      ::setpgid(0, 0);
      ::prctl(PR_SET_PDEATHSIG, SIGTERM);
      if (::getppid() != parent) ::_exit(1);
      ::sigprocmask(SIG_SETMASK, &before, nullptr);
      std::exit(work());
    }
    const int status = wait_for(child, signals);
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    if (!is_crash(status)) return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (crashes == kMostCrashes) return 1;
    crashed();
  }
}

}  // namespace hearth::commands
