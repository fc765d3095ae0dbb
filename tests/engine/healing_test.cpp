#include "engine/healing.h"

#include <gtest/gtest.h>
#include <string>

namespace hearth::engine {
namespace {

// `|` marks where the text is cut.
void check(const std::string& marked) {
  const auto cut = marked.find('|');
  const std::string text = marked.substr(0, cut) + marked.substr(cut + 1);
  EXPECT_EQ(healing_cut(text), cut) << marked;
}

TEST(Healing, CutsBeforeTheLastUnit) {
  check("|");
  check("|word");
  check("a =| b");
  check("return| self");
  check("self|.");
  check("x| +=");
  check("x +=| ");
  check("foo(|bar");
  check("def f():|\n    ");
  check("def f():|\n");
  check("a\n|b");
  check("a\n   | b");
  check("a\tb|\t");
}

TEST(Healing, CutsABlankBeforeAWordInAnyScript) { check("x =| \xD0\xBF\xD1\x80"); }

TEST(Healing, CutsNoMoreThanItsLimitAndNeverInsideACodePoint) {
  std::string text;
  for (int i = 0; i < 51; ++i) text += "\xE4\xB8\x80";  // 3 bytes each
  const auto cut = healing_cut(text);
  EXPECT_LE(text.size() - cut, 64u);
  EXPECT_EQ(cut % 3, 0u);
}

}  // namespace
}  // namespace hearth::engine
