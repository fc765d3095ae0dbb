#include "indexer/identifiers.h"

#include <array>
#include <cstdint>
#include <vector>
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace hearth::indexer {
namespace {

constexpr std::size_t kMaxWords = 20'000;
constexpr std::size_t kMinLength = 2, kMaxLength = 80;

enum Kind : std::uint8_t { kOther, kLower, kUpper, kDigit, kJoiner, kHigh };

constexpr std::array<Kind, 256> make_kinds() {
  std::array<Kind, 256> kinds{};
  for (int c = 0; c < 256; ++c) {
    if (c >= 'a' && c <= 'z')
      kinds[c] = kLower;
    else if (c >= 'A' && c <= 'Z')
      kinds[c] = kUpper;
    else if (c >= '0' && c <= '9')
      kinds[c] = kDigit;
    else if (c == '_' || c == '$')
      kinds[c] = kJoiner;
    else if (c >= 0x80)
      kinds[c] = kHigh;
  }
  return kinds;
}
constexpr std::array<Kind, 256> kKinds = make_kinds();

Kind kind(char c) { return kKinds[static_cast<unsigned char>(c)]; }

// A set of the words' hashes; that two words share one is as good as impossible and would only lose one.
class Words {
 public:
  Words() : slots_(1024, 0) {}

  void add(std::string_view word) {
    if (word.size() < kMinLength || count_ == kMaxWords) return;
    lower_.assign(word);
    for (char& c : lower_) {
      if (kind(c) == kUpper) c = static_cast<char>(c | 0x20);
    }
    if (!insert(XXH3_64bits(lower_.data(), lower_.size()) | 1)) return;
    if (!text_.empty()) text_ += ' ';
    text_ += lower_;
  }

  std::string take() { return std::move(text_); }

 private:
  bool insert(std::uint64_t hash) {
    if (2 * count_ >= slots_.size()) grow();
    std::size_t slot = hash & (slots_.size() - 1);
    while (slots_[slot] != 0 && slots_[slot] != hash) slot = (slot + 1) & (slots_.size() - 1);
    if (slots_[slot] == hash) return false;
    slots_[slot] = hash;
    ++count_;
    return true;
  }

  void grow() {
    std::vector<std::uint64_t> old(2 * slots_.size(), 0);
    old.swap(slots_);
    count_ = 0;
    for (const std::uint64_t hash : old) {
      if (hash != 0) insert(hash);
    }
  }

  std::vector<std::uint64_t> slots_;  // open addressing; 0 is free
  std::size_t count_ = 0;
  std::string lower_, text_;
};

// Words begin after a joiner, where upper case follows lower, and at the last of several upper-case letters
// before a lower-case one (`HTTPServer`). A word of the whole is none of its parts.
void add_parts(std::string_view identifier, Words& words) {
  std::size_t start = 0;
  const auto end_part = [&](std::size_t end) {
    const std::string_view part = identifier.substr(start, end - start);
    if (part.size() > kMinLength && part.size() < identifier.size() && kind(part[0]) != kDigit)
      words.add(part);
  };
  for (std::size_t i = 0; i < identifier.size(); ++i) {
    const Kind here = kind(identifier[i]);
    if (here == kJoiner) {
      end_part(i);
      start = i + 1;
    } else if (i > start && here == kUpper) {
      const Kind before = kind(identifier[i - 1]);
      const bool ends_acronym =
          before == kUpper && i + 1 < identifier.size() && kind(identifier[i + 1]) == kLower;
      if (before == kLower || before == kDigit || ends_acronym) {
        end_part(i);
        start = i;
      }
    }
  }
  end_part(identifier.size());
}

}  // namespace

std::string identifier_words(std::string_view text) {
  Words words;
  for (std::size_t at = 0; at < text.size();) {
    const Kind first = kind(text[at]);
    if (first == kOther) {
      ++at;
      continue;
    }
    std::size_t end = at + 1;
    while (end < text.size() && kind(text[end]) != kOther) ++end;
    const std::string_view identifier = text.substr(at, end - at);
    if (first != kDigit && identifier.size() <= kMaxLength) {
      words.add(identifier);
      add_parts(identifier, words);
    }
    at = end;
  }
  return words.take();
}

}  // namespace hearth::indexer
