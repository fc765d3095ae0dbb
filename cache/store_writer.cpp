#include "cache/store_writer.h"

#include <utility>
#include <vector>

#include "cache/lease.h"

namespace hearth::cache {
namespace {

constexpr const char* kEvicted = "over the store's size limit";

// What a connection that writes is set to. `secure_delete` would write every freed page once more; losing
// the last seconds at a power cut costs only indexing them again.
constexpr const char* kSettings =
    "PRAGMA foreign_keys = ON; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = OFF; "
    "PRAGMA cache_size = -16000; PRAGMA wal_autocheckpoint = 2000; PRAGMA journal_size_limit = 67108864";

}  // namespace

StoreWriter::StoreWriter(Database database, WriterOptions options)
    : database_(std::make_unique<Database>(std::move(database))), options_(std::move(options)) {}

StoreWriter::~StoreWriter() {
  if (!database_) return;
  static_cast<void>(release_lease(*database_, options_.owner));
  // A short log is read faster, and on a disk that becomes read-only everything is in the file.
  static_cast<void>(database_->execute("PRAGMA wal_checkpoint(TRUNCATE)"));
}

Result<StoreWriter> StoreWriter::open(const std::filesystem::path& path, WriterOptions options) {
  Result<Database> database = Database::open(path, Database::Mode::kReadWrite, options.patience);
  if (!database) return database.error();
  if (const Result<void> set = database->execute(kSettings); !set) return set.error();
  Result<Transaction> transaction = Transaction::begin(*database);
  if (!transaction) return transaction.error();
  if (const Result<void> taken = take_lease(*database, options.owner, options.now()); !taken)
    return taken.error();
  if (const Result<void> committed = transaction->commit(); !committed) return committed.error();
  return StoreWriter(std::move(*database), std::move(options));
}

Result<void> StoreWriter::write(const std::function<Result<void>()>& body) {
  if (stopped_) return *stopped_;
  bool ours = true;
  const auto attempt = [&]() -> Result<void> {
    Result<Transaction> transaction = Transaction::begin(*database_);
    if (!transaction) return transaction.error();
    const Result<void> renewed = renew_lease(*database_, options_.owner, options_.now());
    ours = renewed.has_value();
    if (!renewed) return renewed.error();
    if (const Result<void> done = body(); !done) return done.error();
    return transaction->commit();
  };
  const Result<void> outcome = attempt();
  const bool locked = !outcome && ours && outcome.error().code == ErrorCode::kBusy;
  if (!outcome && !locked) stopped_ = outcome.error();
  return outcome;
}

std::int64_t StoreWriter::seconds() const { return options_.now().time_since_epoch().count(); }

Result<std::int64_t> StoreWriter::id_of(const std::string& path) {
  return database_->integer("SELECT id FROM files WHERE path = ?", path);
}

Result<void> StoreWriter::clear(std::int64_t file) {
  constexpr std::string_view kDeletes[] = {
      "DELETE FROM symbols WHERE file = ?",
      "DELETE FROM imports WHERE file = ?",
      "DELETE FROM manifests WHERE file = ?",
      "DELETE FROM words WHERE rowid = ?",
  };
  for (const std::string_view sql : kDeletes) {
    if (const Result<void> done = database_->run(sql, file); !done) return done.error();
  }
  return {};
}

Result<void> StoreWriter::put_imports_of(std::int64_t file, std::span<const ImportRow> imports) {
  std::int64_t place = 0;
  for (const ImportRow& import : imports) {
    const Result<void> done = database_->run("INSERT INTO imports VALUES(?,?,?,?,?,?)", file, place++,
                                             import.module, import.names, import.line, import.target);
    if (!done) return done.error();
  }
  return {};
}

Result<void> StoreWriter::put_content(std::int64_t file, const FileRecord& record) {
  std::int64_t place = 0;
  for (const SymbolRow& symbol : record.symbols) {
    const Result<void> done = database_->run(
        "INSERT INTO symbols VALUES(?,?,?,?,?,?,?,?,?,?,?,?)", file, place++, symbol.name, symbol.kind,
        symbol.container, symbol.signature, symbol.documentation, symbol.is_public, symbol.start_byte,
        symbol.end_byte, symbol.start_line, symbol.end_line);
    if (!done) return done.error();
  }
  if (const Result<void> done = put_imports_of(file, record.imports); !done) return done.error();
  if (record.manifest) {
    const ManifestRow& manifest = *record.manifest;
    const Result<void> made = database_->run("INSERT INTO manifests VALUES(?,?,?,?)", file,
                                             manifest.ecosystem, manifest.name, manifest.version);
    if (!made) return made.error();
    place = 0;
    for (const DependencyRow& dependency : manifest.dependencies) {
      const Result<void> done =
          database_->run("INSERT INTO dependencies VALUES(?,?,?,?,?,?)", file, place++, dependency.name,
                         dependency.wanted, dependency.resolved, dependency.scope);
      if (!done) return done.error();
    }
  }
  if (record.words.empty()) return {};
  return database_->run("INSERT INTO words(rowid, text) VALUES(?,?)", file, record.words);
}

Result<void> StoreWriter::put_one(const FileRecord& record) {
  const FileRow& file = record.file;
  const std::optional<std::string> left_out =
      file.left_out.empty() ? std::nullopt : std::optional(file.left_out);
  const auto hash = static_cast<std::int64_t>(file.hash);
  Result<std::int64_t> id = id_of(file.path);
  if (!id) return id.error();
  if (*id != 0) {
    if (const Result<void> cleared = clear(*id); !cleared) return cleared.error();
    const Result<void> updated = database_->run(
        "UPDATE files SET language=?, size=?, mtime_ns=?, hash=?, left_out=?, used_at=? WHERE id=?",
        file.language, file.size, file.mtime_ns, hash, left_out, seconds(), *id);
    if (!updated) return updated.error();
  } else {
    const Result<void> inserted = database_->run(
        "INSERT INTO files(path, language, size, mtime_ns, hash, left_out, used_at) VALUES(?,?,?,?,?,?,?)",
        file.path, file.language, file.size, file.mtime_ns, hash, left_out, seconds());
    if (!inserted) return inserted.error();
    id = database_->last_insert_id();
  }
  if (left_out) return {};
  return put_content(*id, record);
}

Result<void> StoreWriter::put(std::span<const FileRecord> records) {
  return write([&]() -> Result<void> {
    for (const FileRecord& record : records) {
      if (const Result<void> done = put_one(record); !done) return done.error();
    }
    return {};
  });
}

Result<void> StoreWriter::touch(std::span<const FileRow> files) {
  return write([&]() -> Result<void> {
    for (const FileRow& file : files) {
      const Result<void> done = database_->run("UPDATE files SET size=?, mtime_ns=? WHERE path=?", file.size,
                                               file.mtime_ns, file.path);
      if (!done) return done.error();
    }
    return {};
  });
}

Result<void> StoreWriter::remove(std::span<const std::string> paths) {
  return write([&]() -> Result<void> {
    for (const std::string& path : paths) {
      const Result<std::int64_t> id = id_of(path);
      if (!id) return id.error();
      if (*id == 0) continue;
      if (const Result<void> cleared = clear(*id); !cleared) return cleared.error();
      if (const Result<void> done = database_->run("DELETE FROM files WHERE id = ?", *id); !done)
        return done.error();
    }
    return {};
  });
}

Result<void> StoreWriter::put_imports(const std::string& path, std::span<const ImportRow> imports) {
  return write([&]() -> Result<void> {
    const Result<std::int64_t> id = id_of(path);
    if (!id) return id.error();
    if (*id == 0) return Error{ErrorCode::kInvalid, path + ": not in the store"};
    if (const Result<void> done = database_->run("DELETE FROM imports WHERE file = ?", *id); !done)
      return done.error();
    return put_imports_of(*id, imports);
  });
}

Result<void> StoreWriter::use(std::span<const std::string> paths) {
  return write([&]() -> Result<void> {
    for (const std::string& path : paths) {
      const Result<void> done = database_->run("UPDATE files SET used_at=? WHERE path=?", seconds(), path);
      if (!done) return done.error();
    }
    return {};
  });
}

Result<std::uint64_t> StoreWriter::used_bytes() {
  const Result<std::int64_t> pages = database_->integer("PRAGMA page_count");
  if (!pages) return pages.error();
  const Result<std::int64_t> free = database_->integer("PRAGMA freelist_count");
  if (!free) return free.error();
  const Result<std::int64_t> size = database_->integer("PRAGMA page_size");
  if (!size) return size.error();
  return static_cast<std::uint64_t>((*pages - *free) * *size);
}

Result<std::vector<std::int64_t>> StoreWriter::least_recently_used(std::int64_t count) {
  const Result<Statement*> select =
      database_->statement("SELECT id FROM files WHERE left_out IS NULL ORDER BY used_at, id LIMIT ?");
  if (!select) return select.error();
  (*select)->bind(count);
  std::vector<std::int64_t> ids;
  while (true) {
    const Result<bool> row = (*select)->step();
    if (!row) return row.error();
    if (!*row) return ids;
    ids.push_back((*select)->integer(0));
  }
}

Result<std::int64_t> StoreWriter::evict() {
  std::int64_t evicted = 0;
  while (true) {
    const Result<std::uint64_t> used = used_bytes();
    if (!used) return used.error();
    if (*used <= options_.limit_bytes) return evicted;
    const Result<std::int64_t> kept = database_->integer("SELECT count(*) FROM files WHERE left_out IS NULL");
    if (!kept) return kept.error();
    if (*kept == 0) return evicted;
    const double excess = 1.0 - static_cast<double>(options_.limit_bytes) / static_cast<double>(*used);
    const auto count = static_cast<std::int64_t>(excess * static_cast<double>(*kept)) + 1;
    const Result<void> done = write([&]() -> Result<void> {
      const Result<std::vector<std::int64_t>> oldest = least_recently_used(count);
      if (!oldest) return oldest.error();
      for (const std::int64_t id : *oldest) {
        if (const Result<void> cleared = clear(id); !cleared) return cleared.error();
        const Result<void> said = database_->run("UPDATE files SET left_out=? WHERE id=?", kEvicted, id);
        if (!said) return said.error();
      }
      // FTS5 only notes what is deleted; its pages come free when its segments are merged.
      return database_->run("INSERT INTO words(words) VALUES('optimize')");
    });
    if (!done) return done.error();
    evicted += count;
  }
}

}  // namespace hearth::cache
