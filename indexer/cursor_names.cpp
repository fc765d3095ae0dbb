#include "indexer/cursor_names.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <unordered_map>

namespace hearth::indexer {
namespace {

constexpr double kHalvedAfter = 8;  // lines
constexpr double kAfterCursor = 0.5;
constexpr double kAnywhere = 0.05;
constexpr std::size_t kMinLength = 2, kMaxLength = 80;

bool is_word(char c) {
  return c == '_' || c == '$' || std::isalnum(static_cast<unsigned char>(c)) != 0 || (c & 0x80) != 0;
}

}  // namespace

std::vector<CursorName> names_at(std::string_view text, std::size_t cursor, std::size_t limit) {
  const auto cursor_line = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(cursor), '\n');
  std::unordered_map<std::string_view, double> weights;
  std::vector<std::string_view> order;  // of their first places
  std::ptrdiff_t line = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (!is_word(text[at])) {
      line += text[at++] == '\n' ? 1 : 0;
      continue;
    }
    std::size_t end = at + 1;
    while (end < text.size() && is_word(text[end])) ++end;
    const std::string_view word = text.substr(at, end - at);
    const bool counts = word.size() >= kMinLength && word.size() <= kMaxLength &&
                        std::isdigit(static_cast<unsigned char>(word.front())) == 0;
    if (counts) {
      const auto distance = static_cast<double>(std::abs(line - cursor_line));
      double weight = std::exp2(-distance / kHalvedAfter);
      if (at >= cursor) weight *= kAfterCursor;
      double& best = weights[word];
      if (best == 0) order.push_back(word);
      best = std::max({best, weight, kAnywhere});
    }
    at = end;
  }
  std::vector<CursorName> names;
  for (const std::string_view word : order) names.push_back({std::string(word), weights[word]});
  std::ranges::stable_sort(names, std::greater<>(), &CursorName::weight);
  if (names.size() > limit) names.resize(limit);
  return names;
}

}  // namespace hearth::indexer
