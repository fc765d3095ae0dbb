// Small models with random weights, as GGUF bytes: any architecture, weight type and odd size.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/weight_type.h"

namespace hearth::testing {

inline constexpr const char* kArchitectures[] = {"llama", "qwen2", "qwen3", "starcoder2", "arcee"};

struct RandomModelOptions {
  std::string architecture = "llama";
  kernels::WeightType type = kernels::WeightType::kF32;
  int n_layers = 2;
  int d_model = 96;
  int n_heads = 3;
  int n_kv_heads = 1;
  int head_dim = 32;
  int d_ffn = 160;
  int context = 512;
  bool tied_output = true;
  std::string fim_order = "spm";
  std::uint32_t seed = 1;
};

// The vocabulary: markers 0 to 7 (unknown, end, fim prefix, suffix, middle, pad, file_sep, repo_name), all
// 256 bytes as byte pieces, then printable ASCII and some words. 416 tokens.
std::string random_model(const RandomModelOptions& options);

}  // namespace hearth::testing
