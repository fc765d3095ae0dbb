// Is a model file, or an adapter, whole and sane? Structure, metadata, shapes against the architecture,
// values that are not finite, the tokenizer; and the file's SHA-256 to compare with a published one.
#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/error.h"
#include "engine/model_shape.h"
#include "kernels/thread_pool.h"

namespace hearth::engine {

struct ModelReport {
  std::string sha256;                           // empty when the file could not be read
  std::optional<ModelDescription> description;  // of a model whose metadata is sound
  std::vector<Error> faults;                    // none: usable
};

ModelReport verify_model(const std::filesystem::path& path, kernels::ThreadPool& threads,
                         std::stop_token stop);

}  // namespace hearth::engine
