#include "lsp/utf8.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace hearth::lsp {
namespace {

struct Case {
  std::string text;
  std::size_t valid;
  std::string repaired;
};

TEST(Utf8, KnowsWhereTextStopsBeingWellFormed) {
  const std::vector<Case> cases{
      {"", 0, ""},
      {"a\u00e9\ud55c\U0001F600", 10, "a\u00e9\ud55c\U0001F600"},
      {"ab\xf0\x9f\x98", 2, "ab\ufffd\ufffd\ufffd"},        // a character cut short
      {"\x80z", 0, "\ufffdz"},                              // a continuation alone
      {"a\xc3(", 1, "a\ufffd("},                            // a lead alone
      {"\xc0\xaf", 0, "\ufffd\ufffd"},                      // overlong
      {"\xe0\x80\xaf", 0, "\ufffd\ufffd\ufffd"},            // overlong
      {"\xed\xa0\x80", 0, "\ufffd\ufffd\ufffd"},            // a surrogate
      {"\xf4\x90\x80\x80", 0, "\ufffd\ufffd\ufffd\ufffd"},  // past U+10FFFF
      {"\xff\u00e9", 0, "\ufffd\u00e9"},
  };
  for (const Case& item : cases) {
    EXPECT_EQ(valid_utf8_bytes(item.text), item.valid) << item.repaired;
    EXPECT_EQ(as_valid_utf8(item.text), item.repaired);
  }
}

}  // namespace
}  // namespace hearth::lsp
