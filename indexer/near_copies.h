// Which files of a workspace say nearly the same as a text: they must not help to complete it when its end is
// what is asked for. One thread at a time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace hearth::indexer {

class NearCopies {
 public:
  // Reads every one of `files` (paths from the root) now, as far as it can be read.
  NearCopies(const std::filesystem::path& root, const std::vector<std::string>& files);

  // The files that share more than four fifths of their lines with the text, or the text of its with them.
  // Lines count once each, without blanks at their ends; empty ones do not.
  std::set<std::string, std::less<>> of(std::string_view text) const;

 private:
  std::vector<std::pair<std::string, std::size_t>> files_;                 // with how many lines count
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> holders_;  // of a line, by its hash
};

}  // namespace hearth::indexer
