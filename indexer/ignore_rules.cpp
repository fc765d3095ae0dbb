#include "indexer/ignore_rules.h"

#include "indexer/read_file.h"

namespace hearth::indexer {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxIgnoreFile = 1 << 20;

// A missing or unreadable file has no patterns. Git follows no symbolic link here either.
IgnorePatterns patterns_of(const fs::path& file) {
  std::error_code failure;
  if (fs::is_symlink(fs::symlink_status(file, failure))) return IgnorePatterns("");
  const Result<std::string> text = read_file(file, kMaxIgnoreFile);
  return IgnorePatterns(text ? *text : "");
}

}  // namespace

IgnoreRules::Own::Own(const fs::path& folder)
    : git(patterns_of(folder / ".gitignore")), hearth(patterns_of(folder / ".hearthignore")) {}

IgnoreRules::IgnoreRules(std::shared_ptr<const IgnoreRules> parent, const fs::path& root, std::string path)
    : parent_(std::move(parent)), path_(std::move(path)) {
  Own own(path_.empty() ? root : root / path_);
  if (!own.git.empty() || !own.hearth.empty()) own_ = std::move(own);
}

std::shared_ptr<const IgnoreRules> IgnoreRules::of_root(const fs::path& root,
                                                        const std::optional<fs::path>& global_excludes) {
  std::shared_ptr<IgnoreRules> rules(new IgnoreRules(nullptr, root, ""));
  rules->excludes_.push_back(patterns_of(root / ".git" / "info" / "exclude"));
  if (global_excludes) rules->excludes_.push_back(patterns_of(*global_excludes));
  return rules;
}

std::shared_ptr<const IgnoreRules> IgnoreRules::of_child(std::shared_ptr<const IgnoreRules> parent,
                                                         const fs::path& root, const std::string& path) {
  return std::shared_ptr<IgnoreRules>(new IgnoreRules(std::move(parent), root, path));
}

bool IgnoreRules::ignored_by(IgnorePatterns Own::*patterns, std::string_view path, EntryKind kind) const {
  using Verdict = IgnorePatterns::Verdict;
  const IgnoreRules* level = this;
  while (true) {
    if (level->own_) {
      const std::size_t base = level->path_.empty() ? 0 : level->path_.size() + 1;
      const Verdict verdict = ((*level->own_).*patterns).match(path.substr(base), kind);
      if (verdict != Verdict::kNone) return verdict == Verdict::kIgnored;
    }
    if (!level->parent_) break;
    level = level->parent_.get();
  }
  if (patterns != &Own::git) return false;
  for (const IgnorePatterns& excludes : level->excludes_) {
    const Verdict verdict = excludes.match(path, kind);
    if (verdict != Verdict::kNone) return verdict == Verdict::kIgnored;
  }
  return false;
}

IgnoredBy IgnoreRules::ignored(std::string_view path, EntryKind kind) const {
  if (ignored_by(&Own::hearth, path, kind)) return IgnoredBy::kHearth;
  if (ignored_by(&Own::git, path, kind)) return IgnoredBy::kGit;
  return IgnoredBy::kNothing;
}

IgnoredBy ignored_in_workspace(const fs::path& root, const std::optional<fs::path>& global_excludes,
                               std::string_view path, EntryKind kind) {
  std::shared_ptr<const IgnoreRules> rules = IgnoreRules::of_root(root, global_excludes);
  IgnoredBy above = IgnoredBy::kNothing;  // Git's word on a folder is not the last one on what is in it
  for (std::size_t slash = path.find('/'); slash != std::string_view::npos;
       slash = path.find('/', slash + 1)) {
    const std::string folder{path.substr(0, slash)};
    const IgnoredBy by = rules->ignored(folder, EntryKind::kFolder);
    if (by == IgnoredBy::kHearth) return by;
    if (by != IgnoredBy::kNothing) above = by;
    rules = IgnoreRules::of_child(std::move(rules), root, folder);
  }
  const IgnoredBy by = rules->ignored(path, kind);
  return by == IgnoredBy::kHearth || above == IgnoredBy::kNothing ? by : above;
}

std::optional<fs::path> global_excludes_file(const std::optional<std::string>& xdg_config_home,
                                             const std::optional<std::string>& home) {
  if (xdg_config_home && !xdg_config_home->empty()) return fs::path(*xdg_config_home) / "git" / "ignore";
  if (home && !home->empty()) return fs::path(*home) / ".config" / "git" / "ignore";
  return std::nullopt;
}

}  // namespace hearth::indexer
