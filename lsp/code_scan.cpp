#include "lsp/code_scan.h"

#include <algorithm>
#include <array>
#include <optional>

#include "lsp/text_shape.h"

namespace hearth::lsp {
namespace {

constexpr std::size_t kFarthestStart = 32 * 1024, kNearestStart = 16 * 1024;  // bytes before the cursor
constexpr int kTabColumns = 4;

class Scanner {
 public:
  Scanner(std::string_view text, const LanguageSyntax& syntax, std::size_t mark)
      : text_(text), syntax_(syntax), mark_(mark) {
    const auto note = [&](std::string_view characters) {
      for (const char c : characters) telling_[static_cast<unsigned char>(c)] = true;
    };
    for (const std::string_view comment : syntax.line_comments) note(comment.substr(0, 1));
    note(syntax.block_comment_open.substr(0, 1));
    note(syntax.quotes);
    note("()[]{}\r\n");
    if (syntax.regular_expressions) note("/");
  }

  CodeScan run() {
    while (at_ < text_.size()) step();
    if (!reported_) report(Inside::kCode);
    return std::move(scan_);
  }

 private:
  bool here(std::string_view token) const {
    return !token.empty() && text_.substr(at_, token.size()) == token;
  }

  void report(Inside inside, std::string_view quote = {}) {
    reported_ = true;
    scan_.at_mark = inside;
    scan_.quote_at_mark = quote;
  }

  // The token from at_ to `end` is done. A mark at its very start is still in code; one at the very end of
  // an open token is inside.
  void take(std::size_t end, Inside inside, std::string_view quote, bool closed) {
    if (!reported_ && mark_ <= at_) report(Inside::kCode);
    if (!reported_ && (mark_ < end || (mark_ == end && !closed))) report(inside, quote);
    if (inside != Inside::kCode) scan_.prose.push_back({at_, end});
    at_ = end;
  }

  void step() {
    const char c = text_[at_];
    if (line_has_code_ && !telling_[static_cast<unsigned char>(c)])
      return take(at_ + 1, Inside::kCode, {}, true);
    if (here(syntax_.block_comment_open)) {
      const std::size_t close =
          text_.find(syntax_.block_comment_close, at_ + syntax_.block_comment_open.size());
      const bool closed = close != std::string_view::npos;
      return take(closed ? close + syntax_.block_comment_close.size() : text_.size(), Inside::kComment, {},
                  closed);
    }
    for (const std::string_view comment : syntax_.line_comments) {
      if (here(comment)) {
        line_has_code_ = true;
        return take(line_end(text_, at_), Inside::kComment, "\n", false);
      }
    }
    if (syntax_.quotes.find(c) != std::string_view::npos && opens_string()) return take_string();
    if (syntax_.regular_expressions && c == '/' && operand_is_due()) {
      if (const auto end = end_of_regular_expression()) return take(*end, Inside::kString, "/", true);
    }
    if (c == '\n' || c == '\r') {
      line_has_code_ = false;
    } else if (!line_has_code_ && c != ' ' && c != '\t') {
      indentation_ = columns(indentation(text_.substr(line_start(text_, at_))), kTabColumns);
    }
    if (syntax_.has_brackets && std::string_view{"()[]{}"}.find(c) != std::string_view::npos) {
      scan_.brackets.push_back({at_, c, indentation_, !line_has_code_});
    }
    if (c != ' ' && c != '\t' && c != '\n' && c != '\r') line_has_code_ = true;
    take(at_ + 1, Inside::kCode, {}, true);
  }

  bool operand_is_due() const {
    const std::string_view before =
        trim_right(text_.substr(line_start(text_, at_), at_ - line_start(text_, at_)));
    constexpr std::string_view kSigns = "([{,=:;!&|?+~";
    return before.empty() || kSigns.find(before.back()) != std::string_view::npos ||
           before.ends_with("return");
  }

  // Behind its closing slash; nothing where the line has none.
  std::optional<std::size_t> end_of_regular_expression() const {
    bool in_class = false;
    for (std::size_t i = at_ + 1; i < text_.size() && text_[i] != '\n' && text_[i] != '\r'; ++i) {
      if (text_[i] == '\\') {
        ++i;
      } else if (text_[i] == '[') {
        in_class = true;
      } else if (text_[i] == ']') {
        in_class = false;
      } else if (text_[i] == '/' && !in_class) {
        return i + 1;
      }
    }
    return std::nullopt;
  }

  bool opens_string() const {
    if (text_[at_] != '\'') return true;
    const bool digit_before = at_ > 0 && text_[at_ - 1] >= '0' && text_[at_ - 1] <= '9';
    if (digit_before) return false;  // 1'000
    if (!syntax_.lifetimes) return true;
    return at_ + 2 >= text_.size() || text_[at_ + 1] == '\\' || text_[at_ + 2] == '\'' ||
           !is_word_byte(text_[at_ + 1]);
  }

  void take_string() {
    if (!line_has_code_)
      indentation_ = columns(indentation(text_.substr(line_start(text_, at_))), kTabColumns);
    line_has_code_ = true;
    const char quote = text_[at_];
    const std::string triple(3, quote);
    if (syntax_.triple_quotes && here(triple)) {
      const std::size_t close = find_close(triple, at_ + 3, true);
      const bool closed = close != std::string_view::npos;
      return take(closed ? close + 3 : text_.size(), Inside::kString, triple, closed);
    }
    const bool multi_line = syntax_.multi_line_quotes.find(quote) != std::string_view::npos;
    const std::string_view single = std::string_view{triple}.substr(0, 1);
    const std::size_t close = find_close(single, at_ + 1, multi_line);
    if (close != std::string_view::npos) return take(close + 1, Inside::kString, single, true);
    ++scan_.unclosed_strings;
    take(multi_line ? text_.size() : line_end(text_, at_), Inside::kString, single, false);
  }

  std::size_t find_close(std::string_view close, std::size_t from, bool multi_line) const {
    for (std::size_t i = from; i < text_.size(); ++i) {
      if (text_[i] == '\\') {
        ++i;
      } else if (text_.substr(i, close.size()) == close) {
        return i;
      } else if (!multi_line && (text_[i] == '\n' || text_[i] == '\r')) {
        break;
      }
    }
    return std::string_view::npos;
  }

  std::string_view text_;
  const LanguageSyntax& syntax_;
  std::size_t mark_;
  std::size_t at_ = 0;
  std::array<bool, 256> telling_{};  // bytes that may begin something other than plain code
  bool reported_ = false;
  bool line_has_code_ = false;
  int indentation_ = 0;
  CodeScan scan_;
};

bool is_opener(char c) { return closer_of(c) != 0; }

// Index in `open` of the opener this closer belongs to.
std::optional<std::size_t> partner(const std::vector<Bracket>& open, const Bracket& closer) {
  std::optional<std::size_t> nearest;
  for (std::size_t i = open.size(); i-- > 0;) {
    if (closer_of(open[i].character) != closer.character) continue;
    if (!nearest) nearest = i;
    if (!closer.opens_line || open[i].indentation == closer.indentation) return i;
    if (open[i].indentation < closer.indentation) break;
  }
  return nearest;
}

}  // namespace

CodeScan scan_code(std::string_view text, const LanguageSyntax& syntax, std::size_t mark) {
  return Scanner{text, syntax, mark}.run();
}

std::size_t scan_start(std::string_view text, std::size_t cursor) {
  if (cursor <= kFarthestStart) return 0;
  const std::size_t farthest = cursor - kFarthestStart, nearest = cursor - kNearestStart;
  std::size_t start = floor_to_character(text, farthest);  // within a line that has no end in between
  std::optional<int> least;
  for (std::size_t end = line_end(text, farthest); end + 1 < nearest; end = line_end(text, end + 1)) {
    const std::string_view line = text.substr(end + 1, nearest - end - 1);
    const std::string_view blanks = indentation(line);
    const bool is_empty =
        blanks.size() == line.size() || line[blanks.size()] == '\n' || line[blanks.size()] == '\r';
    if (is_empty || (least && columns(blanks, kTabColumns) >= *least)) continue;
    start = end + 1;
    least = columns(blanks, kTabColumns);
  }
  return start;
}

char closer_of(char opener) {
  switch (opener) {
    case '(': return ')';
    case '[': return ']';
    case '{': return '}';
    default: return 0;
  }
}

BracketBalance balance_of(const std::vector<Bracket>& brackets) {
  BracketBalance balance;
  std::vector<Bracket> skipped;
  for (const Bracket& bracket : brackets) {
    if (is_opener(bracket.character)) {
      balance.open.push_back(bracket);
    } else if (const auto index = partner(balance.open, bracket)) {
      const auto first = balance.open.begin() + static_cast<std::ptrdiff_t>(*index);
      skipped.insert(skipped.end(), first + 1, balance.open.end());
      balance.open.erase(first, balance.open.end());
    } else {
      balance.surplus.push_back(bracket);
    }
  }
  balance.open.insert(balance.open.end(), skipped.begin(), skipped.end());
  std::ranges::sort(balance.open, {}, &Bracket::offset);
  return balance;
}

std::vector<Bracket> closable_at(const CodeScan& scan, std::size_t mark) {
  std::vector<Bracket> before;
  for (const Bracket& bracket : scan.brackets) {
    if (bracket.offset < mark) before.push_back(bracket);
  }
  const std::vector<Bracket> open_here = balance_of(before).open;
  const std::vector<Bracket> open_at_end = balance_of(scan.brackets).open;
  std::vector<Bracket> closable;
  for (std::size_t i = open_here.size(); i-- > 0;) {
    const bool stays_open = std::ranges::any_of(
        open_at_end, [&](const Bracket& bracket) { return bracket.offset == open_here[i].offset; });
    if (!stays_open) break;
    closable.insert(closable.begin(), open_here[i]);
  }
  return closable;
}

}  // namespace hearth::lsp
