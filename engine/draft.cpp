#include "engine/draft.h"

#include <algorithm>

namespace hearth::engine {

namespace {

constexpr int kShortestMatch = 2;
constexpr int kLongestMatch = 16;

}  // namespace

Draft draft_from_context(std::span<const TokenId> context, int limit) {
  const int n = static_cast<int>(context.size());
  int best_end = 0;
  int best = kShortestMatch - 1;
  for (int end = n - 1; end > 0 && best < kLongestMatch; --end) {
    int length = 0;
    while (length < kLongestMatch && length < end && context[end - 1 - length] == context[n - 1 - length])
      ++length;
    if (length > best) {
      best = length;
      best_end = end;
    }
  }
  if (best_end == 0) return {};
  const auto rest = context.subspan(best_end);
  const auto taken = rest.first(std::min<std::size_t>(limit, rest.size()));
  return {.tokens = {taken.begin(), taken.end()}, .match_length = best};
}

}  // namespace hearth::engine
