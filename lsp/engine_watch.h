// Keeps one client told of the engine: $/progress while the model loads, `hearth/status` when what it says
// changes, one message when the model cannot be used. The protocol thread owns it.
#pragma once

#include <boost/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lsp/job_router.h"
#include "lsp/json_rpc.h"

namespace hearth::lsp {

enum class ProgressSupport { kNone, kWorkDone };

class EngineWatch {
 public:
  EngineWatch(JobRouter& router, Endpoint& endpoint, ProgressSupport progress);
  ~EngineWatch();

  // After `initialized`.
  void start();

  // What is wrong with the settings, for whom asks for the status; the client is told each once.
  void set_problems(std::vector<std::string> problems);

  // Asks the engine how it is and tells the client what is new.
  void refresh();

  engine::EngineStatus engine_status() const { return router_.engine().status(); }

  // What `hearth/status` says of the engine.
  boost::json::object status() const;

  // What changes all the time: jobs, memory, speed.
  boost::json::object load() const;

 private:
  void begin_progress();
  void end_progress(std::string message);
  void show(int type, std::string_view message);

  JobRouter& router_;
  Endpoint& endpoint_;
  ProgressSupport progress_;
  std::optional<engine::JobId> probe_;  // ends when the model has loaded or cannot
  boost::json::object told_;
  std::vector<std::string> problems_;
  bool loading_ = false, began_ = false, complained_ = false;
};

}  // namespace hearth::lsp
