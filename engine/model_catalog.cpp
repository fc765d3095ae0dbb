#include "engine/model_catalog.h"

#include <string_view>
#include <system_error>
#include <vector>

namespace hearth::engine {
namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

std::vector<fs::path> places(const ModelFolders& folders, const std::string& asked) {
  std::vector<fs::path> paths = {asked};
  if (asked.find('/') != std::string::npos) return paths;
  for (const fs::path& folder : {folders.user, folders.embedded}) {
    if (folder.empty()) continue;
    paths.push_back(folder / asked);
    if (!asked.ends_with(".gguf")) paths.push_back(folder / (asked + ".gguf"));
  }
  return paths;
}

}  // namespace

ModelFolders model_folders(std::optional<std::string> xdg_data_home, std::optional<std::string> home,
                           const fs::path& executable) {
  ModelFolders folders;
  // The XDG base directory specification: relative or empty values count as unset.
  if (xdg_data_home && fs::path(*xdg_data_home).is_absolute()) {
    folders.user = fs::path(*xdg_data_home) / "hearth" / "models";
  } else if (home && fs::path(*home).is_absolute()) {
    folders.user = fs::path(*home) / ".local" / "share" / "hearth" / "models";
  }
  folders.embedded = executable.parent_path().parent_path() / "share" / "hearth" / "models";
  return folders;
}

Result<ModelChoice> choose_model(const ModelFolders& folders, const std::optional<std::string>& asked) {
  if (asked) {
    std::string looked;
    for (const fs::path& path : places(folders, *asked)) {
      if (is_file(path)) return ModelChoice{path, ModelKind::kAsked};
      looked += (looked.empty() ? "" : ", ") + path.string();
    }
    return Error{ErrorCode::kNotFound, "no model '" + *asked + "': looked for the file " + looked};
  }
  if (!folders.user.empty() && is_file(folders.user / kDefaultModelFile)) {
    return ModelChoice{folders.user / kDefaultModelFile, ModelKind::kDefault};
  }
  if (is_file(folders.embedded / kEmbeddedModelFile)) {
    return ModelChoice{folders.embedded / kEmbeddedModelFile, ModelKind::kEmbedded};
  }
  return Error{ErrorCode::kNotFound, "no model: looked for " + std::string(kDefaultModelFile) + " in " +
                                         (folders.user.empty() ? "(no user folder)" : folders.user.string()) +
                                         " and for " + kEmbeddedModelFile + " in " +
                                         folders.embedded.string() +
                                         "; `hearth model fetch` brings the default one"};
}

}  // namespace hearth::engine
