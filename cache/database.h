// SQLite as the store uses it: a connection and its prepared statements, with errors as values. One thread
// at a time for a connection and all its statements.
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "cache/error.h"

struct sqlite3;
struct sqlite3_stmt;

namespace hearth::cache {

class Statement {
 public:
  // Parameters are counted from 0, in the order of the values. Text may hold any bytes.
  template <class... Values>
  void bind(const Values&... values) {
    int index = 0;
    (bind_one(index++, values), ...);
  }

  // True when there is a row; its columns are valid until the next step or reset. After the last row, and
  // after an error, the statement is reset.
  Result<bool> step();
  void reset();

  std::int64_t integer(int column) const;
  double real(int column) const;
  std::string text(int column) const;
  std::span<const std::byte> blob(int column) const;  // as valid as the row
  bool is_null(int column) const;

 private:
  friend class Database;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  explicit Statement(sqlite3_stmt* statement) : statement_(statement) {}

  template <std::integral Integer>
  void bind_one(int index, Integer value) {
    bind_integer(index, static_cast<std::int64_t>(value));
  }
  template <class Value>
  void bind_one(int index, const std::optional<Value>& value) {
    if (value) {
      bind_one(index, *value);
    } else {
      bind_null(index);
    }
  }
  void bind_one(int index, std::string_view value);
  void bind_one(int index, std::span<const std::byte> value);
  void bind_integer(int index, std::int64_t value);
  void bind_null(int index);
  Result<void> finish();

  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

class Database {
 public:
  enum class Mode {
    kReadWrite,  // made when missing
    kReadOnly,
    kImmutable,  // read-only, on a medium that nobody can write to
  };

  // Who finds it locked waits at most so long, and gets kBusy then.
  static Result<Database> open(const std::filesystem::path& path, Mode mode,
                               std::chrono::milliseconds patience = std::chrono::seconds(5));

  Result<void> execute(const std::string& sql);  // one or several statements without parameters

  // The prepared form of a literal, reset; it lives as long as the connection. Two uses of one literal at
  // once would be the same statement.
  Result<Statement*> statement(std::string_view literal);

  // Binds the values to the literal's parameters and runs it, dropping what rows there are.
  template <class... Values>
  Result<void> run(std::string_view literal, const Values&... values) {
    const Result<Statement*> prepared = statement(literal);
    if (!prepared) return prepared.error();
    (*prepared)->bind(values...);
    return (*prepared)->finish();
  }

  // The first column of the first row, 0 where there is none.
  template <class... Values>
  Result<std::int64_t> integer(std::string_view literal, const Values&... values) {
    const Result<Statement*> prepared = statement(literal);
    if (!prepared) return prepared.error();
    (*prepared)->bind(values...);
    const Result<bool> row = (*prepared)->step();
    if (!row) return row.error();
    const std::int64_t value = *row ? (*prepared)->integer(0) : 0;
    (*prepared)->reset();
    return value;
  }

  std::int64_t last_insert_id() const;
  std::int64_t changed_rows() const;  // by the last statement
  const std::filesystem::path& path() const { return path_; }

 private:
  struct Close {
    void operator()(sqlite3* connection) const;
  };
  Database(sqlite3* connection, std::filesystem::path path)
      : connection_(connection), path_(std::move(path)) {}

  std::unique_ptr<sqlite3, Close> connection_;
  std::unordered_map<std::string_view, Statement> statements_;  // keys are literals; goes before connection_
  std::filesystem::path path_;
};

// BEGIN IMMEDIATE until commit; rolled back when it is dropped before.
class Transaction {
 public:
  static Result<Transaction> begin(Database& database);
  Transaction(Transaction&& other) noexcept : database_(std::exchange(other.database_, nullptr)) {}
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();
  Result<void> commit();

 private:
  explicit Transaction(Database& database) : database_(&database) {}
  Database* database_;
};

}  // namespace hearth::cache
