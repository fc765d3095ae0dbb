// Which model file completions come from: one that was asked for, else the default model in the user's
// folder, else the embedded one that ships beside the binary.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "engine/error.h"

namespace hearth::engine {

inline constexpr const char* kDefaultModelFile = "hearth-code-135m.gguf";
inline constexpr const char* kEmbeddedModelFile = "hearth-code-20m.gguf";

struct ModelFolders {
  std::filesystem::path user;      // $XDG_DATA_HOME/hearth/models
  std::filesystem::path embedded;  // <prefix>/share/hearth/models, beside <prefix>/bin/hearth
};

enum class ModelKind { kAsked, kDefault, kEmbedded };

struct ModelChoice {
  std::filesystem::path path;
  ModelKind kind = ModelKind::kEmbedded;
};

// The folders for this process, from the environment's values (handed in) and the executable's path.
ModelFolders model_folders(std::optional<std::string> xdg_data_home, std::optional<std::string> home,
                           const std::filesystem::path& executable);

// `asked`: a path, or a bare name looked up in both folders ("hearth-code-20m", with or without .gguf).
// kNotFound, naming what was looked for and where, when nothing fits.
Result<ModelChoice> choose_model(const ModelFolders& folders, const std::optional<std::string>& asked);

}  // namespace hearth::engine
