// The thread that waits for the engine, so that the protocol thread never does: each event is posted to
// the protocol thread's io_context. Made and destroyed by the protocol thread.
#pragma once

#include <boost/asio/io_context.hpp>
#include <thread>

#include "lsp/job_router.h"

namespace hearth::lsp {

class EnginePump {
 public:
  // Both outlive the pump.
  EnginePump(JobRouter& router, boost::asio::io_context& context);
  ~EnginePump();  // wakes the thread and joins it

 private:
  JobRouter& router_;
  boost::asio::io_context& context_;
  std::jthread thread_;
};

}  // namespace hearth::lsp
