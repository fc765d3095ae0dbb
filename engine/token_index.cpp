#include "engine/token_index.h"

#include <algorithm>

namespace hearth::engine {

TokenIndex::TokenIndex(const Tokenizer& tokenizer) : tokenizer_(tokenizer) {
  for (TokenId token = 0; token < tokenizer.size(); ++token) {
    if (!tokenizer.is_control(token) && !tokenizer.bytes(token).empty()) sorted_.push_back(token);
  }
  std::sort(sorted_.begin(), sorted_.end(),
            [&](TokenId a, TokenId b) { return tokenizer.bytes(a) < tokenizer.bytes(b); });
}

std::vector<std::uint64_t> TokenIndex::tokens_towards(std::string_view required) const {
  std::vector<std::uint64_t> allowed((tokenizer_.size() + 63) / 64);
  const auto allow = [&](auto first, auto last) {
    for (; first != last; ++first) allowed[*first / 64] |= std::uint64_t{1} << (*first % 64);
  };
  const auto before = [&](TokenId token, std::string_view text) { return tokenizer_.bytes(token) < text; };
  auto low = sorted_.begin();
  for (std::size_t length = 1; length < required.size(); ++length) {
    const auto head = required.substr(0, length);
    low = std::lower_bound(low, sorted_.end(), head, before);
    auto high = low;
    while (high != sorted_.end() && tokenizer_.bytes(*high) == head) ++high;
    allow(low, high);
  }
  low = std::lower_bound(low, sorted_.end(), required, before);
  const auto high = std::partition_point(
      low, sorted_.end(), [&](TokenId token) { return tokenizer_.bytes(token).starts_with(required); });
  allow(low, high);
  return allowed;
}

}  // namespace hearth::engine
