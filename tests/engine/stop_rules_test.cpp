#include "engine/stop_rules.h"

#include <gtest/gtest.h>

namespace hearth::engine {
namespace {

struct Case {
  StopRules rules;
  std::string generated;
  std::string shown;
  bool ended;
};

// Fed whole and a byte at a time; the shown text must be the same and never shrink.
void check(const Case& c) {
  for (const std::size_t piece : {c.generated.size(), std::size_t{1}}) {
    StopMonitor monitor(c.rules);
    bool ended = false;
    std::string shown;
    for (std::size_t i = 0; i < c.generated.size(); i += piece) {
      ended = monitor.add(c.generated.substr(i, piece)) || ended;
      ASSERT_TRUE(monitor.safe().starts_with(shown)) << c.generated;
      shown = monitor.safe();
    }
    EXPECT_EQ(ended, c.ended) << c.generated;
    monitor.finish();
    ASSERT_TRUE(monitor.safe().starts_with(shown)) << c.generated;
    EXPECT_EQ(monitor.safe(), c.shown) << c.generated << " by " << piece;
  }
}

TEST(StopRules, EndsAtTheLineEnd) {
  check({{.max_lines = 1}, "return x\n    y", "return x", true});
  check({{.max_lines = 1}, "\nfoo", "", true});
  check({{.max_lines = 1}, "return x", "return x", false});
  check({{.max_lines = 2}, "a\nb\nc", "a\nb", true});
}

TEST(StopRules, PassesOverBlankLinesWhereTheyDoNotCount) {
  check({{.max_lines = 1, .skip_blank_lines = true}, "\n  \n    foo\nbar", "\n  \n    foo", true});
  check({{.max_lines = 1, .skip_blank_lines = true}, "foo\nbar", "foo", true});
  check({{.max_lines = 1, .skip_blank_lines = true}, "\n\n", "", false});
  check({{.max_lines = 0, .block_indentation = 4, .skip_blank_lines = true},
         "\nfoo\n    bar\nbaz",
         "\nfoo\n    bar",
         true});
}

TEST(StopRules, NeverEndsWithALineEnd) {
  check({{.max_lines = 0}, "a\n\n  ", "a", false});
  check({{.max_lines = 3}, "a\n\n\n", "a", true});
}

TEST(StopRules, EndsBeforeALineThatLeavesTheBlock) {
  check({{.max_lines = 0, .block_indentation = 4}, "a\n    b\n\n    c\nd", "a\n    b\n\n    c", true});
  check({{.max_lines = 0, .block_indentation = 4}, "a\n\tb\n  c", "a\n\tb", true});
  check({{.max_lines = 0, .block_indentation = 4}, "a\n    b\n", "a\n    b", false});
}

TEST(StopRules, EndsBeforeACloserOfTheTextBeforeTheCursor) {
  check({{.max_lines = 0, .bracket_depth = 0}, "a(b), c)d", "a(b), c", true});
  check({{.max_lines = 0, .bracket_depth = 1}, "a) b)", "a) b", true});
  check({{.max_lines = 0, .bracket_depth = 0}, "\")\" + x)", "\")\" + x", true});
}

TEST(StopRules, EndsAtAString) {
  check({{.max_lines = 0, .strings = {"END"}}, "a EN b END c", "a EN b ", true});
  check({{.max_lines = 0, .strings = {"END"}}, "a EN", "a EN", false});
}

TEST(StopRules, ShowsWholeCodePointsOnly) {
  check({{.max_lines = 1}, "\xE4\xB8\x80\xE4\xB8", "\xE4\xB8\x80", false});
}

}  // namespace
}  // namespace hearth::engine
