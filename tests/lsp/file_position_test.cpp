#include "lsp/file_position.h"

#include <gtest/gtest.h>

namespace hearth::lsp {
namespace {

TEST(FilePosition, IsReadFromItsLastTwoColons) {
  EXPECT_EQ(parse_file_position("src/a.py:3:14").value(), (FilePosition{"src/a.py", 3, 14}));
  EXPECT_EQ(parse_file_position("c:\\a:b.py:1:1").value(), (FilePosition{"c:\\a:b.py", 1, 1}));
}

TEST(FilePosition, SaysWhatIsWrongWithTheArgument) {
  struct Case {
    const char* argument;
    const char* part;
  };
  for (const Case& c : {Case{"a.py", "FILE:LINE:COL"}, Case{"a.py:3", "FILE:LINE:COL"},
                        Case{"", "FILE:LINE:COL"}, Case{":1:1", "FILE:LINE:COL"}, Case{"a.py:x:1", "LINE"},
                        Case{"a.py:0:1", "LINE"}, Case{"a.py:1:-1", "COL"}, Case{"a.py:1:", "COL"},
                        Case{"a.py:1:2x", "2x"}, Case{"a.py:99999999999999999999:1", "LINE"}}) {
    const auto position = parse_file_position(c.argument);
    ASSERT_FALSE(position) << c.argument;
    EXPECT_NE(position.error().message.find(c.part), std::string::npos) << position.error().message;
  }
}

TEST(FilePosition, CountsCharacters) {
  const std::string text = "é = 'ж🎉'\r\nlast";
  EXPECT_EQ(offset_of({"a", 1, 1}, text).value(), 0u);
  EXPECT_EQ(offset_of({"a", 1, 2}, text).value(), 2u);
  EXPECT_EQ(offset_of({"a", 1, 8}, text).value(), text.find('\'', 7));
  EXPECT_EQ(offset_of({"a", 1, 9}, text).value(), text.find('\r'));
  EXPECT_EQ(offset_of({"a", 2, 1}, text).value(), text.find("last"));
  EXPECT_EQ(offset_of({"a", 2, 5}, text).value(), text.size());
  EXPECT_EQ(offset_of({"a", 2, 1}, "x\n").value(), 2u);
  EXPECT_EQ(offset_of({"a", 1, 1}, "").value(), 0u);
}

TEST(FilePosition, SaysWhatLiesPastTheText) {
  EXPECT_EQ(offset_of({"a.py", 3, 1}, "x\ny").error().message, "a.py has 2 lines: there is no line 3");
  EXPECT_EQ(offset_of({"a.py", 1, 3}, "x\ny").error().message,
            "line 1 of a.py ends at column 2: there is no column 3");
}

TEST(FilePosition, RefusesTextThatIsNotUtf8) {
  for (const char* bad :
       {"\xff", "a\xc3", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82", "\x80"}) {
    EXPECT_FALSE(offset_of({"a.py", 1, 1}, bad)) << bad;
  }
}

}  // namespace
}  // namespace hearth::lsp
