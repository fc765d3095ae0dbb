#include "lsp/edit_distance.h"

#include <gtest/gtest.h>
#include <random>
#include <string>

namespace hearth::lsp {
namespace {

// As the definition has it, one call a prefix pair.
std::size_t plain_distance(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) return a.size() + b.size();
  const std::string shorter_a = a.substr(1), shorter_b = b.substr(1);
  if (a[0] == b[0]) return plain_distance(shorter_a, shorter_b);
  return 1 + std::min({plain_distance(shorter_a, b), plain_distance(a, shorter_b),
                       plain_distance(shorter_a, shorter_b)});
}

TEST(EditDistance, IsThatOfItsDefinition) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    std::string a, b;
    for (auto* text : {&a, &b}) {
      for (std::size_t n = random() % 6; n > 0; --n) *text += static_cast<char>('a' + random() % 3);
    }
    EXPECT_EQ(edit_distance(a, b), plain_distance(a, b)) << a << ' ' << b;
  }
}

TEST(EditDistance, SimilarityIsItsShareOfTheLongerText) {
  EXPECT_EQ(edit_similarity("", ""), 1);
  EXPECT_EQ(edit_similarity("abcd", "abcd"), 1);
  EXPECT_EQ(edit_similarity("abcd", ""), 0);
  EXPECT_EQ(edit_similarity("abcd", "abxd"), 0.75);
}

}  // namespace
}  // namespace hearth::lsp
