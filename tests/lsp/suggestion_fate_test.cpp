#include "lsp/suggestion_fate.h"

#include <gtest/gtest.h>

namespace hearth::lsp {
namespace {

constexpr std::string_view kMark = "▮";

// A document given with the cursor at ▮.
struct At {
  Snapshot document;
  std::size_t cursor;
};

At at(std::string text) {
  const std::size_t cursor = text.find(kMark);
  if (cursor != std::string::npos) text.erase(cursor, kMark.size());
  return {std::make_shared<const Document>("file:///a.py", "python", 1, std::move(text)), cursor};
}

class SuggestionFateTest : public ::testing::Test {
 protected:
  SuggestionFate::Shown shown(const std::string& text, const std::vector<Insertion>& insertions) {
    const At place = at(text);
    return fate_.shown(place.document, place.cursor, insertions);
  }
  void edited(const std::string& text) { fate_.edited(at(text).document); }

  // What the events so far came to.
  std::optional<Outcome> outcome() {
    fate_.left();
    return fate_.take();
  }

  SuggestionFate fate_;
};

TEST_F(SuggestionFateTest, IsAcceptedWhenItComesAtOneStroke) {
  shown("x = ▮\n", {{"compute(1)"}});
  edited("x = compute(1)\n");
  EXPECT_EQ(outcome(), (Outcome{Fate::kAccepted, 10}));
}

TEST_F(SuggestionFateTest, IsAcceptedWhateverAlternativeWasTaken) {
  shown("x = ▮\n", {{"compute(1)"}, {"größe"}});
  edited("x = größe\n");
  EXPECT_EQ(outcome(), (Outcome{Fate::kAccepted, 5}));
}

TEST_F(SuggestionFateTest, IsAcceptedOverTheClosersItReplaces) {
  shown("def f(▮)\n", {{"a, b):", 1}});
  edited("def f(a, b):\n");
  EXPECT_EQ(outcome(), (Outcome{Fate::kAccepted, 5}));
}

TEST_F(SuggestionFateTest, CountsOnlyWhatCameAtAStroke) {
  shown("x = ▮\n", {{"compute(1)"}});
  edited("x = c\n");
  EXPECT_EQ(shown("x = c▮\n", {{"ompute(1)"}}), SuggestionFate::Shown::kSame);
  edited("x = compute(1)\n");
  EXPECT_EQ(outcome(), (Outcome{Fate::kAccepted, 9}));
}

TEST_F(SuggestionFateTest, IsAcceptedInPartByWords) {
  shown("x = ▮\n", {{"compute(first, second)"}});
  edited("x = compute\n");
  edited("x = compute(first\n");
  edited("x = compute(first)\n");
  EXPECT_EQ(outcome(), (Outcome{Fate::kPartlyAccepted, 13}));
}

TEST_F(SuggestionFateTest, IsTypedThroughKeyByKey) {
  shown("x = ▮\n", {{"abc"}});
  for (const char* text : {"x = a\n", "x = ab\n", "x = abc\n"}) edited(text);
  EXPECT_EQ(outcome(), (Outcome{Fate::kTypedThrough, 0}));
}

TEST_F(SuggestionFateTest, IsTypedThroughWithTheClosersThatTheEditorAdds) {
  shown("x = ▮\n", {{"f(a)"}});
  edited("x = f\n");
  edited("x = f()\n");
  edited("x = f(a)\n");
  EXPECT_EQ(outcome(), (Outcome{Fate::kTypedThrough, 0}));
}

TEST_F(SuggestionFateTest, IsDisplacedByOtherText) {
  shown("x = ▮\n", {{"compute(1)"}});
  edited("x = d\n");
  EXPECT_EQ(outcome(), (Outcome{Fate::kDisplaced, 0}));
}

TEST_F(SuggestionFateTest, IsDisplacedByAnotherSuggestionOrNone) {
  shown("x = ▮\n", {{"compute(1)"}});
  EXPECT_EQ(shown("x = ▮\n", {{"total"}}), SuggestionFate::Shown::kNew);
  EXPECT_EQ(fate_.take(), std::nullopt);
  EXPECT_EQ(shown("x = ▮\n", {}), SuggestionFate::Shown::kNothing);
  EXPECT_EQ(fate_.take(), (Outcome{Fate::kDisplaced, 0}));
  EXPECT_EQ(outcome(), (Outcome{Fate::kDisplaced, 0}));
}

TEST_F(SuggestionFateTest, GoesOnWhereItGrows) {
  shown("x = ▮\n", {{"comp"}});
  edited("x = c\n");
  EXPECT_EQ(shown("x = c▮\n", {{"ompute(first)"}}), SuggestionFate::Shown::kSame);
}

TEST_F(SuggestionFateTest, BelievesTheEditorWhereTheEditIsAnother) {
  shown("x = ▮\n", {{"compute(1)"}});
  edited("x = compute( 1 )\n");  // formatted on the way
  fate_.confirmed();
  const auto found = outcome();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->fate, Fate::kAccepted);
  EXPECT_GT(found->characters, 0);
}

TEST_F(SuggestionFateTest, BelievesTheEditorOnALastCharacter) {
  shown("f(1▮\n", {{")"}});
  edited("f(1)\n");
  fate_.confirmed();
  EXPECT_EQ(outcome(), (Outcome{Fate::kAccepted, 1}));
}

TEST_F(SuggestionFateTest, IsNothingWithoutASuggestion) {
  edited("x = 1\n");
  fate_.confirmed();
  EXPECT_EQ(outcome(), std::nullopt);
}

}  // namespace
}  // namespace hearth::lsp
