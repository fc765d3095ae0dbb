#include "indexer/near_copies.h"

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"

namespace hearth::indexer {
namespace {

std::string lines(int from, int to) {
  std::string text;
  for (int i = from; i < to; ++i) text += "  value_" + std::to_string(i) + " = " + std::to_string(i) + "\n\n";
  return text;
}

TEST(NearCopies, AreFilesThatShareMoreThanFourFifthsOfTheirLines) {
  const testing::TemporaryFolder folder;
  folder.file("same.py", lines(0, 20));
  folder.file("indented.py", "class A:\n" + lines(0, 20));
  folder.file("part.py", lines(0, 10));
  folder.file("more.py", lines(0, 60));
  folder.file("most.py", lines(0, 17) + lines(100, 103));
  folder.file("half.py", lines(0, 10) + lines(100, 110));
  folder.file("other.py", lines(100, 120));
  folder.file("empty.py", "");
  const NearCopies copies(folder / "", {"same.py", "indented.py", "part.py", "more.py", "most.py", "half.py",
                                        "other.py", "empty.py", "gone.py"});
  const std::set<std::string, std::less<>> expected = {"same.py", "indented.py", "part.py", "more.py",
                                                       "most.py"};
  EXPECT_EQ(expected, copies.of(lines(0, 20)));
  EXPECT_TRUE(copies.of("nothing of the kind\n").empty());
}

}  // namespace
}  // namespace hearth::indexer
