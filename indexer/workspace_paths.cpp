#include "indexer/workspace_paths.h"

#include <algorithm>

namespace hearth::indexer {

WorkspacePaths::WorkspacePaths(std::vector<std::string> files) : files_(std::move(files)) {
  std::ranges::sort(files_);
  for (std::uint32_t i = 0; i < files_.size(); ++i) {
    const std::string_view path = files_[i];
    known_.insert(path);
    by_name_[path.substr(path.rfind('/') + 1)].push_back(i);
    std::string_view folder = folder_of(path);
    while (folders_.insert(folder).second && !folder.empty()) folder = folder_of(folder);
  }
}

std::vector<std::string_view> WorkspacePaths::named(std::string_view name) const {
  std::vector<std::string_view> paths;
  if (const auto known = by_name_.find(name); known != by_name_.end()) {
    for (const std::uint32_t i : known->second) paths.emplace_back(files_[i]);
  }
  return paths;
}

std::optional<std::string> WorkspacePaths::ending_with(std::string_view suffix, std::string_view from) const {
  std::optional<std::string> best;
  std::size_t best_shared = 0;
  for (const std::string_view path : named(suffix.substr(suffix.rfind('/') + 1))) {
    if (!path.ends_with(suffix)) continue;
    if (path.size() > suffix.size() && path[path.size() - suffix.size() - 1] != '/') continue;
    std::size_t shared = 0;
    for (std::size_t i = 0; i < std::min(path.size(), from.size()) && path[i] == from[i]; ++i) {
      if (path[i] == '/') shared = i + 1;
    }
    if (best && shared <= best_shared) continue;
    best = path;
    best_shared = shared;
  }
  return best;
}

std::optional<std::string> joined_path(std::string_view folder, std::string_view relative) {
  std::string path{folder};
  while (!relative.empty()) {
    const std::size_t slash = std::min(relative.find('/'), relative.size());
    const std::string_view part = relative.substr(0, slash);
    if (part == "..") {
      if (path.empty()) return std::nullopt;
      path = folder_of(path);
    } else if (!part.empty() && part != ".") {
      if (!path.empty()) path += '/';
      path += part;
    }
    relative.remove_prefix(std::min(slash + 1, relative.size()));
  }
  return path;
}

std::string_view folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

}  // namespace hearth::indexer
