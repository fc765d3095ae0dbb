#include "cache/kv_store.h"

#include <array>
#include <cstring>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace hearth::cache {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 1> kMigrations = {R"sql(
  CREATE TABLE pages(
    id INTEGER PRIMARY KEY,
    key BLOB NOT NULL UNIQUE,
    depth INTEGER NOT NULL,    -- pages before it in its prompt
    size INTEGER NOT NULL,     -- of its bytes
    checksum INTEGER NOT NULL, -- XXH3 of them
    workspace TEXT NOT NULL,   -- the root that its text is from
    used_at INTEGER NOT NULL   -- seconds since the epoch
  );
  CREATE INDEX pages_used ON pages(used_at, depth DESC);
  CREATE INDEX pages_workspace ON pages(workspace);

  -- Apart from the rest, which changes whenever a page is used.
  CREATE TABLE contents(
    page INTEGER PRIMARY KEY REFERENCES pages(id),
    bytes BLOB NOT NULL
  );
)sql"};

// Removed pages return to the system, of which forgetting makes use.
constexpr StoreForm kForm{kMigrations, "PRAGMA auto_vacuum = INCREMENTAL"};

constexpr const char* kTrim = "PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE)";

std::span<const std::byte> blob(const KvKey& key) { return std::as_bytes(std::span(&key, 1)); }

std::int64_t checksum(std::span<const std::byte> bytes) {
  return static_cast<std::int64_t>(XXH3_64bits(bytes.data(), bytes.size()));
}

}  // namespace

std::optional<fs::path> kv_store_path(const std::optional<std::string>& xdg_cache_home,
                                      const std::optional<std::string>& home) {
  const auto stores = stores_folder(xdg_cache_home, home);
  if (!stores) return std::nullopt;
  return stores->parent_path() / "kv" / "kv.db";
}

Result<PreparedStore> prepare_kv_store(const fs::path& path) { return prepare_store(path, kForm); }

Result<bool> forget_kv(const fs::path& path, const std::string& workspace) {
  if (::access(path.c_str(), F_OK) != 0) return false;
  if (const auto prepared = prepare_kv_store(path); !prepared) return prepared.error();
  Result<Database> database = Database::open(path, Database::Mode::kReadWrite);
  if (!database) return database.error();
  bool found = false;
  {
    Result<Transaction> transaction = Transaction::begin(*database);
    if (!transaction) return transaction.error();
    const Result<void> contents = database->run(
        "DELETE FROM contents WHERE page IN (SELECT id FROM pages WHERE workspace = ?)", workspace);
    if (!contents) return contents.error();
    const Result<void> pages = database->run("DELETE FROM pages WHERE workspace = ?", workspace);
    if (!pages) return pages.error();
    found = database->changed_rows() > 0;
    if (const Result<void> done = transaction->commit(); !done) return done.error();
  }
  if (const Result<void> trimmed = database->execute(kTrim); !trimmed) return trimmed.error();
  return found;
}

Result<KvReader> KvReader::open(const fs::path& path) {
  Result<Database> database = open_to_read(path, kForm, std::chrono::milliseconds(0));
  if (!database) return database.error();
  return KvReader(std::move(*database));
}

Result<bool> KvReader::holds(const KvKey& key) {
  const Result<std::int64_t> id = database_.integer("SELECT id FROM pages WHERE key = ?", blob(key));
  if (!id) return id.error();
  return *id != 0;
}

Result<KvReader::Found> KvReader::read(const KvKey& key, std::span<std::byte> out) {
  const Result<Statement*> statement = database_.statement(
      "SELECT contents.bytes, pages.checksum FROM pages JOIN contents ON contents.page = pages.id "
      "WHERE pages.key = ?");
  if (!statement) return statement.error();
  Statement& row = **statement;
  row.bind(blob(key));
  const Result<bool> found = row.step();
  if (!found) return found.error();
  if (!*found) return Found::kNothing;
  const std::span<const std::byte> bytes = row.blob(0);
  const bool whole = bytes.size() == out.size() && checksum(bytes) == row.integer(1);
  if (whole) std::memcpy(out.data(), bytes.data(), bytes.size());
  row.reset();
  return whole ? Found::kPage : Found::kBroken;
}

Result<KvWriter> KvWriter::open(const fs::path& path, KvWriterOptions options) {
  // What takes long to write, or is lost in a power cut, can be computed again.
  Result<Database> database = Database::open(path, Database::Mode::kReadWrite, std::chrono::seconds(1));
  if (!database) return database.error();
  const Result<void> set = database->execute("PRAGMA synchronous = NORMAL");
  if (!set) return set.error();
  KvWriter writer(std::move(*database), std::move(options));
  if (const Result<void> fits = writer.write([&] { return writer.make_room(0); }); !fits) return fits.error();
  return writer;
}

Result<void> KvWriter::write(const std::function<Result<void>()>& body) {
  if (stopped_) return *stopped_;
  const auto attempt = [&]() -> Result<void> {
    Result<Transaction> transaction = Transaction::begin(database_);
    if (!transaction) return transaction.error();
    if (const Result<void> done = body(); !done) return done.error();
    return transaction->commit();
  };
  const Result<void> outcome = attempt();
  if (!outcome && outcome.error().code != ErrorCode::kBusy) stopped_ = outcome.error();
  return outcome;
}

Result<void> KvWriter::put(std::span<const KvPage> pages, const std::string& workspace) {
  std::uint64_t bytes = 0;
  for (const KvPage& page : pages) bytes += page.bytes.size();
  if (pages.empty() || bytes > options_.limit_bytes) return {};
  return write([&]() -> Result<void> {
    if (const Result<void> room = make_room(bytes); !room) return room.error();
    for (const KvPage& page : pages) {
      const Result<std::int64_t> old =
          database_.integer("SELECT id FROM pages WHERE key = ?", blob(page.key));
      if (!old) return old.error();
      if (*old != 0) {
        if (const Result<void> removed = remove_row(*old); !removed) return removed.error();
      }
      const Result<void> row = database_.run(
          "INSERT INTO pages(key, depth, size, checksum, workspace, used_at) VALUES(?, ?, ?, ?, ?, ?)",
          blob(page.key), page.depth, page.bytes.size(), checksum(page.bytes), workspace, seconds());
      if (!row) return row.error();
      const Result<void> content = database_.run("INSERT INTO contents(page, bytes) VALUES(?, ?)",
                                                 database_.last_insert_id(), page.bytes);
      if (!content) return content.error();
    }
    return {};
  });
}

Result<void> KvWriter::use(std::span<const KvKey> keys) {
  if (keys.empty()) return {};
  return write([&]() -> Result<void> {
    for (const KvKey& key : keys) {
      const Result<void> used =
          database_.run("UPDATE pages SET used_at = ? WHERE key = ?", seconds(), blob(key));
      if (!used) return used.error();
    }
    return {};
  });
}

Result<void> KvWriter::remove(const KvKey& key) {
  return write([&]() -> Result<void> {
    const Result<std::int64_t> id = database_.integer("SELECT id FROM pages WHERE key = ?", blob(key));
    if (!id) return id.error();
    return remove_row(*id);
  });
}

Result<void> KvWriter::remove_row(std::int64_t id) {
  if (const Result<void> done = database_.run("DELETE FROM contents WHERE page = ?", id); !done)
    return done.error();
  return database_.run("DELETE FROM pages WHERE id = ?", id);
}

Result<void> KvWriter::make_room(std::uint64_t bytes) {
  const Result<std::int64_t> held = database_.integer("SELECT coalesce(sum(size), 0) FROM pages");
  if (!held) return held.error();
  auto total = static_cast<std::uint64_t>(*held);
  while (total + bytes > options_.limit_bytes) {
    const Result<std::int64_t> oldest =
        database_.integer("SELECT id FROM pages ORDER BY used_at, depth DESC LIMIT 1");
    if (!oldest) return oldest.error();
    if (*oldest == 0) return {};
    const Result<std::int64_t> size = database_.integer("SELECT size FROM pages WHERE id = ?", *oldest);
    if (!size) return size.error();
    if (const Result<void> removed = remove_row(*oldest); !removed) return removed.error();
    total -= static_cast<std::uint64_t>(*size);
  }
  return {};
}

}  // namespace hearth::cache
