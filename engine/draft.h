// Drafts without a second model: what followed the longest earlier occurrence of the latest tokens
// (prompt lookup decoding; the field also calls it n-gram speculation).
#pragma once

#include <span>
#include <vector>

#include "engine/tokenizer.h"

namespace hearth::engine {

struct Draft {
  std::vector<TokenId> tokens;
  int match_length = 0;  // how many of the latest tokens the earlier place shares
};

// At most `limit` tokens. The latest tokens are the end of `context`; of places that match equally far,
// the latest wins. Empty where fewer than two tokens match.
Draft draft_from_context(std::span<const TokenId> context, int limit);

}  // namespace hearth::engine
