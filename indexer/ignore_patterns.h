// The patterns of one ignore file, as gitignore(5) defines them: blanks, comments, `!`, `/`, `*`, `?`, `[]`,
// `**`. Immutable after parsing; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hearth::indexer {

enum class EntryKind : std::uint8_t { kFile, kFolder };

// `*`, `?` and brackets match no '/'; `**` between slashes, or between a slash and an end, matches any number
// of folders. `\` takes the next character as it is.
bool matches_glob(std::string_view pattern, std::string_view path);

class IgnorePatterns {
 public:
  enum class Verdict : std::uint8_t { kNone, kIgnored, kKept };  // kept: by a pattern with `!`

  explicit IgnorePatterns(std::string_view text);

  // The last pattern that matches decides. `path` is relative to the file's folder, without a '/' at its
  // ends.
  Verdict match(std::string_view path, EntryKind kind) const;

  bool empty() const { return patterns_.empty(); }

 private:
  struct Pattern {
    std::string literal;  // what stands before the first special character
    std::string glob;     // the rest
    bool negated = false;
    bool folders_only = false;
    bool anchored = false;  // else it stands for a name at any depth
  };

  std::vector<Pattern> patterns_;
};

}  // namespace hearth::indexer
