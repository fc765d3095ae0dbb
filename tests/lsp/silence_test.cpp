#include "lsp/silence.h"

#include <gtest/gtest.h>
#include <set>

namespace hearth::lsp {
namespace {

engine::Final answer(const std::string& text, double confidence, engine::FinishReason reason) {
  engine::Final final{.reason = reason};
  final.alternatives.push_back({text, -1, confidence});
  return final;
}

TEST(Silence, OfAnAnswerIsWhatKeptItFromBeingShown) {
  using enum engine::FinishReason;
  EXPECT_EQ(silence_of(answer("x", 0.1, kStop), 0.15), Silence::kUnsure);
  EXPECT_EQ(silence_of(answer("x", 0.1, kStop), 0), Silence::kNothingFits);
  EXPECT_EQ(silence_of(answer(" \n", 0.9, kStop), 0.15), Silence::kSaidNothing);
  EXPECT_EQ(silence_of(answer("", 0.9, kDeadline), 0.15), Silence::kLate);
  EXPECT_EQ(silence_of({.reason = kDeadline}, 0.15), Silence::kLate);
}

TEST(Silence, HasAReasonOfItsOwnForEachCause) {
  const Document document("file:///a.py", "python", 1, "");
  std::set<std::string> codes, messages;
  int causes = 0;
  for (int i = 0; i <= static_cast<int>(Silence::kSuperseded); ++i, ++causes) {
    const boost::json::object said = explanation(static_cast<Silence>(i), document, {}, {});
    EXPECT_EQ(said.at("suggests").as_bool(), static_cast<Silence>(i) == Silence::kNone);
    codes.emplace(said.at("code").as_string());
    messages.emplace(said.at("message").as_string());
  }
  EXPECT_EQ(codes.size(), causes);
  EXPECT_EQ(messages.size(), causes);
}

TEST(Silence, IsABanWhereNothingIsToBeOfferedWhateverItComesFrom) {
  for (const Silence ban : {Silence::kOff, Silence::kLanguageOff, Silence::kSecret, Silence::kIgnored})
    EXPECT_TRUE(is_ban(ban));
  for (const Silence silence : {Silence::kNone, Silence::kLate, Silence::kUnsure, Silence::kNothingFits})
    EXPECT_FALSE(is_ban(silence));
}

}  // namespace
}  // namespace hearth::lsp
