#include "indexer/file_analysis.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "indexer/file_policy.h"
#include "indexer/identifiers.h"
#include "indexer/manifest.h"
#include "indexer/read_file.h"
#include "indexer/workspace_paths.h"

namespace hearth::indexer {
namespace {

// Of one thread's processor time. A megabyte takes the slowest grammar well under a second.
constexpr std::chrono::milliseconds kParseLimit{3'000};

}  // namespace

std::uint64_t content_hash(std::string_view text) { return XXH3_64bits(text.data(), text.size()); }

cache::FileRecord left_out_record(const ScannedEntry& scanned) {
  cache::FileRecord record;
  record.file.path = scanned.path;
  record.file.size = scanned.size;
  record.file.mtime_ns = scanned.mtime_ns;
  record.file.left_out = reason(scanned.left_out);
  return record;
}

std::optional<cache::ManifestRow> FileAnalyser::manifest_of(const std::string& path,
                                                            std::string_view text) const {
  const ManifestFormat* format = manifest_format(path);
  if (format == nullptr) return std::nullopt;
  std::optional<cache::ManifestRow> manifest = read_manifest(*format, text);
  if (!manifest) return std::nullopt;
  for (const std::string_view lock : format->locks) {
    if (lock.empty()) break;
    for (std::string_view folder = folder_of(path);; folder = folder_of(folder)) {
      if (const Result<std::string> locked = read_file(root_ / folder / lock, kMaxLockBytes)) {
        resolve_versions(*manifest, read_lock(lock, *locked));
        return manifest;
      }
      if (folder.empty()) break;
    }
  }
  return manifest;
}

Result<cache::FileRecord> FileAnalyser::analyse(const ScannedEntry& scanned, std::string_view text,
                                                const ImportResolver& resolver, std::stop_token stop) {
  cache::FileRecord record = left_out_record(scanned);
  record.file.hash = content_hash(text);
  record.file.size = text.size();
  record.file.left_out = reason(left_out_content(text, scanned.path));
  if (!record.file.left_out.empty()) return record;
  const Language* language = language_of(scanned.path, text);
  if (language != nullptr) {
    record.file.language = language->id;
    Result<std::optional<Outline>> outline = outliner_.outline(*language, text, kParseLimit, std::move(stop));
    if (!outline) return outline.error();
    if (!*outline) {
      record.file.left_out = reason(LeftOut::kParserGaveUp);
      return record;
    }
    record.symbols = std::move((*outline)->symbols);
    record.imports = resolver.resolve(language->imports, scanned.path, std::move((*outline)->imports));
  }
  record.manifest = manifest_of(scanned.path, text);
  record.words = identifier_words(text);
  return record;
}

}  // namespace hearth::indexer
