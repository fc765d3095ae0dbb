#include "indexer/find_workspace.h"

#include "cache/store_location.h"
#include "indexer/file_policy.h"
#include "indexer/manifest.h"
#include "indexer/scanner.h"

namespace hearth::indexer {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxEntries = 2'000;  // of a folder that is searched for a manifest

bool has_store(const fs::path& folder, const WorkspaceSearch& search) {
  std::error_code failure;
  return search.stores && fs::exists(cache::store_path(*search.stores, folder), failure);
}

// One look at the entries tells both.
struct Marks {
  bool repository = false, manifest = false;
};

Marks marks_of(const fs::path& folder) {
  Marks marks;
  std::error_code failure;
  std::size_t seen = 0;
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    const std::string name = entry->path().filename();
    marks.repository |= left_out_folder(name) == LeftOut::kRepository || name == ".git";
    marks.manifest |= manifest_format(name) != nullptr;
    if (++seen == kMaxEntries) break;
  }
  return marks;
}

}  // namespace

std::optional<fs::path> find_workspace(const fs::path& file, const WorkspaceSearch& search) {
  std::optional<fs::path> repository, manifest;
  std::error_code failure;
  fs::path folder = fs::weakly_canonical(file.parent_path(), failure);
  if (failure) return std::nullopt;
  for (; folder.has_relative_path(); folder = folder.parent_path()) {
    if (!fs::is_directory(folder, failure)) continue;
    const Result<fs::path> root = workspace_root(folder, search.home);
    if (!root) break;  // nor is anything above it
    if (has_store(*root, search)) return *root;
    if (repository) continue;
    const Marks marks = marks_of(*root);
    if (marks.repository) repository = *root;
    if (marks.manifest && !manifest) manifest = *root;
  }
  return repository ? repository : manifest;
}

std::optional<std::string> path_in(const fs::path& root, const fs::path& file) {
  std::error_code failure;
  const fs::path folder = fs::weakly_canonical(file.parent_path(), failure);
  if (failure) return std::nullopt;
  const fs::path relative = (folder / file.filename()).lexically_relative(root);
  if (relative.empty() || *relative.begin() == ".." || *relative.begin() == ".") return std::nullopt;
  return relative.generic_string();
}

}  // namespace hearth::indexer
