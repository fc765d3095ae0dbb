// The forward pass alone, as the engine computes it, for measuring: a loaded model and one sequence of it.
// One thread.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/model.h"
#include "engine/prefix_tree.h"
#include "kernels/cpu/cpu_device.h"
#include "lsp/commands/bench.h"

namespace hearth::commands {

inline constexpr int kPrefillRows = 64;  // as the engine's scheduler cuts prompts

// A model on this machine's threads. Throws std::runtime_error when it cannot be loaded.
class BenchModel {
 public:
  BenchModel(const std::string& path, int threads, engine::KvType kv_type = engine::KvType::kAuto);

  const engine::Model& model() const { return *model_; }
  int threads() const { return threads_.size(); }
  int max_positions() const { return model_->description().shape.max_positions; }

  // The same ones at every call.
  std::vector<engine::TokenId> random_tokens(int count) const;

 private:
  kernels::ThreadPool threads_;
  std::unique_ptr<kernels::Device> device_;
  std::unique_ptr<engine::Model> model_;
};

class Forward {
 public:
  // `room`: the tokens it will hold at most.
  Forward(const engine::Model& model, int room);
  ~Forward() { tree_.close(path_); }
  Forward(const Forward&) = delete;
  Forward& operator=(const Forward&) = delete;

  // The sequence becomes `context`; what of it was computed before is not computed again.
  void rewind(std::span<const engine::TokenId> context);

  // Appends tokens, `rows` a step; the last one's best continuation is asked for, as decoding does.
  void compute(std::span<const engine::TokenId> tokens, int rows);

  // One step over `tokens` that asks for every row's best continuation, as verifying drafts does. The
  // sequence stays as it was.
  void verify(std::span<const engine::TokenId> tokens);

 private:
  enum class Ask : std::uint8_t { kNothing, kLast, kEveryRow };
  void step(std::span<const engine::TokenId> tokens, Ask ask);

  const engine::Model& model_;
  std::unique_ptr<kernels::PagePool> pool_;
  std::unique_ptr<kernels::Workspace> workspace_;
  engine::PrefixTree tree_;
  engine::PrefixTree::Path path_;
};

}  // namespace hearth::commands
