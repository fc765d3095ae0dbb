#include "lsp/typing_trace.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace hearth::lsp {
namespace {

std::string source() {
  std::string text;
  for (int i = 0; i < 60; ++i) text += "def f" + std::to_string(i) + "(x):\n    return x + \xC3\xA9\n\n";
  return text;
}

// The document after all keys, each held against what the trace says is ahead.
std::string play(const TypingTrace& trace) {
  std::string text = trace.text;
  std::size_t cursor = 0;
  for (const TraceKey& key : trace.keys) {
    if (key.kind == KeyKind::kBackspace) text.erase(key.cursor, cursor - key.cursor);
    if (key.kind != KeyKind::kJump)
      text.insert(key.kind == KeyKind::kBackspace ? key.cursor : cursor, key.text);
    if (key.kind == KeyKind::kCharacter || key.kind == KeyKind::kNewline) {
      EXPECT_EQ(cursor + key.text.size(), key.cursor);
    }
    cursor = key.cursor;
  }
  return text;
}

TEST(TypingTrace, TypesTheSourceBack) {
  const auto trace =
      generate_trace("a.py", "python", source(), {.seed = 3, .keys = 4000, .passages = 4, .slips = 0.1});
  EXPECT_EQ(play(trace), source());
  EXPECT_LT(trace.text.size(), source().size());
  EXPECT_TRUE(std::ranges::any_of(trace.keys, [](const auto& k) { return k.kind == KeyKind::kBackspace; }));
}

TEST(TypingTrace, IsTheSameForTheSameSeed) {
  EXPECT_EQ(generate_trace("a", "b", source(), {.seed = 3}), generate_trace("a", "b", source(), {.seed = 3}));
  EXPECT_NE(generate_trace("a", "b", source(), {.seed = 3}), generate_trace("a", "b", source(), {.seed = 4}));
}

TEST(TypingTrace, SurvivesAFile) {
  const auto trace = generate_trace("a.py", "python", source(), {});
  std::string problem;
  EXPECT_EQ(read_trace(write_trace(trace), problem), trace) << problem;
}

TEST(TypingTrace, HasNoKeysForASourceWithoutLines) {
  EXPECT_TRUE(generate_trace("a", "b", "x", {}).keys.empty());
  EXPECT_TRUE(generate_trace("a", "b", "", {}).keys.empty());
}

TEST(TypingTrace, SaysWhichLineOfAFileIsBroken) {
  for (const char* text : {"", "{}", "nonsense", "{\"path\":\"a\",\"language\":\"b\",\"text\":\"c\"}\n[]",
                           "{\"path\":\"a\",\"language\":\"b\",\"text\":\"c\"}\n{\"key\":\"jump\",\"text\":"
                           "\"\",\"ahead\":\"\"}"}) {
    std::string problem;
    EXPECT_FALSE(read_trace(text, problem)) << text;
    EXPECT_FALSE(problem.empty()) << text;
  }
}

}  // namespace
}  // namespace hearth::lsp
