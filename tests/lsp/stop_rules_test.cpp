#include "lsp/stop_rules.h"

#include <gtest/gtest.h>

namespace hearth::lsp {
namespace {

struct Case {
  const char* name;
  const char* language;
  const char* document;  // `|` at the cursor
  Extent extent;
  int max_lines;
  std::optional<int> block_indentation, bracket_depth;
};

constexpr int kBlockLines = 12;

const std::vector<Case> kCases{
    {"a plain statement", "python", "x = |\n", Extent::kAuto, 1, {}, 0},
    {"an empty python block", "python", "def f():\n    |\n", Extent::kAuto, kBlockLines, 4, 0},
    {"after a colon", "python", "def f():|\n", Extent::kAuto, kBlockLines, 1, 0},
    {"after a colon and a comment", "python", "def f():  # why\n    |\n", Extent::kAuto, kBlockLines, 4, 0},
    {"a colon that is a slice", "python", "x[1:|]\n", Extent::kAuto, kBlockLines, 1, 1},
    {"a block that has statements", "python", "def f():\n    |\n    return 1\n", Extent::kAuto, 1, {}, 0},
    {"a line asked for", "python", "def f():\n    |\n", Extent::kLine, 1, {}, 0},
    {"a block asked for", "python", "def f():\n    x = 1\n    |\n", Extent::kBlock, kBlockLines, 4, 0},
    {"a block asked for with code on the right", "python", "x = | + 1\n", Extent::kBlock, 1, {}, 0},
    {"a block asked for at column 0", "python", "|\n", Extent::kBlock, kBlockLines, {}, 0},
    {"an empty block of braces", "cpp", "void f() {\n  |\n}\n", Extent::kAuto, kBlockLines, 2, 0},
    {"auto-closed braces", "cpp", "void f() {|}\n", Extent::kAuto, kBlockLines, 1, 1},
    {"an open brace", "cpp", "void f() {|\n", Extent::kAuto, kBlockLines, 1, 1},
    {"auto-closed brackets", "cpp", "  f(a, g(|))\n", Extent::kAuto, 1, {}, 2},
    {"open brackets", "cpp", "  f(a, g(|\n", Extent::kAuto, 1, {}, 2},
    {"a bracket that the next line closes", "cpp", "f(\n  |\n)\n", Extent::kAuto, kBlockLines, 2, 0},
    {"rest with code keeps its closers", "cpp", "f(|, g(1))\n", Extent::kAuto, 1, {}, 0},
    {"in a string brackets mean nothing", "python", "print(\"a (|\")\n", Extent::kAuto, 1, {}, {}},
    {"in a comment brackets mean nothing", "python", "# see (|\n", Extent::kAuto, 1, {}, {}},
    {"in prose brackets mean nothing", "markdown", "a (b|\n", Extent::kAuto, 1, {}, {}},
    {"a lua function", "lua", "function f(x)\n  |\nend\n", Extent::kAuto, kBlockLines, 2, 0},
    {"a lua function in one line", "lua", "function f(x) return x end\n|\n", Extent::kAuto, 1, {}, 0},
    {"a ruby block", "ruby", "def f\n  |\nend\n", Extent::kAuto, kBlockLines, 2, 0},
    {"a makefile rule", "makefile", "all:\n\t|\n", Extent::kAuto, kBlockLines, 4, {}},
    {"a shell loop", "shellscript", "for a in b; do\n  |\ndone\n", Extent::kAuto, kBlockLines, 2, {}},
    {"an arrow function", "javascript", "const f = () => {\n  |\n};\n", Extent::kAuto, kBlockLines, 2, 0},
    {"an if without its end", "cpp", "void f() {\n  if (x) {\n    |\n}\n", Extent::kAuto, kBlockLines, 4, 1},
    {"a colon in C++ opens nothing", "cpp", "  case 1:\n    |\n", Extent::kAuto, 1, {}, 0},
};

CursorPlace place_of(const Case& c, std::string& storage) {
  storage = c.document;
  const std::size_t cursor = storage.find('|');
  storage.erase(cursor, 1);
  return {storage, cursor, "a", c.language};
}

TEST(StopRules, FollowFromTheCursorsPlace) {
  for (const Case& c : kCases) {
    std::string text;
    const engine::StopRules stop = request_stop_rules(place_of(c, text), Settings{}, c.extent);
    EXPECT_EQ(stop.max_lines, c.max_lines) << c.name;
    EXPECT_EQ(stop.block_indentation, c.block_indentation) << c.name;
    EXPECT_EQ(stop.bracket_depth, c.bracket_depth) << c.name;
    EXPECT_EQ(stop.max_tokens, 64) << c.name;
  }
}

TEST(StopRules, FollowTheSettings) {
  std::string text = "def f():\n    \n";
  const CursorPlace place{text, text.size() - 1, "a", "python"};
  Settings settings;
  settings.completion_max_lines = 5;
  settings.completion_max_tokens = 7;
  EXPECT_EQ(request_stop_rules(place, settings).max_lines, 5);
  EXPECT_EQ(request_stop_rules(place, settings).max_tokens, 7);
  settings.completion_multi_line = MultiLine::kNever;
  EXPECT_EQ(request_stop_rules(place, settings).max_lines, 1);
  EXPECT_EQ(request_stop_rules(place, settings, Extent::kBlock).max_lines, 5);
  settings.completion_multi_line = MultiLine::kAlways;
  const CursorPlace start{text, 0, "a", "python"};
  EXPECT_EQ(request_stop_rules(start, settings).max_lines, 1) << "code on the right";
  const CursorPlace end{text, text.size(), "a", "python"};
  EXPECT_EQ(request_stop_rules(end, settings).max_lines, 5);
}

}  // namespace
}  // namespace hearth::lsp
