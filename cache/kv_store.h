// KV that outlives processes: pages of prompts as a device computed them, of all models and workspaces of a
// user, in one SQLite file (DESIGN.md section 5.2). A page's key stands for whoever computed it and for all
// tokens from the start of the prompt to the page's end, so what is kept of a prompt is found page by page
// from its start. Several processes read and write at once. One thread at a time for a reader, and for a
// writer.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cache/database.h"
#include "cache/store_location.h"

namespace hearth::cache {

struct KvKey {
  std::uint64_t high = 0, low = 0;

  bool operator==(const KvKey&) const = default;
};

struct KvPage {
  KvKey key;
  std::uint32_t depth = 0;  // pages before it
  std::vector<std::byte> bytes;
};

// In a folder of its own beside the workspaces' stores; nothing when neither variable helps.
std::optional<std::filesystem::path> kv_store_path(const std::optional<std::string>& xdg_cache_home,
                                                   const std::optional<std::string>& home);

// As prepare_store, and with the same errors.
Result<PreparedStore> prepare_kv_store(const std::filesystem::path& path);

// Nothing that was written for the workspace stays; true when there was something.
Result<bool> forget_kv(const std::filesystem::path& path, const std::string& workspace);

class KvReader {
 public:
  // Waits for nobody: what another process has locked is kBusy. On a read-only disk it reads as well.
  static Result<KvReader> open(const std::filesystem::path& path);

  Result<bool> holds(const KvKey& key);

  enum class Found : std::uint8_t {
    kNothing,
    kBroken,  // of another size than `out`, or its checksum is wrong; `out` is void
    kPage,
  };
  Result<Found> read(const KvKey& key, std::span<std::byte> out);

 private:
  explicit KvReader(Database database) : database_(std::move(database)) {}
  Database database_;
};

struct KvWriterOptions {
  std::uint64_t limit_bytes = 2'000'000'000;      // of all pages
  std::function<std::chrono::sys_seconds()> now;  // required
};

// Every call is one transaction. A full or read-only disk ends writing (`stopped`) and harms nothing that is
// there; who is kept waiting by another process for a second gets kBusy.
class KvWriter {
 public:
  // `path` as prepare_kv_store gave it. Drops what is over the limit.
  static Result<KvWriter> open(const std::filesystem::path& path, KvWriterOptions options);

  // Adds pages of one path or replaces them, `workspace` being where their text is from. The least recently
  // used ones leave for them, the deepest first; where all pages together are over the limit, none is added.
  Result<void> put(std::span<const KvPage> pages, const std::string& workspace);

  // These were needed now.
  Result<void> use(std::span<const KvKey> keys);

  Result<void> remove(const KvKey& key);

  // Why nothing more is written.
  const std::optional<Error>& stopped() const { return stopped_; }

 private:
  KvWriter(Database database, KvWriterOptions options)
      : database_(std::move(database)), options_(std::move(options)) {}

  Result<void> write(const std::function<Result<void>()>& body);
  Result<void> make_room(std::uint64_t bytes);
  Result<void> remove_row(std::int64_t id);
  std::int64_t seconds() const { return options_.now().time_since_epoch().count(); }

  Database database_;
  KvWriterOptions options_;
  std::optional<Error> stopped_;
};

}  // namespace hearth::cache
