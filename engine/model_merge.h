// A base model and an adapter made one file, standard GGUF: the base's weights (dequantised) plus the
// adapter's, its marker rows, the base's metadata with the adapter's fill-in markers. And the same
// without an adapter: a model rounded to a smaller type.
#pragma once

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "engine/error.h"
#include "kernels/thread_pool.h"
#include "kernels/weight_type.h"

namespace hearth::engine {

struct ModelOutput {
  std::filesystem::path path;  // appears whole or not at all
  kernels::WeightType type = kernels::WeightType::kQ8_0;
  std::string name;  // general.name; empty: the path's file name without its suffix
  std::function<void(std::uint64_t bytes, std::uint64_t total)> progress;  // may be empty
};

// kMismatch when the adapter was made for another base: by hearth.base.sha256, architecture, a tensor's
// shape or a token id. The merged file records the base's and the adapter's SHA-256.
Result<void> merge_model(const std::filesystem::path& base, const std::filesystem::path& adapter,
                         const ModelOutput& output, kernels::ThreadPool& threads, std::stop_token stop);

// `metadata`: text values that are added or replaced.
Result<void> quantize_model(const std::filesystem::path& model,
                            const std::vector<std::pair<std::string, std::string>>& metadata,
                            const ModelOutput& output, kernels::ThreadPool& threads, std::stop_token stop);

}  // namespace hearth::engine
