// Walks a workspace: every entry, in the order of paths within each folder, and why what is left out is left
// out. Of a folder that is ignored or cannot be read only the folder itself is told. Reads no file's content
// but ignore files'.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "indexer/error.h"
#include "indexer/file_policy.h"

namespace hearth::indexer {

struct ScannedEntry {
  std::string path;  // from the root; a folder's ends with '/', and folders are told only when left out
  std::uint64_t size = 0;
  std::int64_t mtime_ns = 0;
  LeftOut left_out = LeftOut::kNot;
};

struct ScanOptions {
  std::filesystem::path root;  // canonical
  std::optional<std::filesystem::path> global_excludes;
  // Called with each folder that is entered, before its entries; "" is the root.
  std::function<void(const std::string& folder)> enter;
};

// kUnreadable when the root is gone or cannot be read; kInvalid when stopped.
Result<void> scan(const ScanOptions& options, const std::function<void(ScannedEntry)>& found,
                  std::stop_token stop);

// One path as a scan would see it; nothing when it is not there. Folders above it are judged, too.
std::optional<ScannedEntry> scan_one(const ScanOptions& options, const std::string& path);

// Why this folder is never a workspace: kForbidden for `/`, the home folder and what is above it.
Result<std::filesystem::path> workspace_root(const std::filesystem::path& folder,
                                             const std::optional<std::string>& home);

}  // namespace hearth::indexer
