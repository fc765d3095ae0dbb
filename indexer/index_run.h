// Brings the store of a workspace up to date with the disk: a file whose size and time are what they were
// costs nothing but that look, one whose content is what it was costs reading it, any other is analysed anew.
// Files that are gone are removed; where files came or went, imports of the others are resolved again. What
// cannot be read now is tried again each time, and stays in the store as it was when it could be.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "cache/store_reader.h"
#include "cache/store_writer.h"
#include "indexer/error.h"
#include "indexer/parse_journal.h"

namespace hearth::indexer {

struct IndexOptions {
  std::filesystem::path root;  // as workspace_root gave it
  std::optional<std::filesystem::path> global_excludes;
  int threads = 1;
  std::shared_ptr<ParseJournal> journal;  // of what is being parsed; none: nobody is told
  // Only these paths from the root are looked at; what else is in the store is taken to be as it is there.
  std::optional<std::vector<std::string>> only;
};

struct IndexProgress {
  std::uint64_t files = 0, all_files = 0;  // that have to be looked into
  std::uint64_t bytes = 0, all_bytes = 0;
};

inline constexpr std::size_t kNamedUnreadable = 5;

struct IndexReport {
  std::int64_t files = 0;     // that are indexed now
  std::int64_t left_out = 0;  // with their reason
  std::int64_t analysed = 0;  // new or changed
  std::int64_t removed = 0;
  std::int64_t evicted = 0;                   // over the store's limit
  std::int64_t unreadable = 0;                // files and folders that could be seen but not read
  std::uint64_t bytes = 0;                    // that were read
  std::vector<std::string> first_unreadable;  // at most kNamedUnreadable of them
};

// `progress` is called on this thread, the only one that touches the store. Stops at once when the store
// does; what was written before stays. kInvalid when stopped, kBusy when another process has the store.
Result<IndexReport> index_workspace(const IndexOptions& options, cache::StoreReader& reader,
                                    cache::StoreWriter& writer,
                                    const std::function<void(const IndexProgress&)>& progress,
                                    std::stop_token stop);

}  // namespace hearth::indexer
