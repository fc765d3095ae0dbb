// Tells which files of a workspace change, by inotify(7): a watch for each folder that a scan enters, as many
// as the budget allows. One thread at a time.
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

// What other programs of the user can well do without.
std::size_t watch_budget();

class FolderWatch {
 public:
  struct Changes {
    std::vector<std::string> paths;  // of files that came, changed or went, each once, in order
    bool whole = false;              // more than that: folders came or went, or events were lost
    bool root_gone = false;
  };

  // kUnreadable where the system has no watches left to give, or the root is gone.
  static Result<FolderWatch> open(ScanOptions options, std::size_t budget, std::stop_token stop);
  FolderWatch(FolderWatch&& other) noexcept;
  FolderWatch& operator=(FolderWatch&&) = delete;
  ~FolderWatch();

  // There are more folders than watches: of changes in the others nobody tells.
  bool is_partial() const { return partial_; }
  std::size_t folders() const { return folders_.size(); }

  // Waits for a change, and then until none has come for a moment, or they do not end. Nothing when `limit`
  // has passed without one, or when stopped. After changes of the whole, new folders are watched, too.
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
