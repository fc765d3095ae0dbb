#include "indexer/ignore_patterns.h"

#include <array>
#include <cctype>
#include <optional>

namespace hearth::indexer {
namespace {

struct CharacterClass {
  std::string_view name;
  int (*contains)(int);
};

constexpr std::array<CharacterClass, 12> kClasses = {{
    {"alnum", std::isalnum},
    {"alpha", std::isalpha},
    {"blank", std::isblank},
    {"cntrl", std::iscntrl},
    {"digit", std::isdigit},
    {"graph", std::isgraph},
    {"lower", std::islower},
    {"print", std::isprint},
    {"punct", std::ispunct},
    {"space", std::isspace},
    {"upper", std::isupper},
    {"xdigit", std::isxdigit},
}};

struct Bracket {
  bool contains = false;
  std::size_t end = 0;  // behind its ']'
};

// The bracket expression that opens at `at`; nothing when it is not one.
std::optional<Bracket> match_bracket(std::string_view pattern, std::size_t at, unsigned char c) {
  std::size_t i = at + 1;
  const bool negated = i < pattern.size() && (pattern[i] == '!' || pattern[i] == '^');
  if (negated) ++i;
  bool found = false;
  const std::size_t first = i;
  while (i < pattern.size() && (pattern[i] != ']' || i == first)) {
    if (pattern.substr(i, 2) == "[:") {
      const std::size_t close = pattern.find(']', i + 2);
      if (close == std::string_view::npos) return std::nullopt;
      if (close > i + 2 && pattern[close - 1] == ':') {
        const std::string_view name = pattern.substr(i + 2, close - 1 - (i + 2));
        const CharacterClass* known = nullptr;
        for (const CharacterClass& candidate : kClasses) {
          if (candidate.name == name) known = &candidate;
        }
        if (known == nullptr) return std::nullopt;
        found |= known->contains(c) != 0;
        i = close + 1;
        continue;
      }
    }
    if (pattern[i] == '\\' && ++i == pattern.size()) return std::nullopt;
    const auto low = static_cast<unsigned char>(pattern[i]);
    auto high = low;
    if (i + 2 < pattern.size() && pattern[i + 1] == '-' && pattern[i + 2] != ']') {
      i += 2;
      if (pattern[i] == '\\' && ++i == pattern.size()) return std::nullopt;
      high = static_cast<unsigned char>(pattern[i]);
    }
    found |= low <= c && c <= high;
    ++i;
  }
  if (i == pattern.size()) return std::nullopt;
  return Bracket{found != negated, i + 1};
}

// Whether the run of `stars` asterisks at `at` stands alone between slashes or ends.
bool spans_folders(std::string_view pattern, std::size_t at, std::size_t stars) {
  const std::size_t end = at + stars;
  const bool opens = at == 0 || pattern[at - 1] == '/';
  const bool closes = end == pattern.size() || pattern[end] == '/' || pattern.substr(end, 2) == "\\/";
  return stars >= 2 && opens && closes;
}

bool is_special(char c) { return c == '*' || c == '?' || c == '[' || c == '\\'; }

// One line's pattern without the blanks at its end that are not escaped.
std::string_view trimmed(std::string_view line) {
  std::size_t end = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\')
      ++i;
    else if (line[i] == ' ')
      continue;
    end = std::min(i + 1, line.size());
  }
  return line.substr(0, end);
}

}  // namespace

bool matches_glob(std::string_view pattern, std::string_view path) {
  // Where to go on after a mismatch: the last `*`, and the last `**` before it, each with the path position
  // that it has yet to try. A later wildcard of the same kind makes an earlier one's choices irrelevant.
  struct Retry {
    std::size_t pattern = 0, path = 0;
    bool set = false;
  };
  Retry star, folders;
  std::size_t p = 0, t = 0;
  while (true) {
    bool fits = false;
    if (p == pattern.size()) {
      if (t == path.size()) return true;
    } else if (pattern[p] == '*') {
      std::size_t stars = 1;
      while (p + stars < pattern.size() && pattern[p + stars] == '*') ++stars;
      if (spans_folders(pattern, p, stars)) {
        if (p + stars == pattern.size()) return true;
        star = {};
        const bool escaped = pattern[p + stars] == '\\';
        p += stars + (escaped ? 2 : 1);
        folders = {p, t, true};
        // `**/` matches nothing at all, too; as git has it, `**\/` does not.
        fits = !escaped;
      } else {
        p += stars;
        star = {p, t, true};
        fits = true;
      }
    } else if (t < path.size()) {
      const char c = path[t];
      std::size_t next = p + 1;
      if (pattern[p] == '?') {
        fits = c != '/';
      } else if (pattern[p] == '[') {
        const std::optional<Bracket> bracket = match_bracket(pattern, p, static_cast<unsigned char>(c));
        fits = bracket && bracket->contains && c != '/';
        if (bracket) next = bracket->end;
      } else if (pattern[p] == '\\') {
        fits = next < pattern.size() && pattern[next] == c;
        ++next;
      } else {
        fits = pattern[p] == c;
      }
      if (fits) {
        p = next;
        ++t;
      }
    }
    if (fits) continue;
    if (star.set && star.path < path.size() && path[star.path] != '/') {
      t = ++star.path;
      p = star.pattern;
    } else if (folders.set) {
      const std::size_t slash = path.find('/', folders.path);
      if (slash == std::string_view::npos) return false;
      star = {};
      t = folders.path = slash + 1;
      p = folders.pattern;
    } else {
      return false;
    }
  }
}

IgnorePatterns::IgnorePatterns(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  while (!text.empty()) {
    const std::size_t line_end = text.find('\n');
    std::string_view line = text.substr(0, line_end);
    text.remove_prefix(line_end == std::string_view::npos ? text.size() : line_end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.starts_with('#')) continue;
    line = trimmed(line);
    Pattern pattern;
    if (line.starts_with('!')) {
      pattern.negated = true;
      line.remove_prefix(1);
    }
    if (line.ends_with('/')) {
      pattern.folders_only = true;
      line.remove_suffix(1);
    }
    if (line.empty()) continue;
    pattern.anchored = line.find('/') != std::string_view::npos;
    if (line.starts_with('/')) line.remove_prefix(1);
    // Git compares what is literal first and only then looks at the rest, so that in `a**/b` the asterisks
    // open a pattern and span folders, though gitignore(5) says otherwise.
    std::size_t special = 0;
    while (pattern.anchored && special < line.size() && !is_special(line[special])) ++special;
    pattern.literal = line.substr(0, special);
    pattern.glob = line.substr(special);
    patterns_.push_back(std::move(pattern));
  }
}

IgnorePatterns::Verdict IgnorePatterns::match(std::string_view path, EntryKind kind) const {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  for (auto pattern = patterns_.rbegin(); pattern != patterns_.rend(); ++pattern) {
    if (pattern->folders_only && kind != EntryKind::kFolder) continue;
    std::string_view subject = pattern->anchored ? path : name;
    if (!subject.starts_with(pattern->literal)) continue;
    subject.remove_prefix(pattern->literal.size());
    if (matches_glob(pattern->glob, subject)) return pattern->negated ? Verdict::kKept : Verdict::kIgnored;
  }
  return Verdict::kNone;
}

}  // namespace hearth::indexer
