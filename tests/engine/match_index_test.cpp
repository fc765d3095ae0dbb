#include "engine/match_index.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

namespace hearth::engine {
namespace {

using Places = std::vector<std::pair<int, int>>;  // at, length

struct Text {
  std::vector<TokenId> tokens;
  std::vector<bool> silent;
};

int plain_length(const std::vector<TokenId>& tokens, int at, std::span<const TokenId> context) {
  int length = 0;
  while (length < MatchIndex::kLongestMatch && length < at && length < static_cast<int>(context.size()) &&
         tokens[at - 1 - length] != MatchIndex::kBorder &&
         tokens[at - 1 - length] == context[context.size() - 1 - length]) {
    ++length;
  }
  return length;
}

Places plain_find(const Text& text, std::span<const TokenId> context) {
  Places places;
  for (int at = 0; at < static_cast<int>(text.tokens.size()); ++at) {
    const int length = plain_length(text.tokens, at, context);
    const bool counts = !text.silent[at] && text.tokens[at] != MatchIndex::kBorder;
    if (counts && length >= MatchIndex::kShortContext) places.emplace_back(at, length);
  }
  return places;
}

Places found(const MatchIndex& index, std::span<const TokenId> context) {
  std::vector<MatchIndex::Place> places;
  index.find(context, 1 << 20, places);
  Places out;
  for (const auto& place : places) out.emplace_back(place.at, place.length);
  std::ranges::sort(out);
  return out;
}

TEST(MatchIndex, FindsWhatASearchOfTheWholeTextFinds) {
  std::mt19937 random(1);
  for (int round = 0; round < 60; ++round) {
    const int alphabet = 2 + static_cast<int>(random() % 12);
    MatchIndex index(700);
    Text text;
    for (int step = 0; step < 600; ++step) {
      const bool silent = random() % 20 == 0;
      const TokenId token =
          random() % 30 == 0 ? MatchIndex::kBorder : static_cast<TokenId>(random() % alphabet);
      silent ? index.append_silent(token) : index.append(token);
      text.tokens.push_back(token);
      text.silent.push_back(silent);
      if (random() % 6 == 0) {
        for (std::size_t n = std::min<std::size_t>(random() % 9, text.tokens.size()); n > 0; --n) {
          index.pop();
          text.tokens.pop_back();
          text.silent.pop_back();
        }
      }
      if (step % 7 != 0) continue;
      std::vector<TokenId> context;
      for (int n = static_cast<int>(random() % 3); n > 0; --n)
        context.push_back(static_cast<TokenId>(random() % alphabet));
      if (!text.tokens.empty()) {
        const std::size_t end = random() % text.tokens.size();
        const std::size_t n = std::min<std::size_t>(end, random() % 40);
        context.insert(context.end(), text.tokens.begin() + end - n, text.tokens.begin() + end);
      }
      ASSERT_EQ(found(index, context), plain_find(text, context)) << "round " << round << ", step " << step;
    }
  }
}

TEST(MatchIndex, LooksAtTheNewestPlacesFirst) {
  MatchIndex index(1 << 14);  // so large that no other context has the same hash
  for (int i = 0; i < 20; ++i) {
    for (const TokenId token : {1, 2, 100 + i}) index.append(token);
  }
  std::vector<MatchIndex::Place> places;
  const std::vector<TokenId> context{1, 2};
  index.find(context, 3, places);
  ASSERT_EQ(places.size(), 3u);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(index.tokens()[places[i].at], 119 - i);
}

TEST(MatchIndex, SaysWhetherAMatchReachesTheBorder) {
  MatchIndex index(100);
  for (const TokenId token : {7, 1, 2, 3, MatchIndex::kBorder, 1, 2, 3}) index.append(token);
  std::vector<MatchIndex::Place> places;
  const std::vector<TokenId> context{9, 1, 2};
  index.find(context, 10, places);
  ASSERT_EQ(places.size(), 2u);
  EXPECT_TRUE(places[0].whole);
  EXPECT_FALSE(places[1].whole) << "7 stands before it, 9 before the context";
}

}  // namespace
}  // namespace hearth::engine
