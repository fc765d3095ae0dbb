#include "lsp/typed_through.h"

#include <gtest/gtest.h>

namespace hearth::lsp {
namespace {

struct Marked {
  std::string text;
  std::size_t cursor;
};

Marked marked(const std::string& text) {
  const std::size_t cursor = text.find('|');
  return {text.substr(0, cursor) + text.substr(cursor + 1), cursor};
}

struct Case {
  const char* name;
  const char* before;  // where the answer was given
  std::vector<Insertion> answer;
  const char* now;
  std::vector<Insertion> rest;
};

const std::vector<Case> kCases{
    {"nothing typed", "x = |\n", {{"foo(1)", 0}}, "x = |\n", {{"foo(1)", 0}}},
    {"typed its start", "x = |\n", {{"foo(1)", 0}}, "x = foo|\n", {{"(1)", 0}}},
    {"typed something else", "x = |\n", {{"foo(1)", 0}}, "x = bar|\n", {}},
    {"typed all of it", "x = |\n", {{"foo", 0}}, "x = foo|\n", {}},
    {"typed beyond it", "x = |\n", {{"foo", 0}}, "x = food|\n", {}},
    {"the one that still fits",
     "x = |",
     {{"foo", 0}, {"bar", 0}, {"baz", 0}},
     "x = ba|",
     {{"r", 0}, {"z", 0}}},
    {"the same rest once", "x = |", {{"foo", 0}, {"foo", 0}}, "x = f|", {{"oo", 0}}},
    {"text after changed", "x = |\ny\n", {{"foo", 0}}, "x = f|\nz\n", {}},
    {"text before changed", "x = |\n", {{"foo", 0}}, "y = f|\n", {}},
    {"deleted before the place", "x = |\n", {{"foo", 0}}, "x =|\n", {}},
    {"same prefix with another suffix", "f(|)", {{"a", 0}}, "f(|, b)", {}},
    {"through a new line",
     "if x:|\n",
     {{"\n    go()\n    on()", 0}},
     "if x:\n    |\n",
     {{"go()\n    on()", 0}}},
    {"nothing but blanks left", "x|\n", {{"y \n  ", 0}}, "xy|\n", {}},
    {"an auto-closed bracket that ends the rest", "foo|\n", {{"(a, b)", 0}}, "foo(|)\n", {{"a, b", 0}}},
    {"an auto-closed bracket inside the rest", "def foo|\n", {{"(a):", 0}}, "def foo(|)\n", {{"a):", 1}}},
    {"auto-closed bracket and quote", "p|\n", {{"(\"a\", 1)", 0}}, "p(\"|\")\n", {{"a\", 1)", 2}}},
    {"a closer that no opener was typed for", "foo|\n", {{"(a)", 0}}, "foo|)\n", {}},
    {"an auto-closed bracket that the rest has not", "foo|\n", {{"(a", 0}}, "foo(|)\n", {}},
    {"inside a bracket that is replaced", "def f(|)\n", {{"a, b):", 1}}, "def f(a|)\n", {{", b):", 1}}},
    {"a replaced bracket typed over", "def f(|)\n", {{"a): x", 1}}, "def f(a)|\n", {{": x", 0}}},
    {"a bracket typed over that was not replaced", "def f(|)\n", {{"a): x", 0}}, "def f(a)|\n", {}},
};

TEST(TypedThrough, GivesWhatIsLeftOfTheAnswer) {
  for (const Case& c : kCases) {
    const Marked before = marked(c.before);
    const Marked now = marked(c.now);
    EXPECT_EQ(typed_through({before.text, before.cursor, c.answer}, now.text, now.cursor), c.rest) << c.name;
  }
}

TEST(TypedThrough, AnswersNothingForPositionsPastTheText) {
  EXPECT_TRUE(typed_through({"abc", 3, {{"d", 0}}}, "abc", 9).empty());
  EXPECT_TRUE(typed_through({"abc", 3, {{"d", 0}}}, "ab", 2).empty());
}

}  // namespace

void PrintTo(const Insertion& insertion, std::ostream* out) {
  *out << '"' << insertion.text << "\" over " << insertion.replaces_after;
}

}  // namespace hearth::lsp
