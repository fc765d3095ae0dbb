#include "engine/unicode_category.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "engine/unicode_ranges.h"

namespace hearth::engine {

namespace {

constexpr Category find_category(char32_t code_point) {
  const std::uint32_t key = (static_cast<std::uint32_t>(code_point) << 4) | 0xf;
  const auto* run = std::upper_bound(std::begin(kUnicodeRuns), std::end(kUnicodeRuns), key);
  return static_cast<Category>(*(run - 1) & 0xf);
}

constexpr char32_t kTableSize = 0x800;  // what two bytes of UTF-8 reach

constexpr std::array<Category, kTableSize> kTable = [] {
  std::array<Category, kTableSize> table{};
  for (char32_t c = 0; c < kTableSize; ++c) table[c] = find_category(c);
  return table;
}();

}  // namespace

Category category_of(char32_t code_point) {
  return code_point < kTableSize ? kTable[code_point] : find_category(code_point);
}

CodePoint read_code_point(std::string_view text) {
  constexpr CodePoint kInvalid{.value = 0xfffd, .bytes = 1, .valid = false};
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {.value = lead};
  const int bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < static_cast<std::size_t>(bytes)) return kInvalid;
  char32_t value = lead & (0xff >> (bytes + 1));
  for (int i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return kInvalid;
    value = value << 6 | (byte(i) & 0x3f);
  }
  const bool overlong = (bytes == 3 && value < 0x800) || (bytes == 4 && value < 0x10000);
  const bool surrogate = value >= 0xd800 && value < 0xe000;
  if (overlong || surrogate || value > 0x10ffff) return kInvalid;
  return {.value = value, .bytes = bytes};
}

}  // namespace hearth::engine
