#include "lsp/process_watch.h"

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <chrono>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

namespace hearth::lsp {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

constexpr std::chrono::seconds kAskEvery(3);  // where the kernel has no pidfd_open (before Linux 5.3)

}  // namespace

struct ProcessWatch::State : std::enable_shared_from_this<ProcessWatch::State> {
  State(asio::io_context& context, pid_t watched, std::function<void()> when_gone)
      : process(watched), gone(std::move(when_gone)), descriptor(context), timer(context) {}

  void start() {
    const int fd = static_cast<int>(syscall(SYS_pidfd_open, process, 0));
    if (fd >= 0) {
      descriptor.assign(fd);
      descriptor.async_wait(asio::posix::stream_descriptor::wait_read,
                            [self = shared_from_this()](error_code error) {
                              if (!error) self->report();
                            });
    } else if (errno == ESRCH) {
      asio::post(timer.get_executor(), [self = shared_from_this()] { self->report(); });
    } else {
      ask_later();
    }
  }

  void ask_later() {
    timer.expires_after(kAskEvery);
    timer.async_wait([self = shared_from_this()](error_code error) {
      if (error || !self->gone) return;
      if (kill(self->process, 0) != 0 && errno == ESRCH) return self->report();
      self->ask_later();
    });
  }

  void report() {
    if (auto call = std::exchange(gone, nullptr)) call();
  }

  pid_t process;
  std::function<void()> gone;
  asio::posix::stream_descriptor descriptor;
  asio::steady_timer timer;
};

ProcessWatch::ProcessWatch(asio::io_context& context, pid_t process, std::function<void()> gone)
    : state_(std::make_shared<State>(context, process, std::move(gone))) {
  state_->start();
}

ProcessWatch::~ProcessWatch() {
  state_->gone = nullptr;
  error_code ignored;
  state_->descriptor.close(ignored);
  state_->timer.cancel();
}

}  // namespace hearth::lsp
