#include "indexer/ignore_patterns.h"

#include <gtest/gtest.h>

namespace hearth::indexer {
namespace {

using Verdict = IgnorePatterns::Verdict;

TEST(IgnorePatterns, FollowTheManual) {
  struct Case {
    const char* text;
    const char* path;
    EntryKind kind;
    Verdict verdict;
  };
  constexpr EntryKind kFile = EntryKind::kFile, kFolder = EntryKind::kFolder;
  constexpr Verdict kNone = Verdict::kNone, kIgnored = Verdict::kIgnored, kKept = Verdict::kKept;
  for (const Case& test : {
           Case{"", "a", kFile, kNone},
           Case{"a", "a", kFile, kIgnored},
           Case{"a", "x/a", kFile, kIgnored},
           Case{"/a", "x/a", kFile, kNone},
           Case{"x/a", "x/a", kFile, kIgnored},
           Case{"x/a", "y/x/a", kFile, kNone},
           Case{"a/", "a", kFile, kNone},
           Case{"a/", "x/a", kFolder, kIgnored},
           Case{"*.o", "x/y.o", kFile, kIgnored},
           Case{"x/*.o", "x/y/z.o", kFile, kNone},
           Case{"x/**/z", "x/z", kFile, kIgnored},
           Case{"x/**/z", "x/a/b/z", kFile, kIgnored},
           Case{"**/z", "z", kFile, kIgnored},
           Case{"x/**", "x", kFolder, kNone},
           Case{"x/**", "x/y/z", kFile, kIgnored},
           Case{"# a\n\\#b\r\n", "#b", kFile, kIgnored},
           Case{"# a", "# a", kFile, kNone},
           Case{"a  ", "a", kFile, kIgnored},
           Case{"a\\ ", "a ", kFile, kIgnored},
           Case{"a\n!a", "a", kFile, kKept},
           Case{"!a\na", "a", kFile, kIgnored},
           Case{"\\!a", "!a", kFile, kIgnored},
           Case{"x/a**/z", "x/ab/c/z", kFile, kIgnored},
           Case{"x/?a**/z", "x/ba/c/z", kFile, kNone},
           Case{"[a-c]x", "bx", kFile, kIgnored},
           Case{"[!a-c]x", "bx", kFile, kNone},
           Case{"[[:digit:]]", "7", kFile, kIgnored},
           Case{"[]]", "]", kFile, kIgnored},
           Case{"[a", "[a", kFile, kNone},
           Case{"a\\", "a\\", kFile, kNone},
           Case{"\xef\xbb\xbf"
                "a",
                "a", kFile, kIgnored},
       }) {
    EXPECT_EQ(test.verdict, IgnorePatterns(test.text).match(test.path, test.kind))
        << '\'' << test.text << "' on " << test.path;
  }
}

TEST(IgnorePatterns, TakeNoLongerThanTheirLengths) {
  const std::string name(5'000, 'a');
  std::string pattern;
  for (int i = 0; i < 500; ++i) pattern += "*a*";
  EXPECT_EQ(Verdict::kNone, IgnorePatterns(pattern + "b").match(name, EntryKind::kFile));
  std::string folders = "x", deep = "x";
  for (int i = 0; i < 300; ++i) folders += "/**/a", deep += "/a/a";
  EXPECT_EQ(Verdict::kNone, IgnorePatterns(folders + "/b").match(deep, EntryKind::kFile));
}

}  // namespace
}  // namespace hearth::indexer
