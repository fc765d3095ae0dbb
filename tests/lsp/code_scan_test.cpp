#include "lsp/code_scan.h"

#include <gtest/gtest.h>

namespace hearth::lsp {
namespace {

std::string brackets(std::string_view text, std::string_view language) {
  std::string found;
  for (const Bracket& bracket : scan_code(text, syntax_of(language), 0).brackets) found += bracket.character;
  return found;
}

struct BracketCase {
  const char* language;
  const char* text;
  const char* brackets;
};

TEST(CodeScan, FindsBracketsOutsideStringsAndComments) {
  const std::vector<BracketCase> cases{
      {"python", "f([1], '(', \"[\") # {\n{}", "([]){}"},
      {"python", "\"\"\"( it's\n[ \"quoted\" \"\"\" )", ")"},
      {"python", "'''(\n''' (", "("},
      {"python", "'an escaped \\' (' )", ")"},
      {"python", "'cut off by the line end (\n)", ")"},
      {"cpp", "/* ( */ { // [\n }", "{}"},
      {"cpp", "char c = '('; x(1'000);", "()"},
      {"javascript", "`a ${b} (\n` + (", "("},
      {"rust", "fn f<'a>(x: &'a [u8]) -> char { '(' }", "([]){}"},
      {"go", "`(\n` (", "("},
      {"lua", "--[[ (\n ]] { -- (", "{"},
      {"json", "{\"a\": [\"}\"]}", "{[]}"},
      {"shellscript", "case a) b ;; esac", ""},
      {"plaintext", "(a]", ""},
  };
  for (const BracketCase& c : cases) EXPECT_EQ(brackets(c.text, c.language), c.brackets) << c.text;
}

TEST(CodeScan, BeginsInALongTextAtTheLineThatIsIndentedLeast) {
  const auto start_of = [](const std::string& line, std::size_t lines_before, std::size_t lines_after) {
    std::string text, after;
    for (std::size_t i = 0; i < lines_before; ++i) text += "        deep\n";
    for (std::size_t i = 0; i < lines_after; ++i) after += "\r\n        deep";
    text += line + after;
    const std::size_t start = scan_start(text, text.size());
    EXPECT_LE(text.size() - start, 32u * 1024) << line;
    return text.substr(start, text.find_first_of("\r\n", start) - start);
  };
  EXPECT_EQ(start_of("start", 10, 10), "        deep") << "all of it";
  EXPECT_EQ(start_of("class A:", 80'000, 1'500), "class A:");
  EXPECT_EQ(start_of("    def f():", 80'000, 1'500), "    def f():");
  EXPECT_EQ(start_of("\tdef f():", 80'000, 2'000), "\tdef f():");
  EXPECT_EQ(start_of("near", 80'000, 100), "        deep");
  EXPECT_EQ(start_of("far", 80'000, 4'000), "        deep");
  EXPECT_EQ(start_of("\n   \n", 80'000, 1'500), "        deep") << "no blank line";
  std::string line;
  for (int i = 0; i < 30'000; ++i) line += "é😀";
  for (std::size_t back = 0; back < 6; ++back) {
    const std::size_t start = scan_start(line, line.size() - back);
    EXPECT_TRUE(start % 6 == 0 || start % 6 == 2) << "half a character, " << back << " back";
  }
}

TEST(CodeScan, TellsWhereTheMarkIs) {
  struct Case {
    const char* text;  // `|` at the mark
    Inside inside;
  };
  for (const Case& c :
       {Case{"x = |'a'", Inside::kCode}, Case{"x = '|a'", Inside::kString}, Case{"x = 'a|'", Inside::kString},
        Case{"x = 'a'|", Inside::kCode}, Case{"x = 'a|", Inside::kString},
        Case{"x  # |a\n", Inside::kComment}, Case{"x  # a|\ny", Inside::kComment},
        Case{"x  # a\n|y", Inside::kCode}, Case{"|", Inside::kCode}, Case{"'''a\n|\n'''", Inside::kString},
        Case{"'''a\n|", Inside::kString}, Case{"x|", Inside::kCode}}) {
    std::string text = c.text;
    const std::size_t mark = text.find('|');
    text.erase(mark, 1);
    EXPECT_EQ(scan_code(text, syntax_of("python"), mark).at_mark, c.inside) << c.text;
  }
}

TEST(CodeScan, CountsStringsThatALineEndCutsOff) {
  EXPECT_EQ(scan_code("a = 'b\nc = \"d\n", syntax_of("python"), 0).unclosed_strings, 2);
  EXPECT_EQ(scan_code("a = 'b'\n", syntax_of("python"), 0).unclosed_strings, 0);
}

struct BalanceCase {
  const char* text;
  const char* open;
  const char* surplus;
};

TEST(CodeScan, PairsBracketsByKindAndIndentation) {
  const std::vector<BalanceCase> cases{
      {"f(a[1])", "", ""},
      {"f(a[1)", "[", ""},
      {"f(a))", "", ")"},
      {"a {\n  b {\n}\n", "{", ""},
      {"a {\n  b {\n  }\n", "{", ""},
      {"a {\n  b(\n}\n", "(", ""},
      {"}{", "{", "}"},
  };
  for (const BalanceCase& c : cases) {
    const BracketBalance balance = balance_of(scan_code(c.text, syntax_of("cpp"), 0).brackets);
    std::string open, surplus;
    for (const Bracket& bracket : balance.open) open += bracket.character;
    for (const Bracket& bracket : balance.surplus) surplus += bracket.character;
    EXPECT_EQ(open, c.open) << c.text;
    EXPECT_EQ(surplus, c.surplus) << c.text;
  }
  // By indentation it is the inner one of the two that nothing closes.
  const auto open = balance_of(scan_code("a {\n  b {\n}\n", syntax_of("cpp"), 0).brackets).open;
  EXPECT_EQ(open.at(0).offset, 8u);
}

TEST(CodeScan, KnowsWhatMayBeClosed) {
  struct Case {
    const char* text;  // `|` at the mark
    const char* closable;
  };
  for (const Case& c :
       {Case{"f(a|", "("}, Case{"f(a|)", ""}, Case{"f(g[|", "(["}, Case{"a {\n  b {\n    |\n}\n", "{"},
        Case{"a {\n  b {\n    |\n  }\n}\n", ""}, Case{"a {\n  f(|\n}\n", "("}}) {
    std::string text = c.text;
    const std::size_t mark = text.find('|');
    text.erase(mark, 1);
    std::string closable;
    for (const Bracket& bracket : closable_at(scan_code(text, syntax_of("cpp"), mark), mark)) {
      closable += bracket.character;
    }
    EXPECT_EQ(closable, c.closable) << c.text;
  }
}

TEST(Language, IsNamedByExtensionOrFileName) {
  EXPECT_EQ(language_of_path("src/a.py"), "python");
  EXPECT_EQ(language_of_path("a.TSX"), "typescriptreact");
  EXPECT_EQ(language_of_path("lib.v2/Makefile"), "makefile");
  EXPECT_EQ(language_of_path("CMakeLists.txt"), "cmake");
  EXPECT_EQ(language_of_path("notes"), "plaintext");
  EXPECT_EQ(language_of_path("a.unheard"), "plaintext");
  EXPECT_EQ(language_of_path(""), "plaintext");
}

}  // namespace
}  // namespace hearth::lsp
