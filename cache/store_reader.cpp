#include "cache/store_reader.h"

#include <cctype>
#include <fcntl.h>
#include <unistd.h>

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

Result<StoreReader> StoreReader::open(const std::filesystem::path& path) {
  if (::access(path.c_str(), R_OK) != 0)
    return Error{ErrorCode::kUnreadable, path.string() + ": there is no store that can be read"};
  Result<Database> database = Database::open(path, Database::Mode::kReadOnly);
  if (!database) return database.error();
  Result<std::int64_t> version = database->integer("PRAGMA user_version");
  if (!version && version.error().code == ErrorCode::kUnreadable) {
    // The log's index could not be made beside the file, so nobody writes here either.
    database = Database::open(path, Database::Mode::kImmutable);
    if (!database) return database.error();
    version = database->integer("PRAGMA user_version");
  }
  if (!version) return version.error();
  const auto newest = static_cast<std::int64_t>(migrations().size());
  if (*version > newest)
    return Error{ErrorCode::kNewer, path.string() + ": written by a later version of hearth"};
  if (*version < newest)
    return Error{ErrorCode::kInvalid, path.string() + ": of an earlier version, not yet brought up to date"};
  return StoreReader(std::move(*database));
}

Result<void> StoreReader::each_file(const std::function<bool(const FileRow&)>& visit) {
  return each("SELECT path, language, size, mtime_ns, hash, left_out FROM files ORDER BY path",
              [&](const Statement& row) { return visit(file_at(row)); });
}

Result<std::optional<FileRow>> StoreReader::file(std::string_view path) {
  std::optional<FileRow> found;
  const Result<void> done = each(
      "SELECT path, language, size, mtime_ns, hash, left_out FROM files WHERE path = ?",
      [&](const Statement& row) {
        found = file_at(row);
        return true;
      },
      path);
  if (!done) return done.error();
  return found;
}

Result<std::vector<SymbolRow>> StoreReader::symbols(std::string_view path) {
  std::vector<SymbolRow> found;
  const Result<void> done = each(
      "SELECT name, kind, container, signature, documentation, public, start_byte, end_byte, start_line, "
      "end_line FROM symbols WHERE file = (SELECT id FROM files WHERE path = ?) ORDER BY place",
      [&](const Statement& row) {
        found.push_back(symbol_at(row, 0));
        return true;
      },
      path);
  if (!done) return done.error();
  return found;
}

Result<std::vector<ImportRow>> StoreReader::imports(std::string_view path) {
  std::vector<ImportRow> found;
  const Result<void> done = each(
      "SELECT module, names, line, target FROM imports WHERE file = (SELECT id FROM files WHERE path = ?) "
      "ORDER BY place",
      [&](const Statement& row) {
        ImportRow import{row.text(0), row.text(1), static_cast<std::uint32_t>(row.integer(2)), std::nullopt};
        if (!row.is_null(3)) import.target = row.text(3);
        found.push_back(std::move(import));
        return true;
      },
      path);
  if (!done) return done.error();
  return found;
}

Result<std::vector<ChunkRow>> StoreReader::chunks(std::string_view path) {
  std::vector<ChunkRow> found;
  const Result<void> done = each(
      "SELECT start_byte, end_byte, start_line, end_line, hash FROM chunks "
      "WHERE file = (SELECT id FROM files WHERE path = ?) ORDER BY place",
      [&](const Statement& row) {
        const auto small = [&](int column) { return static_cast<std::uint32_t>(row.integer(column)); };
        found.push_back({small(0), small(1), small(2), small(3), static_cast<std::uint64_t>(row.integer(4))});
        return true;
      },
      path);
  if (!done) return done.error();
  return found;
}

Result<std::optional<ManifestRow>> StoreReader::manifest(std::string_view path) {
  std::optional<ManifestRow> found;
  const Result<void> head = each(
      "SELECT ecosystem, name, version FROM manifests WHERE file = (SELECT id FROM files WHERE path = ?)",
      [&](const Statement& row) {
        found = ManifestRow{row.text(0), row.text(1), row.text(2), {}};
        return true;
      },
      path);
  if (!head) return head.error();
  if (!found) return found;
  const Result<void> done = each(
      "SELECT name, wanted, resolved, scope FROM dependencies "
      "WHERE file = (SELECT id FROM files WHERE path = ?) ORDER BY place",
      [&](const Statement& row) {
        found->dependencies.push_back({row.text(0), row.text(1), row.text(2), row.text(3)});
        return true;
      },
      path);
  if (!done) return done.error();
  return found;
}

Result<std::optional<std::string>> StoreReader::summary(std::string_view path, std::string_view variant) {
  std::optional<std::string> found;
  const Result<void> done = each(
      "SELECT text FROM summaries WHERE file = (SELECT id FROM files WHERE path = ?) AND variant = ?",
      [&](const Statement& row) {
        found = row.text(0);
        return true;
      },
      path, variant);
  if (!done) return done.error();
  return found;
}

Result<std::string> StoreReader::words(std::string_view path) {
  std::string found;
  const Result<void> done = each(
      "SELECT text FROM words WHERE rowid = (SELECT id FROM files WHERE path = ?)",
      [&](const Statement& row) {
        found = row.text(0);
        return true;
      },
      path);
  if (!done) return done.error();
  return found;
}

Result<std::vector<FoundSymbol>> StoreReader::symbols_named(std::string_view name, int limit) {
  std::vector<FoundSymbol> found;
  const Result<void> done = each(
      "SELECT files.path, name, kind, container, signature, documentation, public, start_byte, end_byte, "
      "start_line, end_line FROM symbols JOIN files ON files.id = symbols.file WHERE name = ? "
      "ORDER BY symbols.file, place LIMIT ?",
      [&](const Statement& row) {
        found.push_back({row.text(0), symbol_at(row, 1)});
        return true;
      },
      name, limit);
  if (!done) return done.error();
  return found;
}

Result<std::vector<std::string>> StoreReader::importers(std::string_view path) {
  std::vector<std::string> found;
  const Result<void> done = each(
      "SELECT DISTINCT files.path FROM imports JOIN files ON files.id = imports.file WHERE target = ? "
      "ORDER BY files.path",
      [&](const Statement& row) {
        found.push_back(row.text(0));
        return true;
      },
      path);
  if (!done) return done.error();
  return found;
}

Result<std::vector<std::string>> StoreReader::manifest_paths() {
  std::vector<std::string> found;
  const Result<void> done =
      each("SELECT path FROM manifests JOIN files ON files.id = manifests.file ORDER BY path",
           [&](const Statement& row) {
             found.push_back(row.text(0));
             return true;
           });
  if (!done) return done.error();
  return found;
}

Result<std::vector<FoundFile>> StoreReader::files_with_words(const std::vector<std::string>& any, int limit) {
  std::vector<FoundFile> found;
  const std::string query = any_of(any);
  if (query.empty()) return found;
  const Result<void> done = each(
      "SELECT files.path, -bm25(words) FROM words JOIN files ON files.id = words.rowid "
      "WHERE words MATCH ? ORDER BY bm25(words), files.path LIMIT ?",
      [&](const Statement& row) {
        found.push_back({row.text(0), row.real(1)});
        return true;
      },
      query, limit);
  if (!done) return done.error();
  return found;
}

Result<std::int64_t> StoreReader::files_with_word(std::string_view word) {
  return database_.integer("SELECT doc FROM word_counts WHERE term = ?", lower_case(word));
}

Result<StoreCounts> StoreReader::counts() {
  StoreCounts counts;
  const Result<void> done = each(
      "SELECT (SELECT count(*) FROM files), (SELECT count(*) FROM files WHERE left_out IS NOT NULL), "
      "(SELECT count(*) FROM symbols), (SELECT count(*) FROM imports), (SELECT count(*) FROM chunks)",
      [&](const Statement& row) {
        counts = {row.integer(0), row.integer(1), row.integer(2), row.integer(3), row.integer(4)};
        return true;
      });
  if (!done) return done.error();
  return counts;
}

}  // namespace hearth::cache
