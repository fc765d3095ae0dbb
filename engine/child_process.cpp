#include "engine/child_process.h"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <optional>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace hearth::engine {
namespace {

using Clock = std::chrono::steady_clock;

// How often `activity` and the stop token are looked at.
constexpr std::chrono::milliseconds kTick{200};

class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() { close(); }
  int number() const { return number_; }
  void close() {
    if (number_ >= 0) ::close(std::exchange(number_, -1));
  }

 private:
  int number_;
};

Error system_error(const std::string& program, int number) {
  const ErrorCode code = number == ENOENT ? ErrorCode::kNotFound : ErrorCode::kUnreadable;
  return Error{code, program + ": " + std::generic_category().message(number)};
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (const std::string& text : texts) out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

std::vector<std::string> joined_environment(const std::vector<std::string>& added) {
  std::vector<std::string> all = added;
  for (char** entry = ::environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::string name = text.substr(0, text.find('=') + 1);
    bool replaced = false;
    for (const std::string& other : added) replaced |= other.starts_with(name);
    if (!replaced) all.push_back(text);
  }
  return all;
}

// 0 or an errno.
int spawn(const ChildCommand& command, int output, pid_t& child) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);

  const std::vector<std::string> environment = joined_environment(command.environment);
  const int failure = ::posix_spawnp(&child, command.arguments.front().c_str(), &actions, &attributes,
                                     pointers(command.arguments).data(), pointers(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return failure;
}

// Takes what the pipe holds; false at its end.
bool drain(int pipe, std::string& output) {
  std::array<char, 4096> piece;
  for (;;) {
    const ssize_t size = ::read(pipe, piece.data(), piece.size());
    if (size > 0) {
      output.append(piece.data(), static_cast<std::size_t>(size));
    } else if (size == 0 || errno != EINTR) {
      return size != 0 && errno == EAGAIN;
    }
  }
}

// Watches the child until it exits, stalls or is stopped.
ChildOutcome::End watch(const ChildCommand& command, int child, int pipe, std::stop_token stop,
                        std::string& output) {
  Clock::time_point last_life = Clock::now();
  std::optional<std::uint64_t> last_activity;
  std::array<pollfd, 2> watched = {pollfd{child, POLLIN, 0}, pollfd{pipe, POLLIN, 0}};
  for (;;) {
    ::poll(watched.data(), watched.size(), static_cast<int>(kTick.count()));
    if (watched[1].revents != 0) {
      last_life = Clock::now();
      if (!drain(pipe, output)) watched[1].fd = -1;
    }
    if (watched[0].revents != 0) return ChildOutcome::End::kExited;
    if (stop.stop_requested()) return ChildOutcome::End::kStopped;
    if (command.activity) {
      const std::uint64_t activity = command.activity();
      if (last_activity != activity) last_life = Clock::now();
      last_activity = activity;
    }
    if (Clock::now() - last_life > command.stall) return ChildOutcome::End::kStalled;
  }
}

}  // namespace

Result<ChildOutcome> run_child(const ChildCommand& command, std::stop_token stop) {
  const std::string& program = command.arguments.front();
  std::array<int, 2> ends;
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return system_error(program, errno);
  Descriptor pipe(ends[0]), child_end(ends[1]);
  ::fcntl(pipe.number(), F_SETFL, O_NONBLOCK);

  pid_t child = -1;
  if (const int failure = spawn(command, child_end.number(), child)) return system_error(program, failure);
  child_end.close();
  const Descriptor handle(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
  const int handle_error = errno;

  ChildOutcome outcome;
  if (handle.number() >= 0)
    outcome.end = watch(command, handle.number(), pipe.number(), stop, outcome.output);
  if (handle.number() < 0 || outcome.end != ChildOutcome::End::kExited) ::kill(-child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (handle.number() < 0) return system_error(program, handle_error);
  drain(pipe.number(), outcome.output);
  outcome.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return outcome;
}

}  // namespace hearth::engine
