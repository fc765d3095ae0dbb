#include "engine/draft.h"

#include <gtest/gtest.h>

namespace hearth::engine {
namespace {

TEST(Draft, ContinuesTheLongestEarlierMatch) {
  const std::vector<TokenId> context = {1, 2, 3, 4, 9, 2, 3, 5, 1, 2, 3};
  const Draft draft = draft_from_context(context, 3);
  EXPECT_EQ(draft.tokens, (std::vector<TokenId>{4, 9, 2}));
  EXPECT_EQ(draft.match_length, 3);
}

TEST(Draft, PrefersTheLatestOfEqualMatches) {
  const std::vector<TokenId> context = {1, 2, 7, 1, 2, 8, 1, 2};
  EXPECT_EQ(draft_from_context(context, 1).tokens, (std::vector<TokenId>{8}));
}

TEST(Draft, HasNothingToSayWithoutAMatchOfTwo) {
  EXPECT_TRUE(draft_from_context(std::vector<TokenId>{1, 2, 3, 4, 3}, 4).tokens.empty());
  EXPECT_TRUE(draft_from_context(std::vector<TokenId>{}, 4).tokens.empty());
  EXPECT_TRUE(draft_from_context(std::vector<TokenId>{5}, 4).tokens.empty());
}

}  // namespace
}  // namespace hearth::engine
