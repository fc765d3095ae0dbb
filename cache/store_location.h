// Where the stores of workspaces lie: one SQLite file a workspace, in one folder of the user's cache folder
// that nobody else may read. Any thread; several processes may do all of this at once.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cache/error.h"
#include "cache/schema.h"

namespace hearth::cache {

// The XDG base directory specification's cache folder; nothing when neither variable helps.
std::optional<std::filesystem::path> stores_folder(const std::optional<std::string>& xdg_cache_home,
                                                   const std::optional<std::string>& home);

// `root` is canonical: two spellings of one folder are two workspaces.
std::filesystem::path store_path(const std::filesystem::path& folder, const std::filesystem::path& root);

// Mode 0700, made where it is missing.
Result<void> make_private_folder(const std::filesystem::path& folder);

// Ready for readers and a writer: the folder made (mode 0700), the file made or brought up to date, a
// corrupt one moved aside first. kNewer: the file is a later program's and stays as it is.
struct PreparedStore {
  std::filesystem::path path;
  std::optional<std::filesystem::path> set_aside;  // where the corrupt one is now
};
Result<PreparedStore> prepare_store(const std::filesystem::path& path,
                                    const StoreForm& form = workspace_form());

// After a reader or a writer met kCorrupt: the next prepare_store sets the file aside.
void mark_corrupt(const std::filesystem::path& path);

// Removes a store and what was set aside of it; true when there was something.
Result<bool> forget_store(const std::filesystem::path& path);

inline constexpr std::uint64_t kAllStoresBytes = 4'000'000'000;  // of all workspaces together

// Removes the least recently used stores until all together hold at most `limit` bytes, but for `kept` and
// those that are being indexed. Returns what was removed. A store is used when it is prepared.
Result<std::vector<std::filesystem::path>> evict_stores(const std::filesystem::path& folder,
                                                        std::uint64_t limit,
                                                        const std::filesystem::path& kept,
                                                        std::chrono::sys_seconds now);

}  // namespace hearth::cache
