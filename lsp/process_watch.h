// Tells when another process is gone. The io_context's thread owns it; destroyed, it says nothing more.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <sys/types.h>

namespace hearth::lsp {

class ProcessWatch {
 public:
  // Calls `gone` once, soon even when the process never was.
  ProcessWatch(boost::asio::io_context& context, pid_t process, std::function<void()> gone);
  ~ProcessWatch();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace hearth::lsp
