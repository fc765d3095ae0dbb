#include "lsp/silence.h"

#include <gtest/gtest.h>
#include <initializer_list>
#include <set>
#include <string>

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

// Documents longer than what is looked at, with the cursor at the end.
TEST(Silence, OfAPlaceFarDownALongDocumentIsThatOfItsLine) {
  std::string python, c, java = "class A {\n";
  for (int i = 0; i < 2000; ++i) {
    const std::string n = std::to_string(i);
    python += "def f" + n + "(x):\n    \"\"\"Don't: it's the \"first\" of # " + n +
              ".\n\n    More of it.\n    \"\"\"\n    return x\n\n";
    c += "/* It's /* the one\n   that isn't " + n + "\n */\nint f" + n +
         "(int x) {\n  return x;  // don't\n}\n\n";
    java += "    /**\n     * It's f" + n + ".\n     */\n    int f" + n +
            "(int x) {\n        return x; /* don't */\n    }\n\n";
  }
  struct Case {
    const char* language;
    std::string text;
    Silence silence;
  };
  for (const Case& item : std::initializer_list<Case>{
           {"python", python + "x = ", Silence::kNone},
           {"python", python + "x = 1  # a ", Silence::kComment},
           {"python", python + "def g():\n    \"\"\"Of ", Silence::kNone},
           {"c", c + "int y = ", Silence::kNone},
           {"c", c + "// a ", Silence::kComment},
           {"c", c + "/* a\n   b ", Silence::kComment},
           {"java", java + "    int y = ", Silence::kNone},
           {"java", java + "    // a ", Silence::kComment},
           {"python", "x = [" + std::string(200'000, '1') + ", ", Silence::kNone},
           {"python", "x = [" + std::string(200'000, '1') + "]  # a ", Silence::kComment},
       }) {
    // Wherever what is looked at may begin.
    for (std::size_t more = 0; more < 150; ++more) {
      const Document document("file:///a", item.language, 1, item.text + std::string(more, ' '));
      ASSERT_EQ(silence_of_place(document, document.text().size(), {}), item.silence)
          << item.text.substr(item.text.size() - 20) << " and " << more << " blanks";
    }
  }
}

TEST(Silence, IsABanWhereNothingIsToBeOfferedWhateverItComesFrom) {
  for (const Silence ban : {Silence::kOff, Silence::kLanguageOff, Silence::kSecret, Silence::kIgnored})
    EXPECT_TRUE(is_ban(ban));
  for (const Silence silence : {Silence::kNone, Silence::kLate, Silence::kUnsure, Silence::kNothingFits})
    EXPECT_FALSE(is_ban(silence));
}

}  // namespace
}  // namespace hearth::lsp
