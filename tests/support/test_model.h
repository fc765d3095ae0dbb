// A random model in memory, loaded on a device, with what tests ask of it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/model.h"
#include "kernels/cpu/cpu_device.h"
#include "kernels/thread_pool.h"
#include "tests/support/random_model.h"

namespace hearth::testing {

class TestModel {
 public:
  TestModel(const RandomModelOptions& options, std::unique_ptr<kernels::Device> device);

  const engine::Model& model() const { return *model_; }

  // Every token's logits after each of `tokens`, computed in steps of `rows` rows.
  std::vector<std::vector<float>> logits(const std::vector<engine::TokenId>& tokens, int rows) const;

 private:
  std::string bytes_;
  std::unique_ptr<kernels::Device> device_;
  std::unique_ptr<engine::Model> model_;
};

std::vector<engine::TokenId> random_tokens(int n, std::uint32_t seed, int vocabulary = 416);

}  // namespace hearth::testing
