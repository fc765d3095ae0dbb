// Tells which files of a workspace change, by inotify(7): a watch for each folder that a scan enters, as many
// as the budget and the system allow, which may be none. One thread at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <vector>

#include "indexer/error.h"
#include "indexer/scanner.h"

namespace hearth::indexer {

// Where not all folders are watched, all are looked at so often.
inline constexpr std::chrono::seconds kLookAgain{60};

// What other programs of the user can well do without.
std::size_t watch_budget();

class FolderWatch {
 public:
  struct Changes {
    std::vector<std::string> paths;  // of files that came, changed or went, each once, in order
    bool whole = false;              // more than that: folders came or went, or events were lost
    bool root_gone = false;
  };

  // kUnreadable where the root is gone or cannot be read.
  static Result<FolderWatch> open(ScanOptions options, std::size_t budget, std::stop_token stop);
  FolderWatch(FolderWatch&& other) noexcept;
  FolderWatch& operator=(FolderWatch&&) = delete;
  ~FolderWatch();

  // There are more folders than watches: of changes in the others nobody tells, so that they have to be
  // looked at now and then. It may change whenever `wait` is over.
  bool is_partial() const { return partial_; }
  std::size_t folders() const { return folders_.size(); }

  // The limit of the next `wait` when the whole was last looked at then; none where all folders are watched.
  std::optional<std::chrono::milliseconds> limit_since(std::chrono::steady_clock::time_point looked) const;

  // Waits for a change, and then until none has come for a moment, or they do not end. Nothing when `limit`
  // has passed without one, or when stopped. After changes of the whole, new folders are watched, too; and
  // where some are not watched, the rest is tried again after `limit`.
  std::optional<Changes> wait(std::optional<std::chrono::milliseconds> limit, std::stop_token stop);

 private:
  FolderWatch(ScanOptions options, std::size_t budget) : options_(std::move(options)), budget_(budget) {}

  Result<void> watch_folders(std::stop_token stop);
  bool watch_one(const std::string& folder);
  void read_events(Changes& changes);

  ScanOptions options_;
  std::size_t budget_;
  int inotify_ = -1, wake_ = -1;
  bool partial_ = false;
  std::unordered_map<int, std::string>
      folders_;  // by watch descriptor; with '/' at its end, but for the root
};

}  // namespace hearth::indexer
