// One file made into what the store keeps of it. One thread at a time; give each its own.
#pragma once

#include <filesystem>
#include <memory>
#include <stop_token>
#include <string_view>

#include "cache/rows.h"
#include "indexer/import_resolver.h"
#include "indexer/outline.h"
#include "indexer/scanner.h"

namespace hearth::indexer {

class FileAnalyser {
 public:
  // Lock files are read below `root`.
  FileAnalyser(std::filesystem::path root, std::shared_ptr<OutlineQueries> queries)
      : root_(std::move(root)), outliner_(std::move(queries)) {}

  // `text` is the content of what was scanned. A file that is left out by its content, or whose parser gives
  // up, has its row only.
  Result<cache::FileRecord> analyse(const ScannedEntry& scanned, std::string_view text,
                                    const ImportResolver& resolver, std::stop_token stop);

 private:
  std::optional<cache::ManifestRow> manifest_of(const std::string& path, std::string_view text) const;

  std::filesystem::path root_;
  Outliner outliner_;
};

// The row of a file that is left out by its place or kind.
cache::FileRecord left_out_record(const ScannedEntry& scanned);

std::uint64_t content_hash(std::string_view text);

}  // namespace hearth::indexer
