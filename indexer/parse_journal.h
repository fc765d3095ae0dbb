// Which files were being parsed when a process died: a small file beside the store, mapped into memory, that
// outlives its process. A file that was there at two deaths in a row is one that crashes its grammar; one
// death may have had any other cause. `begin` and `end` of different slots from any thread, the rest from
// one.
#pragma once

#include <cstddef>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>

#include "indexer/error.h"

namespace hearth::indexer {

class ParseJournal {
 public:
  // Reads what the last process left, then begins anew. A journal that cannot be kept keeps nothing: indexing
  // goes on without.
  ParseJournal(std::filesystem::path path, int slots);
  ParseJournal(const ParseJournal&) = delete;
  ParseJournal& operator=(const ParseJournal&) = delete;
  ~ParseJournal();  // all went well: nothing is left

  // Files not to parse any more.
  bool crashed(std::string_view path) const { return crashed_.contains(path); }

  // Files to parse first and one by one, so that no other file is there if one of them crashes.
  bool suspected(std::string_view path) const { return suspects_.contains(path); }

  void begin(int slot, std::string_view path);
  void end(int slot);

 private:
  struct Slot;

  void read();
  void map(int slots);

  std::filesystem::path path_;
  std::set<std::string, std::less<>> suspects_, crashed_;  // seen at one death, at two
  Slot* slots_ = nullptr;
  std::size_t count_ = 0;
};

}  // namespace hearth::indexer
