// The indexed files of workspaces in the engine's memory (DESIGN.md section 5.6): those nearest to the file
// at hand, as many as there is room for, secrets masked. The thread that reads the stores owns it.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cache/store_reader.h"
#include "engine/engine_client.h"

namespace hearth::lsp {

struct IndexedFile {
  std::filesystem::path root;
  std::string path;  // from the root
  std::uint64_t size = 0, hash = 0;
  std::int64_t mtime_ns = 0;

  std::string name() const { return (root / path).string(); }  // as documents are called
};

// Adds those of one workspace of which something is kept.
cache::Result<void> add_indexed_files(const std::filesystem::path& root, cache::StoreReader& reader,
                                      std::vector<IndexedFile>& files);

// At most so many bytes of text: files with the ending of `near` (a path) first, then by how far their
// folders are from its own. Stops at the first that does not fit.
std::vector<IndexedFile> nearest_files(std::vector<IndexedFile> files, const std::filesystem::path& near,
                                       std::uint64_t most_bytes);

// As it may be remembered. Nothing where it cannot be read any more, or is not for the index any more.
std::optional<std::string> text_to_remember(const IndexedFile& file);

class IndexedMemory {
 public:
  explicit IndexedMemory(engine::EngineClient& engine) : engine_(engine) {}

  // Takes what it told with it.
  ~IndexedMemory();
  IndexedMemory(const IndexedMemory&) = delete;
  IndexedMemory& operator=(const IndexedMemory&) = delete;

  // From now on these are to be remembered and no others. What is gone is forgotten at once, what is new or
  // has changed is told by `tell_one`.
  void want(std::vector<IndexedFile> files);

  // Reads one file and tells the engine. False when nothing is left to do. A document that is open is told by
  // who has it open, whose versions are newer than those told here.
  bool tell_one();

  // Somebody else tells the engine of it now, or has made it forget it.
  void release(const std::string& name) { told_.erase(name); }

 private:
  engine::EngineClient& engine_;
  std::map<std::string, std::uint64_t> told_;  // names and the hashes of what was told
  std::deque<IndexedFile> left_;               // to be told
};

}  // namespace hearth::lsp
