// The paths of a workspace's files, for questions that imports ask. Immutable after construction; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace hearth::indexer {

class WorkspacePaths {
 public:
  explicit WorkspacePaths(std::vector<std::string> files);
  WorkspacePaths(const WorkspacePaths&) = delete;
  WorkspacePaths& operator=(const WorkspacePaths&) = delete;

  const std::vector<std::string>& files() const { return files_; }  // in order
  bool has_file(std::string_view path) const { return known_.contains(path); }
  bool has_folder(std::string_view path) const { return folders_.contains(path); }

  // Every file with this name.
  std::vector<std::string_view> named(std::string_view name) const;

  // The file whose path ends with the folders and name of `suffix`, nearest to `from`: the one that shares
  // the most leading folders with it, the first of those that are equally near.
  std::optional<std::string> ending_with(std::string_view suffix, std::string_view from) const;

 private:
  std::vector<std::string> files_;
  std::unordered_set<std::string_view> known_, folders_;
  std::unordered_map<std::string_view, std::vector<std::uint32_t>> by_name_;
};

// `a/b` and `../c` give `a/c`; nothing when it leads out of the workspace.
std::optional<std::string> joined_path(std::string_view folder, std::string_view relative);

// Without the last part; empty for what lies in the root.
std::string_view folder_of(std::string_view path);

}  // namespace hearth::indexer
