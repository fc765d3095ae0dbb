#include "indexer/identifiers.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace hearth::indexer {
namespace {

TEST(Identifiers, AreToldOnceWithTheirParts) {
  struct Case {
    const char* text;
    const char* words;
  };
  for (const Case& test : {
           Case{"", ""},
           Case{"a b1 a B1", "b1"},
           Case{"parseHeader", "parseheader parse header"},
           Case{"parse_header(parseHeader)", "parse_header parse header parseheader"},
           Case{"HTTPServer2 XMLHttpRequest", "httpserver2 http server2 xmlhttprequest xml request"},
           Case{"__init__ _x $y", "__init__ init _x $y"},
           Case{"0x1f 12ab \"text\" // word", "text word"},
           Case{"caf\xc3\xa9", "caf\xc3\xa9"},
       }) {
    EXPECT_EQ(test.words, identifier_words(test.text)) << test.text;
  }
}

TEST(Identifiers, KnowEveryWordOfALargeText) {
  std::string text;
  for (int i = 0; i < 9'000; ++i) text += "w" + std::to_string(i % 5'000) + ' ';
  const std::string words = identifier_words(text);
  EXPECT_EQ(4'999, std::count(words.begin(), words.end(), ' '));
  EXPECT_EQ(std::string::npos, identifier_words(std::string(1'000, 'a') + " b").find('a'));
}

}  // namespace
}  // namespace hearth::indexer
