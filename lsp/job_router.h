// The engine as the protocol thread sees it: jobs go in with what to do at their end, events come back by
// `deliver`. Several clients' jobs may share one router. The protocol thread owns it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "engine/engine_client.h"

namespace hearth::lsp {

enum class EngineLoad : std::uint8_t { kIdle, kBusy };  // kBusy: some job has not ended

class JobRouter {
 public:
  using Done = std::function<void(const engine::Final& final)>;
  using Told = std::function<void(EngineLoad load)>;

  explicit JobRouter(engine::EngineClient& engine) : engine_(engine) {}

  engine::JobId submit(engine::Job job, Done done);

  // The engine ends the job, and its `done` is never called.
  void cancel(engine::JobId job);

  void deliver(const engine::Event& event);

  // `told` hears of each change of the load, from what it is now on, while the caller holds what this
  // returns.
  [[nodiscard]] std::shared_ptr<const Told> watch(Told told);

  engine::EngineClient& engine() { return engine_; }

 private:
  void tell(EngineLoad load);

  engine::EngineClient& engine_;
  std::map<engine::JobId, Done> waiting_;
  std::vector<std::weak_ptr<const Told>> watchers_;
};

}  // namespace hearth::lsp
