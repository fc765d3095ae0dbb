#include "engine/healing.h"

#include <algorithm>

namespace hearth::engine {

namespace {

constexpr std::size_t kMostHealedBytes = 64;

enum class CharacterClass { kWord, kBlank, kLineEnd, kSign };

CharacterClass classify(char c) {
  const auto byte = static_cast<unsigned char>(c);
  if (byte >= 0x80 || c == '_' || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z')) {
    return CharacterClass::kWord;
  }
  if (c == ' ' || c == '\t') return CharacterClass::kBlank;
  if (c == '\n' || c == '\r') return CharacterClass::kLineEnd;
  return CharacterClass::kSign;
}

}  // namespace

std::size_t healing_cut(std::string_view text) {
  if (text.empty()) return 0;
  std::size_t cut = text.size();
  const CharacterClass last = classify(text.back());
  while (cut > 0 && classify(text[cut - 1]) == last) --cut;
  const bool on_a_line = cut > 0 && classify(text[cut - 1]) == CharacterClass::kBlank;
  if (last == CharacterClass::kWord || last == CharacterClass::kSign) {
    if (on_a_line && text[cut - 1] == ' ') --cut;
  } else if (last == CharacterClass::kBlank) {
    while (cut > 0 && classify(text[cut - 1]) == CharacterClass::kLineEnd) --cut;
  }
  if (text.size() - cut > kMostHealedBytes) {
    cut = text.size() - kMostHealedBytes;
    while (cut < text.size() && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80) ++cut;
  }
  return cut;
}

}  // namespace hearth::engine
