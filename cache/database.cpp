#include "cache/database.h"

#include <cerrno>
#include <limits>
#include <sqlite3.h>

namespace hearth::cache {
namespace {

ErrorCode code_of(int result) {
  switch (result & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: return ErrorCode::kCorrupt;
    case SQLITE_FULL:
    case SQLITE_TOOBIG: return ErrorCode::kFull;
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return ErrorCode::kBusy;
    case SQLITE_MISUSE:
    case SQLITE_RANGE:
    case SQLITE_ERROR: return ErrorCode::kInvalid;
    default: return ErrorCode::kUnreadable;
  }
}

// SQLite has a code of its own for a full disk only where the database itself is written.
bool has_no_room(sqlite3* connection) {
  const int error = connection == nullptr ? 0 : sqlite3_system_errno(connection);
  return error == ENOSPC || error == EDQUOT;
}

Error error_of(sqlite3* connection, int result) {
  const char* file = connection == nullptr ? nullptr : sqlite3_db_filename(connection, "main");
  std::string message = file == nullptr || *file == '\0' ? "database" : file;
  message += ": ";
  message += connection == nullptr ? sqlite3_errstr(result) : sqlite3_errmsg(connection);
  const bool by_system = (result & 0xff) == SQLITE_IOERR || (result & 0xff) == SQLITE_CANTOPEN;
  if (by_system && has_no_room(connection)) return {ErrorCode::kFull, message + ": the disk is full"};
  return {code_of(result), std::move(message)};
}

}  // namespace

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

Result<bool> Statement::step() {
  const int result = sqlite3_step(statement_.get());
  if (result == SQLITE_ROW) return true;
  sqlite3* connection = sqlite3_db_handle(statement_.get());
  const Error error = result == SQLITE_DONE ? Error{} : error_of(connection, result);
  reset();
  if (result == SQLITE_DONE) return false;
  return error;
}

void Statement::reset() { sqlite3_reset(statement_.get()); }

std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }

double Statement::real(int column) const { return sqlite3_column_double(statement_.get(), column); }

std::string Statement::text(int column) const {
  const void* bytes = sqlite3_column_blob(statement_.get(), column);
  const int size = sqlite3_column_bytes(statement_.get(), column);
  return bytes == nullptr ? std::string() : std::string(static_cast<const char*>(bytes), size);
}

std::span<const std::byte> Statement::blob(int column) const {
  const void* bytes = sqlite3_column_blob(statement_.get(), column);
  const int size = sqlite3_column_bytes(statement_.get(), column);
  return {static_cast<const std::byte*>(bytes), bytes == nullptr ? 0 : static_cast<std::size_t>(size)};
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

void Statement::bind_one(int index, std::string_view value) {
  const char* data = value.data() == nullptr ? "" : value.data();
  sqlite3_bind_text64(statement_.get(), index + 1, data, value.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

void Statement::bind_one(int index, std::span<const std::byte> value) {
  sqlite3_bind_blob64(statement_.get(), index + 1, value.data(), value.size(), SQLITE_TRANSIENT);
}

void Statement::bind_integer(int index, std::int64_t value) {
  sqlite3_bind_int64(statement_.get(), index + 1, value);
}

void Statement::bind_null(int index) { sqlite3_bind_null(statement_.get(), index + 1); }

Result<void> Statement::finish() {
  while (true) {
    const Result<bool> row = step();
    if (!row) return row.error();
    if (!*row) return {};
  }
}

void Database::Close::operator()(sqlite3* connection) const { sqlite3_close_v2(connection); }

Result<Database> Database::open(const std::filesystem::path& path, Mode mode,
                                std::chrono::milliseconds patience) {
  int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI;
  flags |= mode == Mode::kReadWrite ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
  std::string uri = "file:";
  for (const char c : path.string()) {
    switch (c) {
      case '%': uri += "%25"; break;
      case '?': uri += "%3f"; break;
      case '#': uri += "%23"; break;
      default: uri += c;
    }
  }
  if (mode == Mode::kImmutable) uri += "?immutable=1";
  sqlite3* connection = nullptr;
  const int result = sqlite3_open_v2(uri.c_str(), &connection, flags, nullptr);
  Database database(connection, path);
  if (result != SQLITE_OK) {
    Error error = error_of(nullptr, result);
    error.message = path.string() + ": " + sqlite3_errstr(result);
    return error;
  }
  sqlite3_busy_timeout(connection, static_cast<int>(patience.count()));
  return database;
}

Result<void> Database::execute(const std::string& sql) {
  const int result = sqlite3_exec(connection_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (result != SQLITE_OK) return error_of(connection_.get(), result);
  return {};
}

Result<Statement*> Database::statement(std::string_view literal) {
  if (const auto known = statements_.find(literal); known != statements_.end()) {
    known->second.reset();
    return &known->second;
  }
  sqlite3_stmt* statement = nullptr;
  const int result = sqlite3_prepare_v3(connection_.get(), literal.data(), static_cast<int>(literal.size()),
                                        SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (result != SQLITE_OK) return error_of(connection_.get(), result);
  return &statements_.emplace(literal, Statement(statement)).first->second;
}

std::int64_t Database::last_insert_id() const { return sqlite3_last_insert_rowid(connection_.get()); }

std::int64_t Database::changed_rows() const { return sqlite3_changes64(connection_.get()); }

Result<Transaction> Transaction::begin(Database& database) {
  if (const Result<void> begun = database.execute("BEGIN IMMEDIATE"); !begun) return begun.error();
  return Transaction(database);
}

Transaction::~Transaction() {
  // SQLite has rolled back by itself after some errors; a second time is refused and changes nothing.
  if (database_ != nullptr) static_cast<void>(database_->execute("ROLLBACK"));
}

Result<void> Transaction::commit() {
  if (const Result<void> committed = database_->execute("COMMIT"); !committed) return committed.error();
  database_ = nullptr;
  return {};
}

}  // namespace hearth::cache
