// What the store keeps, as values. Paths are relative to the workspace's root, with '/' between folders,
// and may hold any bytes; offsets are bytes, lines count from 0.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hearth::cache {

struct FileRow {
  std::string path;
  std::string language;  // empty: none that is known
  std::uint64_t size = 0;
  std::int64_t mtime_ns = 0;
  std::uint64_t hash = 0;
  std::string left_out;  // why nothing of the content is kept; empty: it is
};

struct SymbolRow {
  std::string name;
  std::string kind;
  std::string container;  // enclosing symbols, outermost first, with dots between
  std::string signature;
  std::string documentation;  // the first line
  bool is_public = false;
  std::uint32_t start_byte = 0, end_byte = 0;
  std::uint32_t start_line = 0, end_line = 0;  // the last line is included

  bool operator==(const SymbolRow&) const = default;
};

struct ImportRow {
  std::string module;  // as the source spells it
  std::string names;   // imported from it, with blanks between
  std::uint32_t line = 0;
  std::optional<std::string> target;  // the workspace's file that it means

  bool operator==(const ImportRow&) const = default;
};

struct DependencyRow {
  std::string name;
  std::string wanted;    // the version range as the manifest spells it
  std::string resolved;  // the one version that is used, where it is known
  std::string scope;     // empty, or the group: dev, test, build, optional ...

  bool operator==(const DependencyRow&) const = default;
};

struct ManifestRow {
  std::string ecosystem;
  std::string name;  // of the project that it describes
  std::string version;
  std::vector<DependencyRow> dependencies;

  bool operator==(const ManifestRow&) const = default;
};

// All that is kept of one file. A file that is left out has only its row.
struct FileRecord {
  FileRow file;
  std::vector<SymbolRow> symbols;
  std::vector<ImportRow> imports;
  std::optional<ManifestRow> manifest;
  std::string words;  // identifiers and their parts, with blanks between
};

}  // namespace hearth::cache
