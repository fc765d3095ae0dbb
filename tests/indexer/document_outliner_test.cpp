#include "indexer/document_outliner.h"

#include <gtest/gtest.h>
#include <random>

#include "indexer/languages.h"

namespace hearth::indexer {
namespace {

constexpr std::chrono::milliseconds kLimit{2000};

TEST(EditBetween, IsTheOneReplacementThatMakesTheOtherText) {
  const struct {
    std::string before, after;
    std::uint32_t start, old_end, new_end;
  } cases[] = {
      {"one\ntwo\n", "one\ntwo\n", 8, 8, 8},         {"", "a\nb", 0, 0, 3},      {"aaa", "aa", 2, 3, 2},
      {"one\ntwo\nthree", "one\n2\nthree", 4, 7, 5}, {"abcabc", "abc", 3, 6, 3},
  };
  for (const auto& [before, after, start, old_end, new_end] : cases) {
    const TextEdit edit = edit_between(before, after);
    EXPECT_EQ(edit.start, start) << before;
    EXPECT_EQ(edit.old_end, old_end) << before;
    EXPECT_EQ(edit.new_end, new_end) << before;
  }
  const TextEdit edit = edit_between("one\ntwo\nthree", "one\n2\nthree");
  EXPECT_EQ(edit.start_point.row, 1U);
  EXPECT_EQ(edit.start_point.column, 0U);
  EXPECT_EQ(edit.old_end_point.column, 3U);
  EXPECT_EQ(edit.new_end_point.column, 1U);
}

std::string function(int number) {
  const std::string name = "step_" + std::to_string(number);
  return "def " + name + "(state, é):\n    \"\"\"Takes " + name + ".\"\"\"\n    return state + " +
         std::to_string(number) + "\n\n\n";
}

// One more character of a line, a function more or less, or another text altogether.
void change(std::string& text, std::mt19937& random) {
  const auto line_start = [&] {
    std::vector<std::size_t> starts{0};
    for (std::size_t at = text.find("\ndef "); at != std::string::npos; at = text.find("\ndef ", at + 1))
      starts.push_back(at + 1);
    return starts[random() % starts.size()];
  };
  const std::size_t at = line_start();
  switch (random() % 8) {
    case 0: text.insert(at, function(static_cast<int>(random() % 1000))); break;
    case 1: text.erase(at, text.find("\ndef ", at + 1) - at); break;
    case 2: text = function(1) + function(2); break;
    case 3:
      text.insert(at, "class Wrapper" + std::to_string(random() % 10) + ":\n    value = 1\n\n\n");
      break;
    default: text.insert(std::min(at + random() % 60, text.size()), 1, "x1_ (\n:é"[random() % 7]); break;
  }
}

TEST(DocumentOutliner, SaysOfAnEditedTextThatParsesWhatAFreshOutlineSays) {
  std::mt19937 random(7);
  const Language& python = *language_named("python");
  DocumentOutliner edited;
  Outliner fresh;
  std::string text;
  for (int i = 0; i < 40; ++i) text += function(i);
  int compared = 0;
  for (int i = 0; i < 400; ++i) {
    if (i % 20 == 0) {
      text.clear();
      for (int j = 0; j < 40; ++j) text += function(j);
    }
    change(text, random);
    const auto outline = edited.outline("a.py", python, text, kLimit, {});
    ASSERT_TRUE(outline && *outline);
    const auto tree = fresh.parse(python, text, kLimit, {});
    ASSERT_TRUE(tree);
    if (ts_node_has_error(tree->root())) continue;
    const auto wanted = fresh.outline(python, text, *tree);
    ASSERT_TRUE(wanted);
    ASSERT_EQ((*outline)->symbols, wanted->symbols) << text;
    ASSERT_EQ((*outline)->imports, wanted->imports);
    ++compared;
  }
  EXPECT_GT(compared, 50);
}

TEST(DocumentOutliner, TellsLanguagesApart) {
  DocumentOutliner outliner;
  const std::string text = "int f(int x) { return x; }\n";
  for (int i = 0; i < 2; ++i) {
    const auto in_c = outliner.outline("a.c", *language_named("c"), text, kLimit, {});
    ASSERT_TRUE(in_c && *in_c);
    EXPECT_EQ((*in_c)->symbols.size(), 1U);
    const auto in_json = outliner.outline("a.c", *language_named("json"), text, kLimit, {});
    ASSERT_TRUE(in_json && *in_json);
    EXPECT_TRUE((*in_json)->symbols.empty());
  }
}

}  // namespace
}  // namespace hearth::indexer
