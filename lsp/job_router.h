// The engine as the protocol thread sees it: jobs go in with what to do at their end, events come back by
// `deliver`. Several clients' jobs may share one router. The protocol thread owns it.
#pragma once

#include <functional>
#include <map>

#include "engine/engine_client.h"

namespace hearth::lsp {

class JobRouter {
 public:
  using Done = std::function<void(const engine::Final& final)>;

  explicit JobRouter(engine::EngineClient& engine) : engine_(engine) {}

  engine::JobId submit(engine::Job job, Done done);

  // The engine ends the job, and its `done` is never called.
  void cancel(engine::JobId job);

  void deliver(const engine::Event& event);

  engine::EngineClient& engine() { return engine_; }

 private:
  engine::EngineClient& engine_;
  std::map<engine::JobId, Done> waiting_;
};

}  // namespace hearth::lsp
