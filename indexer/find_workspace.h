// The workspace that a file belongs to, where nobody said: the nearest folder above it that has a store, else
// the nearest that is a repository's, else the nearest with a manifest. Any thread.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace hearth::indexer {

struct WorkspaceSearch {
  std::optional<std::filesystem::path> stores;  // the folder of stores (cache/store_location.h)
  std::optional<std::string> home;              // which, with all above it, is no workspace
};

// `file` is absolute and need not exist.
std::optional<std::filesystem::path> find_workspace(const std::filesystem::path& file,
                                                    const WorkspaceSearch& search);

// `file` from the workspace's root, with '/' between; nothing when it lies elsewhere. Links in the folders
// above the file are followed.
std::optional<std::string> path_in(const std::filesystem::path& root, const std::filesystem::path& file);

}  // namespace hearth::indexer
