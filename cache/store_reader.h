// Reads a workspace's store while others read and one writes; never waits for the writer. Each call sees one
// state of the store. A reader belongs to one thread at a time; open one for each that needs it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cache/database.h"
#include "cache/rows.h"

namespace hearth::cache {

struct FoundSymbol {
  std::string path;
  SymbolRow symbol;
};

struct FoundFile {
  std::string path;
  double score = 0;  // more is better
};

struct StoreCounts {
  std::int64_t files = 0;  // with what is left out
  std::int64_t left_out = 0;
  std::int64_t symbols = 0;
  std::int64_t imports = 0;
};

class StoreReader {
 public:
  // kUnreadable when there is no store. kNewer when it is a later program's. On a read-only disk it is read
  // as it is.
  static Result<StoreReader> open(const std::filesystem::path& path);

  // In the order of paths; stops when `visit` says false.
  Result<void> each_file(const std::function<bool(const FileRow&)>& visit);
  Result<std::optional<FileRow>> file(std::string_view path);
  Result<std::vector<SymbolRow>> symbols(std::string_view path);
  Result<std::vector<ImportRow>> imports(std::string_view path);
  Result<std::optional<ManifestRow>> manifest(std::string_view path);
  Result<std::string> words(std::string_view path);

  Result<std::vector<FoundSymbol>> symbols_named(std::string_view name, int limit);
  // In the order of names.
  Result<std::vector<FoundSymbol>> symbols_beginning(std::string_view with, int limit);
  Result<std::vector<std::string>> importers(std::string_view path);  // files that import this one
  Result<std::vector<std::string>> manifest_paths();

  // Files that hold any of these words, best first (BM25). Words are as FileRecord::words has them.
  Result<std::vector<FoundFile>> files_with_words(const std::vector<std::string>& any, int limit);
  Result<std::int64_t> files_with_word(std::string_view word);  // how many

  Result<StoreCounts> counts();

  // What SQLite finds wrong with the file, a sentence each; empty: it is sound.
  Result<std::vector<std::string>> integrity();

  // Another number whenever somebody has written since.
  Result<std::int64_t> generation();

 private:
  explicit StoreReader(Database database) : database_(std::move(database)) {}

  // Visits rows while `visit` says true; the values of all of them; the value of the first one.
  template <class Visit, class... Values>
  Result<void> each(std::string_view literal, const Visit& visit, const Values&... values);
  template <class Row, class Make, class... Values>
  Result<std::vector<Row>> all(std::string_view literal, const Make& make, const Values&... values);
  template <class Row, class Make, class... Values>
  Result<std::optional<Row>> first(std::string_view literal, const Make& make, const Values&... values);

  Database database_;
};

}  // namespace hearth::cache
