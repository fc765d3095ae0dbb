#include "engine/pretokenizer.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>

#include "engine/unicode_category.h"

namespace hearth::engine {

namespace {

struct Rune {
  std::uint32_t value = 0;
  Category category = kOtherCategory;
  std::size_t begin = 0;  // in the text
};

// A stretch of the text as a matcher sees it: it can look neither before nor behind.
using Piece = std::span<const Rune>;

// How many runes a pattern matches at `at`; 0 when it does not match there.
using Matcher = std::size_t (*)(Piece piece, std::size_t at);

bool is(Piece piece, std::size_t at, Category category) {
  return at < piece.size() && piece[at].category == category;
}

bool is(Piece piece, std::size_t at, char32_t value) { return at < piece.size() && piece[at].value == value; }

bool is_line_end(Piece piece, std::size_t at) { return is(piece, at, U'\n') || is(piece, at, U'\r'); }

// [^\s\p{L}\p{N}]
bool is_symbol(Piece piece, std::size_t at) {
  return at < piece.size() && (piece[at].category & (kLetter | kNumber | kSpace)) == 0;
}

// How many runes from `at` on the predicate holds for.
template <class Holds>
std::size_t run(Piece piece, std::size_t at, Holds holds) {
  std::size_t end = at;
  while (end < piece.size() && holds(piece, end)) ++end;
  return end - at;
}

std::size_t run_of(Piece piece, std::size_t at, Category category) {
  return run(piece, at, [=](Piece p, std::size_t i) { return is(p, i, category); });
}

// LEAD?X+ where X is what `holds` says and LEAD what `leads` says, never both.
template <class Leads, class Holds>
std::size_t led_run(Piece piece, std::size_t at, Leads leads, Holds holds) {
  const std::size_t lead = leads(piece, at) ? 1 : 0;
  const std::size_t length = run(piece, at + lead, holds);
  return length > 0 ? lead + length : 0;
}

bool is_blank(Piece piece, std::size_t at) { return is(piece, at, U' '); }
bool is_space(Piece piece, std::size_t at) { return is(piece, at, kSpace); }
bool is_letter(Piece piece, std::size_t at) { return is(piece, at, kLetter); }
bool is_number(Piece piece, std::size_t at) { return is(piece, at, kNumber); }

enum class Case { kSensitive, kInsensitive };

// 's|'t|'re|'ve|'m|'ll|'d
std::size_t contraction(Piece piece, std::size_t at, Case rule) {
  if (!is(piece, at, U'\'') || at + 1 >= piece.size()) return 0;
  const auto letter = [&](std::size_t i) -> std::uint32_t {
    if (i >= piece.size()) return 0;
    const std::uint32_t value = piece[i].value;
    return rule == Case::kInsensitive && value >= 'A' && value <= 'Z' ? value + ('a' - 'A') : value;
  };
  const std::uint32_t first = letter(at + 1);
  const std::uint32_t second = letter(at + 2);
  if (first == 's' || first == 't' || first == 'm' || first == 'd') return 2;
  if ((first == 'r' || first == 'v') && second == 'e') return 3;
  return first == 'l' && second == 'l' ? 3 : 0;
}

// \s+(?!\S)|\s+ : a run of spaces leaves its last one to what follows.
std::size_t spaces(Piece piece, std::size_t at) {
  const std::size_t length = run_of(piece, at, kSpace);
  return length > 1 && at + length < piece.size() ? length - 1 : length;
}

// 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
std::size_t gpt2_word(Piece piece, std::size_t at) {
  if (const std::size_t n = contraction(piece, at, Case::kSensitive)) return n;
  if (const std::size_t n = led_run(piece, at, is_blank, is_letter)) return n;
  if (const std::size_t n = led_run(piece, at, is_blank, is_number)) return n;
  if (const std::size_t n = led_run(piece, at, is_blank, is_symbol)) return n;
  return spaces(piece, at);
}

// (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,kDigits}| ?[^\s\p{L}\p{N}]+[\r\n]*
// |\s*[\r\n]+|\s+(?!\S)|\s+
template <std::size_t kDigits>
std::size_t llama3_word(Piece piece, std::size_t at) {
  if (const std::size_t n = contraction(piece, at, Case::kInsensitive)) return n;
  const auto leads = [](Piece p, std::size_t i) {
    return !is_line_end(p, i) && !is_letter(p, i) && !is_number(p, i);
  };
  if (const std::size_t n = led_run(piece, at, leads, is_letter)) return n;
  if (const std::size_t n = run_of(piece, at, kNumber)) return std::min(n, kDigits);
  if (const std::size_t n = led_run(piece, at, is_blank, is_symbol)) {
    return n + run(piece, at + n, is_line_end);
  }
  for (std::size_t n = run_of(piece, at, kSpace); n > 0; --n) {
    if (is_line_end(piece, at + n - 1)) return n;
  }
  return spaces(piece, at);
}

std::size_t line_end(Piece piece, std::size_t at) { return is_line_end(piece, at) ? 1 : 0; }
std::size_t number(Piece piece, std::size_t at) { return is_number(piece, at) ? 1 : 0; }
std::size_t numbers(Piece piece, std::size_t at) { return run_of(piece, at, kNumber); }

// \s?\p{L}+
std::size_t letters_after_space(Piece piece, std::size_t at) {
  return led_run(piece, at, is_space, is_letter);
}

// \s?\p{P}+
std::size_t punctuation_after_space(Piece piece, std::size_t at) {
  return led_run(piece, at, is_space, [](Piece p, std::size_t i) { return is(p, i, kPunctuation); });
}

struct Range {
  std::uint32_t first, last;
};

template <std::size_t N>
bool in_any(const Range (&ranges)[N], std::uint32_t value) {
  const Range* end = std::upper_bound(std::begin(ranges), std::end(ranges), value,
                                      [](std::uint32_t v, const Range& r) { return v < r.first; });
  return end != std::begin(ranges) && value <= (end - 1)->last;
}

// The letters with upper and lower case that DeepSeek's pattern lists one by one.
bool is_cased(Piece piece, std::size_t at) {
  static constexpr Range kCased[] = {
      {0x41, 0x5a},       {0x61, 0x7a},       {0xb5, 0xb5},       {0xc0, 0xd6},       {0xd8, 0xf6},
      {0xf8, 0x1ba},      {0x1bc, 0x1bf},     {0x1c4, 0x293},     {0x295, 0x2af},     {0x370, 0x373},
      {0x376, 0x376},     {0x377, 0x377},     {0x37b, 0x37d},     {0x37f, 0x37f},     {0x386, 0x386},
      {0x388, 0x38a},     {0x38c, 0x38c},     {0x38e, 0x3a1},     {0x3a3, 0x3f5},     {0x3f7, 0x481},
      {0x48a, 0x52f},     {0x531, 0x556},     {0x10a0, 0x10c5},   {0x13a0, 0x13f5},   {0x13f8, 0x13fd},
      {0x1c90, 0x1cba},   {0x1cbd, 0x1cbf},   {0x1d00, 0x1d2b},   {0x1d6b, 0x1d77},   {0x1d79, 0x1d9a},
      {0x1e00, 0x1f15},   {0x1f18, 0x1f1d},   {0x1f20, 0x1f45},   {0x1f48, 0x1f4d},   {0x1f50, 0x1f57},
      {0x1f59, 0x1f59},   {0x1f5b, 0x1f5b},   {0x1f5d, 0x1f5d},   {0x1f5f, 0x1f7d},   {0x1f80, 0x1fb4},
      {0x1fb6, 0x1fbc},   {0x1fbe, 0x1fbe},   {0x1fc2, 0x1fc4},   {0x1fc6, 0x1fcc},   {0x1fd0, 0x1fd3},
      {0x1fd6, 0x1fdb},   {0x1fe0, 0x1fec},   {0x1ff2, 0x1ff4},   {0x1ff6, 0x1ffc},   {0x2102, 0x2102},
      {0x2107, 0x2107},   {0x210a, 0x2113},   {0x2115, 0x2115},   {0x2119, 0x211d},   {0x2124, 0x2124},
      {0x2126, 0x2126},   {0x2128, 0x2128},   {0x212a, 0x212d},   {0x212f, 0x2134},   {0x2139, 0x2139},
      {0x213c, 0x213f},   {0x2145, 0x2149},   {0x214e, 0x214e},   {0x2183, 0x2183},   {0x2184, 0x2184},
      {0x2c00, 0x2c7b},   {0x2c7e, 0x2ce4},   {0x2ceb, 0x2cee},   {0x2cf2, 0x2cf2},   {0x2cf3, 0x2cf3},
      {0xa640, 0xa66d},   {0xa680, 0xa69b},   {0xa722, 0xa76f},   {0xa771, 0xa787},   {0xa78b, 0xa78e},
      {0xab70, 0xabbf},   {0xfb00, 0xfb06},   {0xfb13, 0xfb17},   {0xff21, 0xff3a},   {0xff41, 0xff5a},
      {0x10400, 0x1044f}, {0x104b0, 0x104d3}, {0x104d8, 0x104fb}, {0x10c80, 0x10cb2}, {0x10cc0, 0x10cf2},
      {0x118a0, 0x118df}, {0x1e900, 0x1e943},
  };
  return in_any(kCased, piece[at].value);
}

std::size_t cased_after_space(Piece piece, std::size_t at) { return led_run(piece, at, is_space, is_cased); }

// \s?[!-/:-~！-／：-～‘-‟\u3000-。]+ ; U+3000 is a space too, so the lead may be the run's own first.
std::size_t listed_after_space(Piece piece, std::size_t at) {
  const auto listed = [](Piece p, std::size_t i) {
    static constexpr Range kListed[] = {{0x21, 0x2f},     {0x3a, 0x7e},     {0x2018, 0x201f},
                                        {0x3000, 0x3002}, {0xff01, 0xff0f}, {0xff1a, 0xff5e}};
    return in_any(kListed, p[i].value);
  };
  if (const std::size_t n = led_run(piece, at, is_space, listed)) return n;
  return run(piece, at, listed);
}

// \s+$
std::size_t last_spaces(Piece piece, std::size_t at) {
  const std::size_t length = run_of(piece, at, kSpace);
  return at + length == piece.size() ? length : 0;
}

// [一-龥ࠀ-一가-퟿]+
std::size_t east_asian(Piece piece, std::size_t at) {
  return run(piece, at, [](Piece p, std::size_t i) {
    static constexpr Range kRanges[] = {{0x800, 0x9fa5}, {0xac00, 0xd7ff}};
    return in_any(kRanges, p[i].value);
  });
}

// [\p{P}\$\+<=>\^~\|`]+
std::size_t operators(Piece piece, std::size_t at) {
  return run(piece, at, [](Piece p, std::size_t i) {
    return is(p, i, kPunctuation) ||
           (p[i].value < 0x80 &&
            std::string_view("$+<=>^~|`").find(static_cast<char>(p[i].value)) != std::string_view::npos);
  });
}

// [0-9][0-9][0-9]
std::size_t three_digits(Piece piece, std::size_t at) {
  const auto is_digit = [](Piece p, std::size_t i) { return p[i].value >= '0' && p[i].value <= '9'; };
  return run(piece.first(std::min(piece.size(), at + 3)), at, is_digit) == 3 ? 3 : 0;
}

std::span<const Matcher> matchers(PreTokenizer pre_tokenizer) {
  static constexpr Matcher kDefault[] = {operators, gpt2_word, three_digits};
  static constexpr Matcher kGpt2[] = {gpt2_word};
  static constexpr Matcher kStarcoder[] = {number, gpt2_word};
  static constexpr Matcher kQwen2[] = {llama3_word<1>};
  static constexpr Matcher kLlamaBpe[] = {llama3_word<3>};
  static constexpr Matcher kDeepseekLlm[] = {line_end,    cased_after_space, listed_after_space,
                                             last_spaces, east_asian,        numbers};
  static constexpr Matcher kDeepseekCoder[] = {line_end, letters_after_space, punctuation_after_space,
                                               east_asian, number};
  switch (pre_tokenizer) {
    case PreTokenizer::kDefault: return kDefault;
    case PreTokenizer::kGpt2: return kGpt2;
    case PreTokenizer::kStarcoder: return kStarcoder;
    case PreTokenizer::kQwen2: return kQwen2;
    case PreTokenizer::kLlamaBpe: return kLlamaBpe;
    case PreTokenizer::kDeepseekLlm: return kDeepseekLlm;
    case PreTokenizer::kDeepseekCoder: return kDeepseekCoder;
  }
  return {};
}

// Appends where each part of the piece ends; `first` is the piece's own place among the runes.
void cut(Matcher matcher, Piece piece, std::size_t first, std::vector<std::size_t>& ends) {
  std::size_t gap = 0;  // where runes that matched nothing begin
  for (std::size_t at = 0; at < piece.size();) {
    const std::size_t length = matcher(piece, at);
    if (length == 0) {
      ++at;
      continue;
    }
    if (at > gap) ends.push_back(first + at);
    at += length;
    gap = at;
    ends.push_back(first + at);
  }
  if (gap < piece.size()) ends.push_back(first + piece.size());
}

}  // namespace

std::optional<PreTokenizer> pre_tokenizer_named(std::string_view name) {
  static constexpr std::pair<std::string_view, PreTokenizer> kNames[] = {
      {"default", PreTokenizer::kDefault},          {"gpt-2", PreTokenizer::kGpt2},
      {"starcoder", PreTokenizer::kStarcoder},      {"refact", PreTokenizer::kStarcoder},
      {"smollm", PreTokenizer::kStarcoder},         {"qwen2", PreTokenizer::kQwen2},
      {"deepseek-r1-qwen", PreTokenizer::kQwen2},   {"llama-bpe", PreTokenizer::kLlamaBpe},
      {"llama-v3", PreTokenizer::kLlamaBpe},        {"llama3", PreTokenizer::kLlamaBpe},
      {"deepseek-llm", PreTokenizer::kDeepseekLlm}, {"deepseek-coder", PreTokenizer::kDeepseekCoder},
  };
  for (const auto& [known, pre_tokenizer] : kNames) {
    if (name == known) return pre_tokenizer;
  }
  return std::nullopt;
}

void cut_words(PreTokenizer pre_tokenizer, std::string_view text, std::vector<std::string_view>& words) {
  std::vector<Rune> runes;
  runes.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = read_code_point(text.substr(at));
    runes.push_back({.value = point.value,
                     .category = point.valid ? category_of(point.value) : kOtherCategory,
                     .begin = at});
    at += static_cast<std::size_t>(point.bytes);
  }
  std::vector<std::size_t> ends = {runes.size()};
  for (const Matcher matcher : matchers(pre_tokenizer)) {
    std::vector<std::size_t> finer;
    finer.reserve(ends.size() * 2);
    std::size_t first = 0;
    for (const std::size_t end : ends) {
      cut(matcher, Piece(runes).subspan(first, end - first), first, finer);
      first = end;
    }
    ends = std::move(finer);
  }
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    const std::size_t until = end < runes.size() ? runes[end].begin : text.size();
    words.push_back(text.substr(begin, until - begin));
    begin = until;
  }
}

}  // namespace hearth::engine
