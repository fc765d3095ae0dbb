#include "lsp/cursor_scope.h"

#include <algorithm>

#include "lsp/code_scan.h"
#include "lsp/language.h"
#include "lsp/text_shape.h"

namespace hearth::lsp {
namespace {

constexpr std::size_t kWindowAfter = 16 * 1024;
constexpr int kTabColumns = 4;

std::string window_before(const CursorPlace& place) {
  const std::size_t start = scan_start(place.text, place.cursor);
  return with_lf(place.text.substr(start, place.cursor - start));
}

// Without the comment that ends it.
std::string_view code_of(std::string_view line, const LanguageSyntax& syntax) {
  for (const std::string_view comment : syntax.line_comments) {
    for (std::size_t at = line.find(comment); at != std::string_view::npos; at = line.find(comment, at + 1)) {
      if (scan_code(line, syntax, at + comment.size()).at_mark == Inside::kComment) return line.substr(0, at);
    }
  }
  return line;
}

bool starts_with_word(std::string_view line, std::string_view word) {
  return line.starts_with(word) && (line.size() == word.size() || !is_word_byte(line[word.size()]));
}

bool ends_with_token(std::string_view line, std::string_view token) {
  if (!line.ends_with(token)) return false;
  const std::size_t before = line.size() - token.size();
  return before == 0 || !is_word_byte(token.front()) || !is_word_byte(line[before - 1]);
}

enum class Openers { kBlocks, kAnyBracket };

bool opens_block(std::string_view line, const LanguageSyntax& syntax, Openers openers) {
  const std::string_view code = trim(code_of(line, syntax));
  if (code.empty()) return false;
  if (syntax.colon_blocks && code.ends_with(':')) return true;
  if (openers == Openers::kAnyBracket && syntax.has_brackets && closer_of(code.back()) != 0) return true;
  const auto ends = [&](std::string_view end) { return ends_with_token(code, end); };
  const auto starts = [&](std::string_view word) { return starts_with_word(code, word); };
  if (std::ranges::any_of(syntax.block_ends, ends)) return true;
  return std::ranges::any_of(syntax.block_starts, starts) && !ends_with_token(code, "end");
}

}  // namespace

CursorText::CursorText(const CursorPlace& place)
    : before(window_before(place)), after(with_lf(place.text.substr(place.cursor, kWindowAfter))) {
  line_before = std::string_view{before}.substr(line_start(before, before.size()));
  rest = std::string_view{after}.substr(0, line_end(after, 0));
}

std::string_view CursorText::below() const {
  return std::string_view{after}.substr(std::min(rest.size() + 1, after.size()));
}

std::string_view CursorText::line_above() const {
  std::string_view text{before};
  text = trim_right(text.substr(0, text.size() - line_before.size()));
  return text.substr(line_start(text, text.size()));
}

std::string_view CursorText::line_below() const {
  std::string_view text = below();
  while (!text.empty()) {
    const std::string_view line = text.substr(0, line_end(text, 0));
    if (!is_blank(line)) return line;
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return {};
}

std::optional<BlockStart> block_start(const CursorText& text, std::string_view language) {
  const LanguageSyntax& syntax = syntax_of(language);
  if (!is_closers_only(text.rest)) return std::nullopt;
  BlockStart start;
  if (is_blank(text.line_before)) {
    start.opener_line = text.line_above();
    if (!opens_block(start.opener_line, syntax, Openers::kAnyBracket)) return std::nullopt;
  } else {
    start.opener_line = text.line_before;
    if (!opens_block(start.opener_line, syntax, Openers::kBlocks)) return std::nullopt;
  }
  start.columns = columns(indentation(start.opener_line), kTabColumns);
  const std::string_view below = text.line_below();
  start.empty = below.empty() || columns(indentation(below), kTabColumns) <= start.columns;
  return start;
}

std::optional<int> closable_brackets(const CursorText& text, std::string_view language) {
  const LanguageSyntax& syntax = syntax_of(language);
  if (!syntax.has_brackets) return std::nullopt;
  const std::size_t skipped = is_closers_only(text.rest) ? text.rest.size() : 0;
  const CodeScan scan = scan_code(text.before + text.after.substr(skipped), syntax, text.before.size());
  if (scan.at_mark != Inside::kCode) return std::nullopt;
  return static_cast<int>(closable_at(scan, text.before.size()).size());
}

}  // namespace hearth::lsp
