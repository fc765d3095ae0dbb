// KV that outlives the engine (DESIGN.md section 5.2): the stable parts of prompts go to the user's KV store
// when they have not changed for a minute, soon after another document has taken their place, and at the end;
// what is there is woken instead of prefilled. Pages of one model on one kind of device. Whatever is wrong
// with the store costs prefilling, nothing else.
//
// Owned by the engine's thread, like the tree; writing happens on a thread of its own.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cache/kv_store.h"
#include "engine/prefix_tree.h"

namespace hearth::engine {

struct StoredKvOptions {
  std::filesystem::path store;
  std::uint64_t limit_bytes = 0;
  std::string computed_by;  // whoever gets the same bytes for the same tokens: program, device, model
  std::function<std::chrono::sys_seconds()> wall_clock;  // required
};

class StoredKv {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  StoredKv(StoredKvOptions options, PrefixTree& tree, kernels::PagePool& pool);
  ~StoredKv();  // writes all that is to be kept
  StoredKv(const StoredKv&) = delete;
  StoredKv& operator=(const StoredKv&) = delete;

  // Until the store can be read, or never will, but no longer than this.
  void wait_until_open(std::chrono::milliseconds patience);

  // Until all that was given to the writing thread is written.
  void wait_until_written();

  // The tree gets the whole pages of `tokens` that it lacks, as far as the store has them. Returns how many
  // tokens these are. About as fast as the disk.
  int wake(std::span<const TokenId> tokens);

  // What is stable of the document's prompt now; `workspace` is where the text is from. Empty tokens:
  // nothing.
  void keep(const std::string& document, const std::string& workspace, std::vector<TokenId> tokens,
            TimePoint now);

  // When `work` has something to do next, unless `keep` is called.
  std::optional<TimePoint> due() const;

  // Does a part of what is due: a few pages.
  void work(TimePoint now);

  std::uint64_t woken_tokens() const { return woken_tokens_; }

 private:
  struct Kept {
    std::string workspace;
    std::vector<TokenId> tokens;
    TimePoint due;
    bool written = false;
  };
  struct Writing {
    std::string workspace;
    PrefixTree::Path path;
    std::size_t next = 0;            // page
    std::vector<cache::KvKey> keys;  // of the path's whole pages
  };
  class Writer;

  std::vector<cache::KvKey> keys_of(std::span<const TokenId> tokens) const;  // of its whole pages
  cache::KvReader* reader();
  void close_after(const cache::Error& error);
  void begin_writing(Kept& kept);
  void write_page();

  const StoredKvOptions options_;
  PrefixTree& tree_;
  kernels::PagePool& pool_;
  cache::KvKey root_;
  std::map<std::string, Kept> kept_;  // by document
  std::optional<Writing> writing_;
  std::optional<cache::KvReader> reader_;
  bool reader_failed_ = false;
  std::uint64_t woken_tokens_ = 0;
  std::unique_ptr<Writer> writer_;
};

}  // namespace hearth::engine
