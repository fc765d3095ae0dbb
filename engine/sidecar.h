// What calibration found out about a model, in a file beside it: MODEL.gsm for MODEL.gguf, a GGUF file of
// metadata. It is of no use to another model, so it says which file it is of: by its size and by the SHA-256
// of its first and last 64 KiB, which hold what a GGUF file says of itself and the end of its weights.
#pragma once

#include <filesystem>
#include <optional>

#include "engine/error.h"
#include "engine/mixture.h"

namespace hearth::engine {

struct Sidecar {
  MixtureWeights mixture{};
};

std::filesystem::path sidecar_path(const std::filesystem::path& model);

// Nothing when there is none. kMismatch when it is of another model than the one beside it, kMalformed or
// kMismatch (old ones) when it does not say of which.
Result<std::optional<Sidecar>> read_sidecar(const std::filesystem::path& model);

Result<void> write_sidecar(const std::filesystem::path& model, const Sidecar& sidecar);

}  // namespace hearth::engine
