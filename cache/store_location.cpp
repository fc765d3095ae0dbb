#include "cache/store_location.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "cache/lease.h"
#include "cache/schema.h"

namespace hearth::cache {
namespace {

namespace fs = std::filesystem;

constexpr std::array kSuffixes = {"", "-wal", "-shm", "-corrupt-mark", "-aside", "-aside-wal"};
constexpr const char* kMark = "-corrupt-mark";
constexpr const char* kAside = "-aside";

Error system_error(const fs::path& path, const char* doing) {
  return {errno == ENOSPC || errno == EDQUOT ? ErrorCode::kFull : ErrorCode::kUnreadable,
          path.string() + ": " + doing + ": " + std::strerror(errno)};
}

fs::path beside(const fs::path& path, const char* suffix) {
  fs::path other = path;
  other += suffix;
  return other;
}

// Held while a store is made, set aside or removed. On a read-only disk there is nothing to hold off.
class FolderLock {
 public:
  explicit FolderLock(const fs::path& folder)
      : descriptor_(::open((folder / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
    while (descriptor_ >= 0 && ::flock(descriptor_, LOCK_EX) != 0 && errno == EINTR) {
    }
  }
  ~FolderLock() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_;
};

// The log goes with the file: a new database must not meet the old one's.
Result<fs::path> set_aside(const fs::path& path) {
  const fs::path aside = beside(path, kAside);
  std::error_code ignored;
  fs::remove(beside(path, "-shm"), ignored);
  if (::rename(beside(path, "-wal").c_str(), beside(aside, "-wal").c_str()) != 0 && errno != ENOENT)
    return system_error(path, "cannot be set aside");
  if (::rename(path.c_str(), aside.c_str()) != 0 && errno != ENOENT)
    return system_error(path, "cannot be set aside");
  fs::remove(beside(path, kMark), ignored);
  return aside;
}

Result<void> make_current(const fs::path& path, const StoreForm& form) {
  Result<Database> database = Database::open(path, Database::Mode::kReadWrite);
  if (!database) return database.error();
  // Before the first table: the page size; then the log, which readers share with the writer.
  const Result<std::int64_t> version = database->integer("PRAGMA user_version");
  if (!version) return version.error();
  const char* const form_settings = *version == 0 ? form.settings : "";
  for (const char* setting : {"PRAGMA page_size = 8192", form_settings, "PRAGMA journal_mode = WAL"}) {
    if (const Result<void> set = database->execute(setting); !set) return set.error();
  }
  if (const Result<void> migrated = migrate(*database, form.migrations); !migrated) return migrated.error();
  ::chmod(path.c_str(), 0600);
  return {};
}

bool is_store(const fs::path& path) { return path.extension() == ".db"; }

bool is_being_indexed(const fs::path& path, std::chrono::sys_seconds now) {
  Result<Database> database = Database::open(path, Database::Mode::kReadOnly);
  if (!database) return false;
  const Result<std::optional<ProcessIdentity>> holder = lease_holder(*database, now);
  return holder && *holder;
}

}  // namespace

std::optional<fs::path> stores_folder(const std::optional<std::string>& xdg_cache_home,
                                      const std::optional<std::string>& home) {
  if (xdg_cache_home && fs::path(*xdg_cache_home).is_absolute())
    return fs::path(*xdg_cache_home) / "hearth" / "workspaces";
  if (home && !home->empty()) return fs::path(*home) / ".cache" / "hearth" / "workspaces";
  return std::nullopt;
}

fs::path store_path(const fs::path& folder, const fs::path& root) {
  const std::string whole = root.string();
  std::string name = root.filename().string().substr(0, 60);
  constexpr const char* kDigits = "0123456789abcdef";
  name += '-';
  const XXH64_hash_t hash = XXH3_64bits(whole.data(), whole.size());
  for (int shift = 60; shift >= 0; shift -= 4) name += kDigits[hash >> shift & 15];
  return folder / (name + ".db");
}

Result<void> make_private_folder(const fs::path& folder) {
  std::error_code failure;
  fs::create_directories(folder.parent_path(), failure);
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return system_error(folder, "cannot be made");
  struct stat status {};
  if (::stat(folder.c_str(), &status) != 0) return system_error(folder, "cannot be read");
  if ((status.st_mode & 077) != 0 && ::chmod(folder.c_str(), 0700) != 0)
    return system_error(folder, "others may read it, and that cannot be changed");
  return {};
}

Result<PreparedStore> prepare_store(const fs::path& path, const StoreForm& form) {
  if (const Result<void> made = make_private_folder(path.parent_path()); !made) return made.error();
  const FolderLock lock(path.parent_path());
  PreparedStore prepared{path, std::nullopt};
  Result<void> current = {};
  if (::access(beside(path, kMark).c_str(), F_OK) == 0) {
    current = Error{ErrorCode::kCorrupt, path.string() + ": found corrupt"};
  } else {
    current = make_current(path, form);
  }
  if (!current && current.error().code == ErrorCode::kCorrupt) {
    const Result<fs::path> aside = set_aside(path);
    if (!aside) return aside.error();
    prepared.set_aside = *aside;
    current = make_current(path, form);
  }
  if (!current) return current.error();
  ::utimensat(AT_FDCWD, path.c_str(), nullptr, 0);
  return prepared;
}

void mark_corrupt(const fs::path& path) {
  const int descriptor = ::open(beside(path, kMark).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor >= 0) ::close(descriptor);
}

Result<bool> forget_store(const fs::path& path) {
  if (::access(path.parent_path().c_str(), F_OK) != 0) return false;
  const FolderLock lock(path.parent_path());
  bool found = false;
  for (const char* suffix : kSuffixes) {
    const fs::path file = beside(path, suffix);
    if (::unlink(file.c_str()) == 0) {
      found = true;
    } else if (errno != ENOENT) {
      return system_error(file, "cannot be removed");
    }
  }
  return found;
}

Result<std::vector<fs::path>> evict_stores(const fs::path& folder, std::uint64_t limit, const fs::path& kept,
                                           std::chrono::sys_seconds now) {
  struct Used {
    fs::path path;
    std::int64_t at;
    std::uint64_t bytes;
  };
  std::vector<Used> stores;
  std::uint64_t total = 0;
  std::error_code failure;
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    if (!is_store(entry->path())) continue;
    Used store{entry->path(), 0, 0};
    for (const char* suffix : kSuffixes) {
      struct stat status {};
      if (::stat(beside(store.path, suffix).c_str(), &status) != 0) continue;
      store.bytes += static_cast<std::uint64_t>(status.st_size);
      store.at =
          std::max<std::int64_t>(store.at, status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec);
    }
    total += store.bytes;
    stores.push_back(std::move(store));
  }
  if (failure) return Error{ErrorCode::kUnreadable, folder.string() + ": " + failure.message()};
  std::ranges::sort(stores, {}, &Used::at);
  std::vector<fs::path> removed;
  for (const Used& store : stores) {
    if (total <= limit) break;
    if (store.path == kept || is_being_indexed(store.path, now)) continue;
    if (const Result<bool> gone = forget_store(store.path); !gone) return gone.error();
    total -= store.bytes;
    removed.push_back(store.path);
  }
  return removed;
}

}  // namespace hearth::cache
