#include "indexer/scanner.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "indexer/ignore_rules.h"

namespace hearth::indexer {
namespace {

namespace fs = std::filesystem;

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};
using Folder = std::unique_ptr<DIR, CloseFolder>;

struct Pending {
  std::string path;
  std::shared_ptr<const IgnoreRules> rules;  // of the folder above it; the root's own for the root
};

// In order; nothing, with errno, where the system stops telling them.
std::optional<std::vector<std::string>> names_in(DIR* folder) {
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* entry = ::readdir(folder)) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
    errno = 0;
  }
  if (errno != 0) return std::nullopt;
  std::ranges::sort(names);
  return names;
}

bool is_gone(int error) { return error == ENOENT || error == ENOTDIR; }

std::string_view name_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }

LeftOut left_out_link(const fs::path& link) {
  struct stat target {};
  if (::stat(link.c_str(), &target) == 0) return LeftOut::kSymbolicLink;
  return errno == ELOOP ? LeftOut::kLinkLoop : LeftOut::kBrokenLink;
}

LeftOut left_out_by(IgnoredBy ignored) {
  switch (ignored) {
    case IgnoredBy::kNothing: return LeftOut::kNot;
    case IgnoredBy::kGit: return LeftOut::kGitIgnored;
    case IgnoredBy::kHearth: return LeftOut::kHearthIgnored;
  }
  return LeftOut::kNot;
}

// The first reason that holds; names weigh more than ignore files, so that a secret is called one.
LeftOut judge(const fs::path& root, const std::string& path, const struct stat& status,
              const IgnoreRules& rules) {
  const bool is_folder = S_ISDIR(status.st_mode);
  const std::string_view name = name_of(path);
  LeftOut why = is_folder ? left_out_folder(name) : left_out_file(name);
  if (why == LeftOut::kNot)
    why = left_out_by(rules.ignored(path, is_folder ? EntryKind::kFolder : EntryKind::kFile));
  if (why != LeftOut::kNot) return why;
  if (S_ISLNK(status.st_mode)) return left_out_link(root / path);
  if (is_folder) {
    if (::access((root / path / "CACHEDIR.TAG").c_str(), F_OK) == 0) return LeftOut::kCacheFolder;
    if (::access((root / path / "pyvenv.cfg").c_str(), F_OK) == 0) return LeftOut::kDependency;
    return LeftOut::kNot;
  }
  if (!S_ISREG(status.st_mode)) return LeftOut::kNoRegularFile;
  if (status.st_size > static_cast<off_t>(kMaxIndexedBytes)) return LeftOut::kTooLarge;
  return LeftOut::kNot;
}

ScannedEntry entry_of(const std::string& path, const struct stat& status, LeftOut why) {
  return {S_ISDIR(status.st_mode) ? path + '/' : path, static_cast<std::uint64_t>(status.st_size),
          std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec, why};
}

}  // namespace

Result<void> scan(const ScanOptions& options, const std::function<void(ScannedEntry)>& found,
                  std::stop_token stop) {
  const fs::path& root = options.root;
  std::vector<Pending> pending = {{"", IgnoreRules::of_root(root, options.global_excludes)}};
  while (!pending.empty()) {
    const Pending here = std::move(pending.back());
    pending.pop_back();
    const Folder folder(::opendir((root / here.path).c_str()));
    const auto names = folder ? names_in(folder.get()) : std::nullopt;
    if (!names) {
      if (here.path.empty())
        return Error{ErrorCode::kUnreadable, root.string() + ": cannot be read: " + std::strerror(errno)};
      // Gone since the folder above was read: as if it had never been there.
      if (!is_gone(errno)) found({here.path + '/', 0, 0, LeftOut::kUnreadable});
      continue;
    }
    if (options.enter) options.enter(here.path);
    const auto rules = here.path.empty() ? here.rules : IgnoreRules::of_child(here.rules, root, here.path);
    const std::size_t first_folder = pending.size();
    for (const std::string& name : *names) {
      if (stop.stop_requested()) return Error{ErrorCode::kInvalid, root.string() + ": the scan was stopped"};
      const std::string path = here.path.empty() ? name : here.path + '/' + name;
      struct stat status {};
      if (::fstatat(::dirfd(folder.get()), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
        if (!is_gone(errno)) found({path, 0, 0, LeftOut::kUnreadable});
        continue;
      }
      const LeftOut why = judge(root, path, status, *rules);
      if (S_ISDIR(status.st_mode) && why == LeftOut::kNot) {
        pending.push_back({path, rules});
      } else {
        found(entry_of(path, status, why));
      }
    }
    std::ranges::reverse(pending.begin() + static_cast<std::ptrdiff_t>(first_folder), pending.end());
  }
  return {};
}

std::optional<ScannedEntry> scan_one(const ScanOptions& options, const std::string& path) {
  auto rules = IgnoreRules::of_root(options.root, options.global_excludes);
  for (std::size_t slash = path.find('/');; slash = path.find('/', slash + 1)) {
    const std::string above = path.substr(0, slash);
    struct stat status {};
    if (::lstat((options.root / above).c_str(), &status) != 0) {
      if (is_gone(errno)) return std::nullopt;
      return ScannedEntry{path, 0, 0, LeftOut::kUnreadable};
    }
    const LeftOut why = judge(options.root, above, status, *rules);
    if (slash == std::string::npos || why != LeftOut::kNot) {
      ScannedEntry entry = entry_of(above, status, why);
      entry.path = path;
      return entry;
    }
    rules = IgnoreRules::of_child(std::move(rules), options.root, above);
  }
}

Result<fs::path> workspace_root(const fs::path& folder, const std::optional<std::string>& home) {
  std::error_code failure;
  const fs::path root = fs::canonical(folder, failure);
  if (failure) return Error{ErrorCode::kUnreadable, folder.string() + ": " + failure.message()};
  if (!fs::is_directory(root, failure))
    return Error{ErrorCode::kUnreadable, root.string() + ": not a folder"};
  if (root == root.root_path())
    return Error{ErrorCode::kForbidden, root.string() + ": the whole machine is never indexed"};
  const fs::path home_folder = home ? fs::weakly_canonical(*home, failure) : fs::path();
  const bool holds_home = !home_folder.empty() && !home_folder.lexically_relative(root).empty() &&
                          !home_folder.lexically_relative(root).string().starts_with("..");
  if (holds_home)
    return Error{ErrorCode::kForbidden,
                 root.string() + ": a home folder is never indexed, only folders in it"};
  return root;
}

}  // namespace hearth::indexer
