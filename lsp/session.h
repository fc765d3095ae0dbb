// One client on one stream: its transport, its server, and the watch over its process. The io_context's
// one thread, the protocol thread, owns it.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "lsp/process_watch.h"
#include "lsp/server.h"
#include "lsp/transport.h"
#include "lsp/workspace_hub.h"

namespace hearth::lsp {

// What all sessions of a process share; it outlives them.
struct SessionContext {
  boost::asio::io_context& io;
  Clock& clock;
  Logger& logger;
  std::function<JobRouter&(const Settings& settings)> engine;
  HubOptions workspaces;
  PlanStore* plans = nullptr;
  std::function<void(std::vector<FolderStatistics> statistics)> keep_statistics;
};

class Session {
 public:
  // `ended` is called once, with the exit code that LSP gives the session; it may destroy it.
  Session(SessionContext& context, ServerOptions options, Transport::Descriptor input,
          Transport::Descriptor output, std::function<void(int exit_code)> ended);
  ~Session();

  void start();

 private:
  SessionContext& context_;
  const std::string name_;
  std::shared_ptr<Transport> transport_;
  Server server_;
  std::optional<ProcessWatch> client_watch_;
  std::function<void(int)> ended_;
};

}  // namespace hearth::lsp
