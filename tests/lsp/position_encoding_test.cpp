#include "lsp/position_encoding.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace hearth::lsp {
namespace {

// "a", "é" (2 bytes), "한" (3), "😀" (4 bytes, 2 UTF-16 units), "e" + combining acute (1 + 2 bytes).
constexpr std::string_view kMixed = "a\u00e9\ud55c\U0001F600e\u0301b";

struct Column {
  PositionEncoding encoding;
  std::size_t units, bytes;
};

TEST(PositionEncoding, CountsColumnsInTheUnitsAgreedOn) {
  const std::vector<Column> columns{
      {PositionEncoding::kUtf8, 1, 1},   {PositionEncoding::kUtf8, 3, 3},   {PositionEncoding::kUtf8, 10, 10},
      {PositionEncoding::kUtf16, 1, 1},  {PositionEncoding::kUtf16, 2, 3},  {PositionEncoding::kUtf16, 3, 6},
      {PositionEncoding::kUtf16, 5, 10}, {PositionEncoding::kUtf16, 6, 11}, {PositionEncoding::kUtf16, 7, 13},
      {PositionEncoding::kUtf32, 3, 6},  {PositionEncoding::kUtf32, 4, 10}, {PositionEncoding::kUtf32, 6, 13},
  };
  for (const Column& column : columns) {
    EXPECT_EQ(bytes_of(column.encoding, kMixed, column.units), column.bytes) << name_of(column.encoding);
    EXPECT_EQ(length_in(column.encoding, kMixed.substr(0, column.bytes)), column.units)
        << name_of(column.encoding);
  }
}

TEST(PositionEncoding, NeverSplitsACodePoint) {
  EXPECT_EQ(bytes_of(PositionEncoding::kUtf8, kMixed, 2), 1u);   // inside é
  EXPECT_EQ(bytes_of(PositionEncoding::kUtf8, kMixed, 8), 6u);   // inside the emoji
  EXPECT_EQ(bytes_of(PositionEncoding::kUtf16, kMixed, 4), 6u);  // between its surrogates
  const LineIndex lines(kMixed);
  EXPECT_EQ(position_at(kMixed, lines, 8, PositionEncoding::kUtf16), (Position{0, 3}));
}

TEST(PositionEncoding, ClampsWhatLiesPastALineOrTheFile) {
  constexpr std::string_view kText = "ab\r\ncd\re\n";
  const LineIndex lines(kText);
  struct Case {
    Position position;
    std::size_t offset;
  };
  for (const auto& [position, offset] : std::vector<Case>{{{0, 0}, 0},
                                                          {{0, 2}, 2},
                                                          {{0, 3}, 2},
                                                          {{0, 4294967295}, 2},
                                                          {{1, 9}, 6},
                                                          {{2, 1}, 8},
                                                          {{2, 2}, 8},
                                                          {{3, 0}, 9},
                                                          {{3, 7}, 9},
                                                          {{4, 0}, 9},
                                                          {{4294967295, 4294967295}, 9}}) {
    EXPECT_EQ(offset_at(kText, lines, position, PositionEncoding::kUtf16), offset)
        << position.line << ":" << position.character;
  }
}

TEST(PositionEncoding, TakesAByteOrderMarkForACharacter) {
  constexpr std::string_view kText = "\ufeffx = 1\n";
  const LineIndex lines(kText);
  EXPECT_EQ(offset_at(kText, lines, {0, 1}, PositionEncoding::kUtf16), 3u);
  EXPECT_EQ(position_at(kText, lines, 4, PositionEncoding::kUtf16), (Position{0, 2}));
}

TEST(PositionEncoding, SurvivesBytesThatAreNotUtf8) {
  const std::string text =
      "\x80\xff\xf0\x9f"
      "a\n";
  const LineIndex lines(text);
  for (const auto encoding : {PositionEncoding::kUtf8, PositionEncoding::kUtf16, PositionEncoding::kUtf32}) {
    for (std::uint32_t column = 0; column < 9; ++column) {
      EXPECT_LE(offset_at(text, lines, {0, column}, encoding), text.size());
    }
  }
}

TEST(PositionEncoding, GoesThereAndBack) {
  constexpr std::string_view kText = "x\U0001F600\r\n\u00e9\r\n\rlast \ud55c";
  const LineIndex lines(kText);
  for (const auto encoding : {PositionEncoding::kUtf8, PositionEncoding::kUtf16, PositionEncoding::kUtf32}) {
    for (std::size_t offset = 0; offset <= kText.size(); ++offset) {
      if (offset < kText.size() && (static_cast<unsigned char>(kText[offset]) & 0xC0) == 0x80) continue;
      const bool inside_line_end =
          offset > 0 && kText[offset - 1] == '\r' && offset < kText.size() && kText[offset] == '\n';
      if (inside_line_end) continue;
      EXPECT_EQ(offset_at(kText, lines, position_at(kText, lines, offset, encoding), encoding), offset);
    }
  }
}

}  // namespace
}  // namespace hearth::lsp
