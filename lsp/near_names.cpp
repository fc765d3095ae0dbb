#include "lsp/near_names.h"

#include <algorithm>
#include <map>

#include "lsp/code_scan.h"
#include "lsp/text_shape.h"

namespace hearth::lsp {
namespace {

constexpr std::size_t kReach = 1 << 17;  // bytes to either side that are looked at
constexpr std::size_t kShortest = 2, kLongest = 80;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// The part of the text that is looked at, whole lines but where one is very long.
std::string_view reach_of(std::string_view text, std::size_t cursor, std::size_t& begin) {
  begin = cursor > kReach ? cursor - kReach : 0;
  while (begin > 0 && begin < cursor && is_word_byte(text[begin - 1])) ++begin;
  return text.substr(begin, cursor + kReach - begin);
}

}  // namespace

NearNames near_names(std::string_view whole, std::size_t cursor, const LanguageSyntax& syntax) {
  std::size_t offset = 0;
  const std::string_view text = reach_of(whole, cursor, offset);
  cursor -= offset;
  const CodeScan scan = scan_code(text, syntax, cursor);
  NearNames near;
  near.word.begin = word_start(text, cursor);
  near.word.is_member = is_behind_a_dot(text, near.word.begin);
  near.word.in_code = scan.at_mark == Inside::kCode;

  std::map<std::string_view, NearName> found;
  auto prose = scan.prose.begin();
  for (std::size_t i = 0; i < text.size();) {
    while (prose != scan.prose.end() && prose->end <= i) ++prose;
    if (prose != scan.prose.end() && prose->begin <= i) {
      i = prose->end;
      continue;
    }
    if (!is_word_byte(text[i])) {
      ++i;
      continue;
    }
    const std::size_t begin = i;
    while (i < text.size() && is_word_byte(text[i])) ++i;
    const std::string_view name = text.substr(begin, i - begin);
    if (begin == near.word.begin || is_digit(name[0]) || name.size() < kShortest || name.size() > kLongest)
      continue;
    const std::size_t distance = begin < cursor ? cursor - i : begin - cursor;
    const auto [known, is_new] = found.try_emplace(name);
    if (!is_new && known->second.distance <= distance) continue;
    known->second = {std::string(name), is_behind_a_dot(text, begin), distance};
  }
  for (auto& [name, use] : found) near.names.push_back(std::move(use));
  std::ranges::sort(near.names, {}, &NearName::distance);
  near.word.begin += offset;
  return near;
}

bool is_behind_a_dot(std::string_view text, std::size_t begin) {
  const std::string_view before = text.substr(0, begin);
  if (before.ends_with("->") || before.ends_with("::")) return true;
  return before.ends_with('.') && !before.ends_with("..");
}

bool begins_with(std::string_view name, std::string_view typed) {
  const auto same = [](char a, char b) { return lower(a) == lower(b); };
  return name.size() >= typed.size() && std::ranges::equal(name.substr(0, typed.size()), typed, same);
}

}  // namespace hearth::lsp
