#include "engine/weighing.h"

#include <gtest/gtest.h>

namespace hearth::engine {
namespace {

WeighingText around(const std::string& before, const std::string& after, int max_lines = 1) {
  Job job;
  job.segments = {{.kind = SegmentKind::kSuffix, .text = after},
                  {.kind = SegmentKind::kPrefix, .text = before.substr(0, before.size() / 2)},
                  {.kind = SegmentKind::kTyped, .text = before.substr(before.size() / 2)}};
  job.stop.max_lines = max_lines;
  return weighing_text(job);
}

TEST(Weighing, ReadsTheNextWordsOfTheNextLines) {
  EXPECT_EQ(around("x = ", "\n\n  y = x\n\n\n  z = y\n  w\n").head, "\n\n  y = x\n\n\n  z = y");
  EXPECT_EQ(around("x = f(", ")\n").head, "") << "no word";
  EXPECT_EQ(around("x = ", "").head, "");
  EXPECT_EQ(around("x = ", "\n  return " + std::string(80, 'a')).head, "\n  return");
  EXPECT_EQ(around("x = ", "\n  y\n", 0).head, "") << "a block does not end at its first line";
}

TEST(Weighing, BeginsAtTheSameLineWhileSomethingIsTyped) {
  std::string before;
  for (int i = 0; i < 60; ++i) before += "line " + std::to_string(i) + "\n";
  int moves = 0;
  std::string last = around(before, "\ny").window;
  EXPECT_TRUE(last.starts_with("line "));
  for (int i = 0; i < 400; ++i) {
    before += 'x';
    const std::string window = around(before, "\ny").window;
    EXPECT_TRUE(before.ends_with(window));
    EXPECT_GE(window.size(), 100u);
    EXPECT_LE(window.size(), 500u);
    moves += window.starts_with(last) ? 0 : 1;
    last = window;
  }
  EXPECT_LE(moves, 2);
  EXPECT_EQ(around("short", "\ny").window, "short");
}

TEST(Weighing, CutsNoCharacterInTwo) {
  std::string before = "a";
  for (int i = 0; i < 500; ++i) before += "\xD0\xBF";
  for (int i = 0; i < 3; ++i, before += 'a') {
    EXPECT_EQ(static_cast<unsigned char>(around(before, "\ny").window.front()), 0xD0) << i;
  }
}

}  // namespace
}  // namespace hearth::engine
