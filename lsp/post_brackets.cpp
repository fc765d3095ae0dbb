#include "lsp/post_brackets.h"

#include <algorithm>
#include <array>
#include <vector>

#include "lsp/code_scan.h"
#include "lsp/language.h"
#include "lsp/text_shape.h"

namespace hearth::lsp {
namespace {

constexpr std::size_t kTellingOverlap = 4;  // bytes of plain code that are no chance repetition

// What the end of `text` and the start of `rest` have in common, in bytes.
std::size_t overlap(std::string_view text, std::string_view rest) {
  rest = trim_right(rest);
  for (std::size_t n = std::min(text.size(), rest.size()); n > 0; --n) {
    if (!text.ends_with(rest.substr(0, n))) continue;
    const bool whole = n == rest.size() || n == text.size();
    if (whole || is_closers_only(rest.substr(0, n)) || n >= kTellingOverlap) return n;
  }
  return 0;
}

bool is_subsequence(std::string_view part, std::string_view whole) {
  std::size_t matched = 0;
  for (const char c : whole) matched += matched < part.size() && c == part[matched];
  return matched == part.size();
}

class Fitter {
 public:
  Fitter(const CursorText& around, std::string_view language, RawEnd end, RestOfLine rest)
      : around_(around), syntax_(syntax_of(language)), end_(end), rest_(rest) {
    const auto closable = closable_brackets(around, language);
    in_code_ = closable.has_value();
    closable_ = closable.value_or(0);
    if (is_closers_only(around.rest)) {
      const auto closes = [](char c) { return c == ')' || c == ']' || c == '}'; };
      closable_ -= static_cast<int>(std::ranges::count_if(around.rest, closes));
    }
  }

  std::vector<Insertion> variants(const std::string& text) const {
    std::vector<Insertion> variants;
    const std::size_t repeated = overlap(text, around_.rest);
    const bool swallow =
        rest_ == RestOfLine::kMayBeReplaced && !is_blank(around_.rest) && is_closers_only(around_.rest);
    const auto add = [&](const std::string& variant) {
      variants.push_back({variant, 0});
      if (swallow) {
        const std::string_view rest = trim_right(around_.rest);
        if (is_subsequence(rest, variant)) variants.push_back({variant, rest.size()});
      }
    };
    if (repeated > 0) {
      const std::string fresh = text.substr(0, text.size() - repeated);
      const bool spaced = swallow && fresh.size() != trim_right(fresh).size();
      if (spaced) variants.push_back({text, repeated});  // `{|}` and " a }": the blank goes with the closer
      add(fresh);
    }
    add(text);
    const std::string whole = with_closers(text);
    if (whole != text) add(whole);
    const std::string cut = before_surplus(text);
    if (cut != text) add(cut);
    return variants;
  }

  Insertion fit(const std::string& text) const {
    const std::vector<Insertion> ways = variants(text);
    if (!syntax_.has_brackets) return ways.front();
    return *std::ranges::min_element(ways, {}, [&](const Insertion& way) { return faults(way); });
  }

  std::string closers(const std::string& text) const {
    std::string out = text;
    const CodeScan at_end = scan_code(around_.before + text, syntax_, around_.before.size() + text.size());
    if (!syntax_.has_brackets || at_end.at_mark == Inside::kComment) return {};
    if (at_end.at_mark == Inside::kString) out += at_end.quote_at_mark;
    const std::string document = around_.before + out + around_.after;
    const std::vector<Bracket> closable =
        closable_at(scan_code(document, syntax_, 0), around_.before.size() + out.size());
    std::size_t first = around_.before.size() - around_.line_before.size();
    for (auto bracket = closable.rbegin(); bracket != closable.rend(); ++bracket) {
      const bool block = bracket->character == '{' && is_last_on_line(document, bracket->offset);
      // A block that begins at the cursor is closed with all that its line opened.
      if (block && opens_cursor_block(bracket->offset)) first = line_start(document, bracket->offset);
      if (bracket->offset < first) break;
      if (block) out += "\n" + std::string{indentation(line_at(document, bracket->offset))};
      out += closer_of(bracket->character);
    }
    return out.substr(text.size());
  }

 private:
  // Brackets and strings that do not fit, the document's own included. What the text opens and the user
  // will go on with is no fault.
  std::size_t faults(const Insertion& insertion) const {
    const std::string document =
        around_.before + insertion.text + around_.after.substr(insertion.replaces_after);
    const CodeScan scan = scan_code(document, syntax_, 0);
    const BracketBalance balance = balance_of(scan.brackets);
    const std::size_t begin = around_.before.size();
    const std::size_t end = begin + insertion.text.size();
    const auto own = [&](const Bracket& bracket) { return bracket.offset >= begin && bracket.offset < end; };
    const auto own_open = static_cast<std::size_t>(std::ranges::count_if(balance.open, own));
    const bool pending = end_ == RawEnd::kCutShort || goes_on(insertion.text);
    return balance.open.size() - (pending ? own_open : 0) + balance.surplus.size() +
           static_cast<std::size_t>(scan.unclosed_strings);
  }

  std::string before_surplus(const std::string& text) const {
    if (!in_code_) return text;
    const CodeScan scan = scan_code(around_.before + text, syntax_, 0);
    int left = closable_;
    int own = 0;
    for (const Bracket& bracket : scan.brackets) {
      if (bracket.offset < around_.before.size()) continue;
      if (closer_of(bracket.character) != 0) {
        ++own;
      } else if (own > 0) {
        --own;
      } else if (left-- <= 0) {
        return std::string{trim_right(text.substr(0, bracket.offset - around_.before.size()))};
      }
    }
    return text;
  }

  std::string with_closers(const std::string& text) const {
    return end_ == RawEnd::kCutShort || goes_on(text) ? text : text + closers(text);
  }

  static std::string_view line_at(std::string_view text, std::size_t offset) {
    const std::size_t start = line_start(text, offset);
    return text.substr(start, line_end(text, offset) - start);
  }

  static bool is_last_on_line(std::string_view text, std::size_t offset) {
    return is_blank(text.substr(offset + 1, line_end(text, offset) - offset - 1));
  }

  // The bracket ends the line above a cursor on a line of its own.
  bool opens_cursor_block(std::size_t offset) const {
    return offset < around_.before.size() && is_blank(std::string_view{around_.before}.substr(offset + 1));
  }

  const CursorText& around_;
  const LanguageSyntax& syntax_;
  RawEnd end_;
  RestOfLine rest_;
  bool in_code_ = false;
  int closable_ = 0;
};

}  // namespace

bool goes_on(std::string_view text) {
  constexpr std::string_view kSigns = "([{,+-*/%|&=<.\\?:";
  text = trim_right(text);
  return !text.empty() && kSigns.find(text.back()) != std::string_view::npos;
}

std::vector<Insertion> bracket_variants(const std::string& text, const CursorText& around,
                                        std::string_view language, RawEnd end, RestOfLine rest) {
  return Fitter{around, language, end, rest}.variants(text);
}

std::string missing_closers(const std::string& text, const CursorText& around, std::string_view language) {
  return Fitter{around, language, RawEnd::kStopped, RestOfLine::kStays}.closers(text);
}

Insertion fit_brackets(const std::string& text, const CursorText& around, std::string_view language,
                       RawEnd end, RestOfLine rest) {
  return Fitter{around, language, end, rest}.fit(text);
}

}  // namespace hearth::lsp
