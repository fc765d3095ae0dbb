#include "cache/store_reader.h"

#include <cctype>

#include "cache/schema.h"

namespace hearth::cache {
namespace {

bool is_word_byte(char c) {
  return c == '_' || c == '$' || std::isalnum(static_cast<unsigned char>(c)) != 0 || (c & 0x80) != 0;
}

// An FTS5 query for any of the words that are in the texts, split as its tokenizer splits.
std::string any_of(const std::vector<std::string>& texts) {
  std::string query;
  for (const std::string& text : texts) {
    for (std::size_t at = 0; at < text.size();) {
      std::size_t end = at;
      while (end < text.size() && is_word_byte(text[end])) ++end;
      if (end > at) query += (query.empty() ? "\"" : " OR \"") + text.substr(at, end - at) + '"';
      at = end + 1;
    }
  }
  return query;
}

std::string lower_case(std::string_view word) {
  std::string lower{word};
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

SymbolRow symbol_at(const Statement& row, int column) {
  SymbolRow symbol;
  symbol.name = row.text(column);
  symbol.kind = row.text(column + 1);
  symbol.container = row.text(column + 2);
  symbol.signature = row.text(column + 3);
  symbol.documentation = row.text(column + 4);
  symbol.is_public = row.integer(column + 5) != 0;
  symbol.start_byte = static_cast<std::uint32_t>(row.integer(column + 6));
  symbol.end_byte = static_cast<std::uint32_t>(row.integer(column + 7));
  symbol.start_line = static_cast<std::uint32_t>(row.integer(column + 8));
  symbol.end_line = static_cast<std::uint32_t>(row.integer(column + 9));
  return symbol;
}

FoundSymbol found_symbol(const Statement& row) { return {row.text(0), symbol_at(row, 1)}; }

FileRow file_at(const Statement& row) {
  FileRow file;
  file.path = row.text(0);
  file.language = row.text(1);
  file.size = static_cast<std::uint64_t>(row.integer(2));
  file.mtime_ns = row.integer(3);
  file.hash = static_cast<std::uint64_t>(row.integer(4));
  file.left_out = row.text(5);
  return file;
}

std::string first_text(const Statement& row) { return row.text(0); }

}  // namespace

template <class Visit, class... Values>
Result<void> StoreReader::each(std::string_view literal, const Visit& visit, const Values&... values) {
  const Result<Statement*> statement = database_.statement(literal);
  if (!statement) return statement.error();
  (*statement)->bind(values...);
  while (true) {
    const Result<bool> row = (*statement)->step();
    if (!row) return row.error();
    if (!*row) return {};
    if (!visit(**statement)) break;
  }
  (*statement)->reset();
  return {};
}

template <class Row, class Make, class... Values>
Result<std::vector<Row>> StoreReader::all(std::string_view literal, const Make& make,
                                          const Values&... values) {
  std::vector<Row> found;
  const auto keep = [&](const Statement& row) {
    found.push_back(make(row));
    return true;
  };
  if (const Result<void> done = each(literal, keep, values...); !done) return done.error();
  return found;
}

template <class Row, class Make, class... Values>
Result<std::optional<Row>> StoreReader::first(std::string_view literal, const Make& make,
                                              const Values&... values) {
  std::optional<Row> found;
  const auto keep = [&](const Statement& row) {
    found = make(row);
    return false;
  };
  if (const Result<void> done = each(literal, keep, values...); !done) return done.error();
  return found;
}

Result<StoreReader> StoreReader::open(const std::filesystem::path& path) {
  Result<Database> database = open_to_read(path);
  if (!database) return database.error();
  return StoreReader(std::move(*database));
}

Result<void> StoreReader::each_file(const std::function<bool(const FileRow&)>& visit) {
  return each("SELECT path, language, size, mtime_ns, hash, left_out FROM files ORDER BY path",
              [&](const Statement& row) { return visit(file_at(row)); });
}

Result<std::optional<FileRow>> StoreReader::file(std::string_view path) {
  return first<FileRow>("SELECT path, language, size, mtime_ns, hash, left_out FROM files WHERE path = ?",
                        file_at, path);
}

Result<std::vector<SymbolRow>> StoreReader::symbols(std::string_view path) {
  return all<SymbolRow>(
      "SELECT name, kind, container, signature, documentation, public, start_byte, end_byte, start_line, "
      "end_line FROM symbols WHERE file = (SELECT id FROM files WHERE path = ?) ORDER BY place",
      [](const Statement& row) { return symbol_at(row, 0); }, path);
}

Result<std::vector<ImportRow>> StoreReader::imports(std::string_view path) {
  return all<ImportRow>(
      "SELECT module, names, line, target FROM imports WHERE file = (SELECT id FROM files WHERE path = ?) "
      "ORDER BY place",
      [](const Statement& row) {
        ImportRow import{row.text(0), row.text(1), static_cast<std::uint32_t>(row.integer(2)), std::nullopt};
        if (!row.is_null(3)) import.target = row.text(3);
        return import;
      },
      path);
}

Result<std::optional<ManifestRow>> StoreReader::manifest(std::string_view path) {
  Result<std::optional<ManifestRow>> found = first<ManifestRow>(
      "SELECT ecosystem, name, version FROM manifests WHERE file = (SELECT id FROM files WHERE path = ?)",
      [](const Statement& row) {
        return ManifestRow{row.text(0), row.text(1), row.text(2), {}};
      },
      path);
  if (!found || !*found) return found;
  auto dependencies = all<DependencyRow>(
      "SELECT name, wanted, resolved, scope FROM dependencies "
      "WHERE file = (SELECT id FROM files WHERE path = ?) ORDER BY place",
      [](const Statement& row) {
        return DependencyRow{row.text(0), row.text(1), row.text(2), row.text(3)};
      },
      path);
  if (!dependencies) return dependencies.error();
  (*found)->dependencies = std::move(*dependencies);
  return found;
}

Result<std::string> StoreReader::words(std::string_view path) {
  const Result<std::optional<std::string>> found = first<std::string>(
      "SELECT text FROM words WHERE rowid = (SELECT id FROM files WHERE path = ?)", first_text, path);
  if (!found) return found.error();
  return found->value_or("");
}

Result<std::vector<FoundSymbol>> StoreReader::symbols_named(std::string_view name, int limit) {
  return all<FoundSymbol>(
      "SELECT files.path, name, kind, container, signature, documentation, public, start_byte, end_byte, "
      "start_line, end_line FROM symbols JOIN files ON files.id = symbols.file WHERE name = ? "
      "ORDER BY symbols.file, place LIMIT ?",
      found_symbol, name, limit);
}

Result<std::vector<FoundSymbol>> StoreReader::symbols_beginning(std::string_view with, int limit) {
  const std::string behind_all = std::string(with) + '\xff';  // no UTF-8 text has that byte
  return all<FoundSymbol>(
      "SELECT files.path, name, kind, container, signature, documentation, public, start_byte, end_byte, "
      "start_line, end_line FROM symbols JOIN files ON files.id = symbols.file WHERE name >= ? AND name < ? "
      "ORDER BY name, symbols.file, place LIMIT ?",
      found_symbol, with, behind_all, limit);
}

Result<std::vector<std::string>> StoreReader::importers(std::string_view path) {
  return all<std::string>(
      "SELECT DISTINCT files.path FROM imports JOIN files ON files.id = imports.file WHERE target = ? "
      "ORDER BY files.path",
      first_text, path);
}

Result<std::vector<std::string>> StoreReader::manifest_paths() {
  return all<std::string>("SELECT path FROM manifests JOIN files ON files.id = manifests.file ORDER BY path",
                          first_text);
}

Result<std::vector<FoundFile>> StoreReader::files_with_words(const std::vector<std::string>& any, int limit) {
  const std::string query = any_of(any);
  if (query.empty()) return std::vector<FoundFile>{};
  return all<FoundFile>(
      "SELECT files.path, -bm25(words) FROM words JOIN files ON files.id = words.rowid "
      "WHERE words MATCH ? ORDER BY bm25(words), files.path LIMIT ?",
      [](const Statement& row) {
        return FoundFile{row.text(0), row.real(1)};
      },
      query, limit);
}

Result<std::int64_t> StoreReader::files_with_word(std::string_view word) {
  return database_.integer("SELECT doc FROM word_counts WHERE term = ?", lower_case(word));
}

Result<std::vector<std::string>> StoreReader::integrity() {
  std::vector<std::string> problems;
  const Result<void> done = each("PRAGMA quick_check", [&](const Statement& row) {
    if (row.text(0) != "ok") problems.push_back(row.text(0));
    return true;
  });
  if (!done) return done.error();
  return problems;
}

Result<std::int64_t> StoreReader::generation() { return database_.integer("PRAGMA data_version"); }

Result<StoreCounts> StoreReader::counts() {
  const Result<std::optional<StoreCounts>> counts = first<StoreCounts>(
      "SELECT (SELECT count(*) FROM files), (SELECT count(*) FROM files WHERE left_out IS NOT NULL), "
      "(SELECT count(*) FROM symbols), (SELECT count(*) FROM imports)",
      [](const Statement& row) {
        return StoreCounts{row.integer(0), row.integer(1), row.integer(2), row.integer(3)};
      });
  if (!counts) return counts.error();
  return counts->value();
}

}  // namespace hearth::cache
