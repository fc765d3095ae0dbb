// The one writer of a workspace's store, with the lease in hand. Every call is one transaction: all of it
// is there afterwards, or nothing. A full or read-only disk ends writing (`stopped`) and harms nothing that
// is there; a database that another connection keeps locked is kBusy, and the next call tries again. One
// thread at a time.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cache/database.h"
#include "cache/process_identity.h"
#include "cache/rows.h"

namespace hearth::cache {

struct WriterOptions {
  ProcessIdentity owner = own_identity();
  std::function<std::chrono::sys_seconds()> now;  // required
  std::uint64_t limit_bytes = 2'000'000'000;      // of the database; kept by `evict`
  std::chrono::milliseconds patience{5'000};      // with another connection that has it locked
};

class StoreWriter {
 public:
  // `path` as prepare_store gave it. kBusy: another process indexes this workspace, or has it locked.
  static Result<StoreWriter> open(const std::filesystem::path& path, WriterOptions options);
  StoreWriter(StoreWriter&&) noexcept = default;
  StoreWriter& operator=(StoreWriter&&) = delete;
  ~StoreWriter();  // releases the lease and empties the log

  // Each record replaces all that is kept of its path.
  Result<void> put(std::span<const FileRecord> records);

  // Size and time alone: the content of these files is what it was.
  Result<void> touch(std::span<const FileRow> files);

  Result<void> remove(std::span<const std::string> paths);

  // A file's imports mean other files than before; `imports` are all of its.
  Result<void> put_imports(const std::string& path, std::span<const ImportRow> imports);

  // These files were asked for now.
  Result<void> use(std::span<const std::string> paths);

  // While the database is over its limit: drops what is kept of the least recently used files, whose rows
  // then say so. Returns how many files that were.
  Result<std::int64_t> evict();

  // Why nothing more is written.
  const std::optional<Error>& stopped() const { return stopped_; }

 private:
  StoreWriter(Database database, WriterOptions options);

  Result<void> write(const std::function<Result<void>()>& body);
  Result<void> put_one(const FileRecord& record);
  Result<void> put_content(std::int64_t file, const FileRecord& record);
  Result<void> put_imports_of(std::int64_t file, std::span<const ImportRow> imports);
  Result<void> clear(std::int64_t file);
  Result<std::int64_t> id_of(const std::string& path);  // 0: not there
  Result<std::uint64_t> used_bytes();
  Result<std::vector<std::int64_t>> least_recently_used(std::int64_t count);  // ids
  std::int64_t seconds() const;

  std::unique_ptr<Database> database_;
  WriterOptions options_;
  std::optional<Error> stopped_;
};

}  // namespace hearth::cache
