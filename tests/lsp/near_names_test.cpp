#include "lsp/near_names.h"

#include <gtest/gtest.h>

namespace hearth::lsp {
namespace {

constexpr std::string_view kMark = "▮";

// The names around the mark, members with a dot before them.
std::vector<std::string> names(std::string marked, std::string_view language = "python") {
  const std::size_t cursor = marked.find(kMark);
  marked.erase(cursor, kMark.size());
  std::vector<std::string> names;
  for (const NearName& name : near_names(marked, cursor, syntax_of(language)).names) {
    names.push_back((name.is_member ? "." : "") + name.name);
  }
  return names;
}

WordAtCursor word(std::string marked, std::string_view language = "python") {
  const std::size_t cursor = marked.find(kMark);
  return near_names(marked.erase(cursor, kMark.size()), cursor, syntax_of(language)).word;
}

using Names = std::vector<std::string>;

TEST(NearNames, AreEachAsFarAwayAsTheirNearestUse) {
  EXPECT_EQ(names("total = 1\nprice = 2\ntotal + ▮\nlater"), (Names{"later", "total", "price"}));
}

TEST(NearNames, AreNotThoseOfStringsAndComments) {
  EXPECT_EQ(names("# remark\nname = \"text\"  # more\n'''long\ntext'''\n▮"), Names{"name"});
  EXPECT_EQ(names("/* remark */ int name = 'c'; // more\n▮", "cpp"), (Names{"name", "int"}));
}

TEST(NearNames, AreNeitherNumbersNorSingleLettersNorTheWordAtHand) {
  EXPECT_EQ(names("x = 1e5 + y2 + 0x12\nval▮ue"), Names{"y2"});
}

TEST(NearNames, KnowWhatStandsBehindADot) {
  EXPECT_EQ(names("self.items\nrange(1)\n▮"), (Names{"range", ".items", "self"}));
  EXPECT_EQ(names("a->size; std::string s; [...more]\n▮", "cpp"), (Names{"more", ".string", "std", ".size"}));
}

TEST(NearNames, ReadAnyScript) {
  EXPECT_EQ(names("größe = 東京都 + имя\n▮"), (Names{"имя", "東京都", "größe"}));
}

TEST(NearNames, SayWhereTheWordAtTheCursorBegins) {
  EXPECT_EQ(word("x = compu▮te").begin, 4u);
  EXPECT_FALSE(word("x = compu▮").is_member);
  EXPECT_TRUE(word("x.compu▮").is_member);
  EXPECT_TRUE(word("x->▮", "cpp").is_member);
  EXPECT_FALSE(word("[...▮", "javascript").is_member);
  EXPECT_TRUE(word("x = ▮").in_code);
  EXPECT_FALSE(word("x = 'com▮'").in_code);
  EXPECT_FALSE(word("# com▮").in_code);
}

TEST(NearNames, OfAHugeTextAreThoseAroundTheCursor) {
  const std::string far(200'000, '\n');
  EXPECT_EQ(names("before\n" + far + "near\n▮\n" + far + "after"), Names{"near"});
  const std::string line(100'000, 'x');
  EXPECT_EQ(names("near " + line + " ▮"), Names{"near"});
}

TEST(NearNames, BeginAsWhatIsTypedDoesInEitherCase) {
  EXPECT_TRUE(begins_with("HttpServer", "http"));
  EXPECT_TRUE(begins_with("server", ""));
  EXPECT_FALSE(begins_with("ser", "server"));
  EXPECT_FALSE(begins_with("observer", "server"));
}

}  // namespace
}  // namespace hearth::lsp
