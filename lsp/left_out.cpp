#include "lsp/left_out.h"

#include <optional>

#include "indexer/file_policy.h"
#include "indexer/ignore_rules.h"
#include "lsp/uri.h"

namespace hearth::lsp {

Silence left_out_in(const std::string& folder, std::string_view path) {
  if (indexer::is_secret_path(path)) return Silence::kSecret;
  if (folder.empty()) return Silence::kNone;
  const indexer::IgnoredBy by =
      indexer::ignored_in_workspace(folder, std::nullopt, path, indexer::EntryKind::kFile);
  return by == indexer::IgnoredBy::kHearth ? Silence::kIgnored : Silence::kNone;
}

Silence left_out_of(std::string_view uri, const std::vector<std::string>& roots) {
  const std::string folder = folder_of_uri(uri, roots);
  const Silence here = left_out_in(folder, path_in_workspace(uri, roots));
  if (here != Silence::kNone || !folder.empty()) return here;
  const std::string path = document_name(uri);
  return path.starts_with('/') ? left_out_in("/", path.substr(1)) : left_out_in("", path);
}

}  // namespace hearth::lsp
