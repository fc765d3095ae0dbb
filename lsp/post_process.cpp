#include "lsp/post_process.h"

#include "lsp/cursor_scope.h"
#include "lsp/post_brackets.h"
#include "lsp/post_lines.h"
#include "lsp/post_syntax.h"
#include "lsp/syntax_faults.h"
#include "lsp/text_shape.h"

namespace hearth::lsp {
namespace {

std::string with_line_ends(std::string_view text, std::string_view line_end) {
  std::string out;
  for (const char c : text) {
    if (c == '\n') {
      out += line_end;
    } else {
      out += c;
    }
  }
  return out;
}

std::string trim_line_ends(std::string_view text) {
  std::string out;
  for (const std::string_view line : split_lines(text)) {
    if (line.data() != text.data()) out += '\n';
    out += trim_right(line);
  }
  return out;
}

// Blanks at the end count only where code follows on the line without one.
std::string_view trim_end(std::string_view text, std::string_view rest) {
  const std::string_view trimmed = trim_right(text);
  const bool joins = !is_closers_only(rest) && rest.front() != ' ' && rest.front() != '\t';
  return joins ? text.substr(0, std::min(trimmed.size() + 1, text.size())) : trimmed;
}

}  // namespace

std::optional<Insertion> post_process(const CursorPlace& place, std::string_view raw,
                                      const PostProcessing& how, SyntaxFaults* syntax) {
  const auto& [stop, raw_end, rest] = how;
  RawEnd end = raw_end;
  const CursorText around{place};
  const std::string lf = with_lf(raw);
  std::string_view text = without_blank_lines(without_markers(lf), around);
  const bool one_line = stop.max_lines == 1 || !is_closers_only(around.rest);
  if (one_line && text.find('\n') != std::string_view::npos) {
    text = text.substr(0, text.find('\n'));
    end = RawEnd::kStopped;
  }
  if (end == RawEnd::kCutShort) text = without_torn_end(text);
  text = within_scope(text, around, stop);
  text = without_repetition(text, around);
  if (is_blank(text)) return std::nullopt;

  Insertion insertion{with_document_indentation(text, around, place.language)};
  insertion.text = trim_end(insertion.text, around.rest);
  std::optional<Insertion> fitted;
  if (syntax != nullptr && SyntaxFaults::covers(place.language))
    fitted = fit_syntax(insertion.text, around, place.language, end, rest, *syntax);
  insertion = fitted ? *fitted : fit_brackets(insertion.text, around, place.language, end, rest);
  insertion.text = trim_end(insertion.text, around.rest);
  if (is_blank(insertion.text)) return std::nullopt;
  if (insertion.text.find('\n') != std::string::npos) {
    insertion.text = trim_line_ends(insertion.text);
    const bool closes_block = !around.rest.empty() && insertion.replaces_after == 0 &&
                              std::string_view{")]}"}.find(around.rest.front()) != std::string_view::npos;
    if (closes_block) insertion.text += "\n" + std::string{indentation(around.line_before)};
  }
  insertion.text = with_line_ends(insertion.text, line_end_of(place.text));
  return insertion;
}

}  // namespace hearth::lsp
