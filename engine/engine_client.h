// The seam between those who want completions and the engine. Values in, values out, no callbacks.
// Thread-safe. One thread at a time calls `wait`.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "engine/error.h"
#include "engine/job.h"

namespace hearth::engine {

class EngineClient {
 public:
  virtual ~EngineClient() = default;

  // Every submitted job gets exactly one Final, after its deltas. A job of kWarm priority prefills its
  // prompt and generates nothing: where that takes long, first what is required alone, which serves requests
  // that come meanwhile. Ids ascend.
  virtual JobId submit(Job job) = 0;

  // Asks for an end; the Final (kCancelled unless the job was already done) still comes.
  virtual void cancel(JobId job) = 0;

  // The next event, or nullopt at the deadline or after `wake`.
  virtual std::optional<Event> wait(std::chrono::steady_clock::time_point deadline) = 0;

  // Makes a waiting `wait`, or the next one, return nullopt.
  virtual void wake() = 0;

  // Log-probability (nats) of each candidate after the prompt, in order. Blocks until the engine has
  // answered; not for the protocol thread.
  virtual Result<std::vector<double>> score(ScoreRequest request) = 0;

  // By the model's tokenizer, in order. kNotFound-coded error while no model is loaded.
  virtual Result<std::vector<int>> count_tokens(const std::vector<std::string>& texts) = 0;

  // The workspace memory learns a document, or its edits; documents are named as jobs name theirs. Returns
  // at once. Edits take effect before any job that is submitted later starts; documents that are new to the
  // memory are read when nothing urgent is to be done, and before any warm job that is submitted later.
  virtual void remember(MemoryUpdate update) = 0;
  virtual void forget(std::string document) = 0;

  virtual EngineStatus status() = 0;
};

}  // namespace hearth::engine
