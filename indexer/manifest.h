// What a project says that it is and needs: its manifests, with the versions that lock files settle. Pure
// functions over texts; broken manifests give what of them can be read, or nothing.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cache/rows.h"

namespace hearth::indexer {

// Names to versions, as a lock file has them.
using LockedVersions = std::map<std::string, std::string>;

// Lock files are larger than what is indexed otherwise.
inline constexpr std::size_t kMaxLockBytes = 32 << 20;

struct ManifestFormat {
  std::string_view file;  // name or pattern
  std::string_view ecosystem;
  std::optional<cache::ManifestRow> (*read)(std::string_view text);  // sets no ecosystem
  // Lock files, the best first, beside the manifest or in a folder above it.
  std::array<std::string_view, 4> locks{};
};

// nullptr: no manifest.
const ManifestFormat* manifest_format(std::string_view path);

// With the ecosystem; nothing where the text is no manifest after all.
std::optional<cache::ManifestRow> read_manifest(const ManifestFormat& format, std::string_view text);

bool is_lock_file(std::string_view path);

// Of a lock file of that name.
LockedVersions read_lock(std::string_view file_name, std::string_view text);

// Names are compared as the ecosystem compares them.
void resolve_versions(cache::ManifestRow& manifest, const LockedVersions& locked);

// `requests`, `Requests` and `re_quests` for PyPI, and so on: what names are compared by.
std::string normal_name(std::string_view ecosystem, std::string_view name);

}  // namespace hearth::indexer
