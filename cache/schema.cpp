#include "cache/schema.h"

#include <array>
#include <string>
#include <unistd.h>

namespace hearth::cache {
namespace {

constexpr std::int64_t kApplicationId = 0x48727468;  // "Hrth"

constexpr std::array<std::string_view, 4> kMigrations = {R"sql(
  CREATE TABLE files(
    id INTEGER PRIMARY KEY,
    path TEXT NOT NULL UNIQUE,   -- from the workspace's root, any bytes
    language TEXT NOT NULL,      -- empty: none that is known
    size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL,
    hash INTEGER NOT NULL,       -- of the content
    left_out TEXT,               -- why nothing of the content is here; NULL: it is
    used_at INTEGER NOT NULL     -- seconds since the epoch
  );
  CREATE INDEX files_used ON files(used_at) WHERE left_out IS NULL;

  CREATE TABLE symbols(
    file INTEGER NOT NULL REFERENCES files(id) ON DELETE CASCADE,
    place INTEGER NOT NULL,      -- order in the file
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    container TEXT NOT NULL,     -- names of the enclosing symbols, outermost first, with dots between
    signature TEXT NOT NULL,
    documentation TEXT NOT NULL, -- the first line
    public INTEGER NOT NULL,
    start_byte INTEGER NOT NULL, end_byte INTEGER NOT NULL,
    start_line INTEGER NOT NULL, end_line INTEGER NOT NULL,
    PRIMARY KEY(file, place)
  ) WITHOUT ROWID;
  CREATE INDEX symbols_name ON symbols(name);

  CREATE TABLE imports(
    file INTEGER NOT NULL REFERENCES files(id) ON DELETE CASCADE,
    place INTEGER NOT NULL,
    module TEXT NOT NULL,        -- as the source spells it
    names TEXT NOT NULL,         -- imported from it, with blanks between
    line INTEGER NOT NULL,
    target TEXT,                 -- path of the workspace's file that it means
    PRIMARY KEY(file, place)
  ) WITHOUT ROWID;
  CREATE INDEX imports_target ON imports(target) WHERE target IS NOT NULL;

  CREATE TABLE chunks(
    file INTEGER NOT NULL REFERENCES files(id) ON DELETE CASCADE,
    place INTEGER NOT NULL,
    start_byte INTEGER NOT NULL, end_byte INTEGER NOT NULL,
    start_line INTEGER NOT NULL, end_line INTEGER NOT NULL,
    hash INTEGER NOT NULL,
    digest BLOB,
    PRIMARY KEY(file, place)
  ) WITHOUT ROWID;

  CREATE TABLE summaries(
    file INTEGER NOT NULL REFERENCES files(id) ON DELETE CASCADE,
    variant TEXT NOT NULL,       -- what the text depends on beside the file: tokenizer, budget, manifests
    text TEXT NOT NULL,
    PRIMARY KEY(file, variant)
  ) WITHOUT ROWID;

  CREATE TABLE manifests(
    file INTEGER PRIMARY KEY REFERENCES files(id) ON DELETE CASCADE,
    ecosystem TEXT NOT NULL,
    name TEXT NOT NULL,          -- of the project that it describes
    version TEXT NOT NULL
  );
  CREATE TABLE dependencies(
    file INTEGER NOT NULL REFERENCES manifests(file) ON DELETE CASCADE,
    place INTEGER NOT NULL,
    name TEXT NOT NULL,
    wanted TEXT NOT NULL,        -- the version range as the manifest spells it
    resolved TEXT NOT NULL,      -- the one version that is used, where it is known
    scope TEXT NOT NULL,         -- empty, or the group: dev, test, build, optional ...
    PRIMARY KEY(file, place)
  ) WITHOUT ROWID;

  CREATE TABLE lease(
    only INTEGER PRIMARY KEY CHECK(only = 1),
    owner TEXT NOT NULL,
    process INTEGER NOT NULL,
    renewed_at INTEGER NOT NULL
  );

  -- A row for each file with the same id: its distinct identifiers and their parts.
  CREATE VIRTUAL TABLE words USING fts5(text, detail = none, tokenize = "ascii tokenchars '_$'");
  CREATE VIRTUAL TABLE word_counts USING fts5vocab(words, row);
)sql",
                                                         R"sql(
  CREATE TABLE suggestions(      -- what became of them
    day INTEGER NOT NULL,        -- since the epoch
    language TEXT NOT NULL,
    shown INTEGER NOT NULL,
    accepted INTEGER NOT NULL,
    partly_accepted INTEGER NOT NULL,
    typed_through INTEGER NOT NULL,
    displaced INTEGER NOT NULL,
    characters INTEGER NOT NULL, -- that were accepted and so not typed
    PRIMARY KEY(day, language)
  ) WITHOUT ROWID;
  CREATE TABLE latencies(
    day INTEGER NOT NULL,
    language TEXT NOT NULL,
    step INTEGER NOT NULL,       -- of milliseconds, a sixth of an octave each
    answers INTEGER NOT NULL,
    PRIMARY KEY(day, language, step)
  ) WITHOUT ROWID;
)sql",
                                                         R"sql(
  CREATE TABLE plans(            -- where prompts' windows stood in documents
    path TEXT PRIMARY KEY,       -- from the workspace's root
    plan TEXT NOT NULL,
    used_at INTEGER NOT NULL     -- seconds since the epoch
  ) WITHOUT ROWID;
)sql",
                                                         R"sql(
  DROP TABLE chunks;             -- nothing reads them: a model's states find no related file (README.md)
  DROP TABLE summaries;          -- made when they are asked for
)sql"};

}  // namespace

StoreForm workspace_form() { return {kMigrations}; }

Result<void> migrate(Database& database, std::span<const std::string_view> steps) {
  const auto newest = static_cast<std::int64_t>(steps.size());
  Result<std::int64_t> version = database.integer("PRAGMA user_version");
  if (!version) return version.error();
  const Result<std::int64_t> application = database.integer("PRAGMA application_id");
  if (!application) return application.error();
  const std::string file = database.path().string();
  const bool other_program = *version != 0 && *application != kApplicationId;
  if (other_program || *version < 0) return Error{ErrorCode::kCorrupt, file + ": not a store of hearth"};
  if (*version > newest) {
    return Error{ErrorCode::kNewer, file + ": version " + std::to_string(*version) +
                                        " of the store, newer than " + std::to_string(newest) +
                                        ", the last that this hearth knows"};
  }
  if (*version == newest) return {};
  Result<Transaction> transaction = Transaction::begin(database);
  if (!transaction) return transaction.error();
  version = database.integer("PRAGMA user_version");  // another process may have been faster
  if (!version) return version.error();
  for (std::int64_t step = *version; step < newest; ++step) {
    const Result<void> done = database.execute(std::string(steps[static_cast<std::size_t>(step)]));
    if (!done) return done.error();
  }
  const std::string stamps = "PRAGMA user_version = " + std::to_string(newest) +
                             "; PRAGMA application_id = " + std::to_string(kApplicationId);
  if (const Result<void> stamped = database.execute(stamps); !stamped) return stamped.error();
  return transaction->commit();
}

Result<Database> open_to_read(const std::filesystem::path& path, const StoreForm& form,
                              std::chrono::milliseconds patience) {
  if (::access(path.c_str(), R_OK) != 0)
    return Error{ErrorCode::kUnreadable, path.string() + ": there is no store that can be read"};
  Result<Database> database = Database::open(path, Database::Mode::kReadOnly, patience);
  if (!database) return database.error();
  Result<std::int64_t> version = database->integer("PRAGMA user_version");
  if (!version && version.error().code == ErrorCode::kUnreadable) {
    // The log's index could not be made beside the file, so nobody writes here either.
    database = Database::open(path, Database::Mode::kImmutable, patience);
    if (!database) return database.error();
    version = database->integer("PRAGMA user_version");
  }
  if (!version) return version.error();
  const auto newest = static_cast<std::int64_t>(form.migrations.size());
  if (*version > newest)
    return Error{ErrorCode::kNewer, path.string() + ": written by a later version of hearth"};
  if (*version < newest)
    return Error{ErrorCode::kInvalid, path.string() + ": of an earlier version, not yet brought up to date"};
  return database;
}

}  // namespace hearth::cache
