// Keeps one client told of its workspaces' index: $/progress while one is made, a message once when it cannot
// be, and what `hearth/status` says. The protocol thread owns it.
#pragma once

#include <boost/json.hpp>
#include <map>
#include <string>

#include "lsp/engine_watch.h"
#include "lsp/json_rpc.h"
#include "lsp/logger.h"
#include "lsp/workspace_contexts.h"

namespace hearth::lsp {

class IndexWatch {
 public:
  IndexWatch(Endpoint& endpoint, Logger& logger, ProgressSupport progress)
      : endpoint_(endpoint), logger_(logger), progress_(progress) {}

  void hear(const IndexNews& news);

  // [{"root", "state", "message"}]
  boost::json::array status() const;

 private:
  struct Root {
    std::string token;
    bool made = false, begun = false, running = false;
    std::string state, message;
    std::string failure;  // that was told last; each is told once until it is over
  };

  void begin(Root& root, const std::string& name);
  void report(const Root& root, boost::json::object value);

  Endpoint& endpoint_;
  Logger& logger_;
  ProgressSupport progress_;
  std::map<std::string, Root> roots_;
  int tokens_ = 0;  // of progress, told so far
};

}  // namespace hearth::lsp
