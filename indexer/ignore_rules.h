// Which entries of a workspace its ignore files name: `.gitignore` of every folder, git's own exclude files,
// and `.hearthignore`, which follows the same rules but is for Hearth alone. Immutable; any thread.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "indexer/ignore_patterns.h"

namespace hearth::indexer {

enum class IgnoredBy : std::uint8_t { kNothing, kGit, kHearth };

// The rules that hold in one folder: its own ignore files and those of the folders above it. Paths are
// relative to the workspace's root.
class IgnoreRules {
 public:
  // `global_excludes` is git's exclude file of the user, where there is one.
  static std::shared_ptr<const IgnoreRules> of_root(
      const std::filesystem::path& root, const std::optional<std::filesystem::path>& global_excludes);

  // `path` is a folder directly below this one.
  static std::shared_ptr<const IgnoreRules> of_child(std::shared_ptr<const IgnoreRules> parent,
                                                     const std::filesystem::path& root,
                                                     const std::string& path);

  // An entry directly in this folder. What lies in an ignored folder is ignored; the caller does not ask.
  IgnoredBy ignored(std::string_view path, EntryKind kind) const;

 private:
  struct Own {
    explicit Own(const std::filesystem::path& folder);
    IgnorePatterns git, hearth;
  };
  IgnoreRules(std::shared_ptr<const IgnoreRules> parent, const std::filesystem::path& root, std::string path);

  bool ignored_by(IgnorePatterns Own::*patterns, std::string_view path, EntryKind kind) const;

  std::shared_ptr<const IgnoreRules> parent_;
  std::string path_;  // of the folder; empty for the root
  std::optional<Own> own_;
  std::vector<IgnorePatterns> excludes_;  // of the root: git's exclude files, the weightiest first
};

// The same for any path, with every folder above it looked at. `path` need not exist.
IgnoredBy ignored_in_workspace(const std::filesystem::path& root,
                               const std::optional<std::filesystem::path>& global_excludes,
                               std::string_view path, EntryKind kind);

// Where git looks for the user's exclude file, unless configured otherwise.
std::optional<std::filesystem::path> global_excludes_file(const std::optional<std::string>& xdg_config_home,
                                                          const std::optional<std::string>& home);

}  // namespace hearth::indexer
