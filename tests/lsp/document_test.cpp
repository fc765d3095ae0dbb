#include "lsp/document.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

namespace hearth::lsp {
namespace {

constexpr PositionEncoding kEncodings[] = {PositionEncoding::kUtf8, PositionEncoding::kUtf16,
                                           PositionEncoding::kUtf32};

// The truth: a document as code points, positions found by walking from its start. Shares nothing with
// what it checks.
class Mirror {
 public:
  explicit Mirror(std::u32string text) : text_(std::move(text)) {}

  std::size_t index(Position position, PositionEncoding encoding) const {
    std::size_t at = 0;
    for (std::uint32_t line = 0; line < position.line; ++line) {
      while (at < text_.size() && text_[at] != '\n' && text_[at] != '\r') ++at;
      if (at == text_.size()) return at;
      at += text_[at] == '\r' && at + 1 < text_.size() && text_[at + 1] == '\n' ? 2 : 1;
    }
    std::uint32_t used = 0;
    while (at < text_.size() && text_[at] != '\n' && text_[at] != '\r') {
      used += units(text_[at], encoding);
      if (used > position.character) break;
      ++at;
    }
    return at;
  }

  void replace(Range range, const std::u32string& with, PositionEncoding encoding) {
    const std::size_t begin = index(range.start, encoding), end = index(range.end, encoding);
    text_.replace(begin, end - begin, with);
  }

  const std::u32string& text() const { return text_; }

 private:
  static std::uint32_t units(char32_t c, PositionEncoding encoding) {
    if (encoding == PositionEncoding::kUtf32) return 1;
    if (encoding == PositionEncoding::kUtf16) return c >= 0x10000 ? 2 : 1;
    return c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
  }

  std::u32string text_;
};

std::string to_utf8(const std::u32string& text) {
  std::string out;
  for (const char32_t c : text) {
    if (c < 0x80) {
      out += static_cast<char>(c);
    } else if (c < 0x800) {
      out += {static_cast<char>(0xC0 | c >> 6), static_cast<char>(0x80 | (c & 63))};
    } else if (c < 0x10000) {
      out += {static_cast<char>(0xE0 | c >> 12), static_cast<char>(0x80 | (c >> 6 & 63)),
              static_cast<char>(0x80 | (c & 63))};
    } else {
      out += {static_cast<char>(0xF0 | c >> 18), static_cast<char>(0x80 | (c >> 12 & 63)),
              static_cast<char>(0x80 | (c >> 6 & 63)), static_cast<char>(0x80 | (c & 63))};
    }
  }
  return out;
}

std::u32string random_text(std::mt19937& random, std::size_t most) {
  static const std::u32string kAlphabet =
      U"ab \t\n\n\r\r\n\u00e9\u0301\ud55c\ufeff\U0001F600\U0001F468\u200d\U00010000";
  std::u32string text;
  for (std::size_t left = random() % (most + 1); left > 0; --left)
    text += kAlphabet[random() % kAlphabet.size()];
  return text;
}

TEST(Document, MirrorsRandomEditsExactly) {
  for (const PositionEncoding encoding : kEncodings) {
    std::mt19937 random(17 + static_cast<unsigned>(encoding));
    for (int round = 0; round < 40; ++round) {
      Mirror mirror(random_text(random, 60));
      Document document("file:///a", "c", 0, to_utf8(mirror.text()));
      for (int version = 1; version <= 25; ++version) {
        std::vector<TextDocumentContentChangeEvent> changes;
        for (std::size_t left = 1 + random() % 3; left > 0; --left) {
          const std::u32string text = random_text(random, 6);
          if (random() % 20 == 0) {
            changes.push_back({std::nullopt, to_utf8(text)});
            mirror = Mirror(text);
            continue;
          }
          // Often past the ends of lines and of the file.
          Position a{static_cast<std::uint32_t>(random() % 12), static_cast<std::uint32_t>(random() % 14)};
          Position b{static_cast<std::uint32_t>(random() % 12), static_cast<std::uint32_t>(random() % 14)};
          if (a > b) std::swap(a, b);
          changes.push_back({Range{a, b}, to_utf8(text)});
          mirror.replace({a, b}, text, encoding);
        }
        document = document.changed(changes, version, encoding);
        ASSERT_EQ(document.text(), to_utf8(mirror.text())) << name_of(encoding) << " round " << round;
        ASSERT_EQ(document.version(), version);
        const LineIndex fresh(document.text());
        ASSERT_EQ(document.lines().line_count(), fresh.line_count());
        for (std::size_t line = 0; line < fresh.line_count(); ++line) {
          ASSERT_EQ(document.lines().line_begin(line), fresh.line_begin(line));
        }
      }
    }
  }
}

TEST(Document, LeavesTheOlderSnapshotAsItWas) {
  const Document before("file:///a", "c", 1, "one\ntwo\n");
  const Document after = before.changed({{Range{{1, 0}, {1, 3}}, "2"}}, 2, PositionEncoding::kUtf16);
  EXPECT_EQ(before.text(), "one\ntwo\n");
  EXPECT_EQ(after.text(), "one\n2\n");
}

TEST(Document, TakesARangeWrittenBackwards) {
  const Document document = Document("file:///a", "c", 1, "abcdef")
                                .changed({{Range{{0, 4}, {0, 2}}, "-"}}, 2, PositionEncoding::kUtf16);
  EXPECT_EQ(document.text(), "ab-ef");
}

TEST(Document, KnowsWhereTheLastEditEnded) {
  const Document before("file:///a", "c", 1, "ab\nc\n");
  EXPECT_EQ(before.changed({{Range{{1, 0}, {1, 0}}, "xyz"}}, 2, PositionEncoding::kUtf16).last_edit(), 6u);
  EXPECT_EQ(before.changed({{std::nullopt, "ab!\nc\n"}}, 2, PositionEncoding::kUtf16).last_edit(), 3u);
}

}  // namespace
}  // namespace hearth::lsp
