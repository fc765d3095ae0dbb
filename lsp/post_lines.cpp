#include "lsp/post_lines.h"

#include <algorithm>
#include <array>
#include <vector>

#include "lsp/code_scan.h"
#include "lsp/language.h"
#include "lsp/text_shape.h"

namespace hearth::lsp {
namespace {

constexpr int kTabColumns = 4;
constexpr std::size_t kLinesBefore = 8;    // that a loop is looked for in
constexpr std::size_t kLongestPeriod = 4;  // lines
constexpr std::size_t kLoopBytes = 24;     // of one line, that a loop must fill
constexpr std::size_t kLoopTurns = 4;

// A line that says something: closers, separators and the like repeat without harm.
bool tells(std::string_view line) {
  return std::ranges::count_if(line, [](char c) { return is_word_byte(c); }) >= 2 && trim(line) != "end" &&
         trim(line) != "else:";
}

// Start of line `index` of `lines`, which are split from `text`.
std::string_view up_to_line(std::string_view text, const std::vector<std::string_view>& lines,
                            std::size_t index) {
  if (index == 0) return {};
  const char* const end = lines[index - 1].data() + lines[index - 1].size();
  return text.substr(0, static_cast<std::size_t>(end - text.data()));
}

// The last lines before the cursor's that are not blank, oldest first.
std::vector<std::string> lines_before(const CursorText& around) {
  const std::string_view above =
      std::string_view{around.before}.substr(0, around.before.size() - around.line_before.size());
  std::vector<std::string> lines;
  for (std::string_view text = trim_right(above); !text.empty() && lines.size() < kLinesBefore;) {
    const std::size_t start = line_start(text, text.size());
    lines.insert(lines.begin(), std::string{trim_right(text.substr(start))});
    text = trim_right(text.substr(0, start));
  }
  return lines;
}

bool loops(std::string_view line) {
  for (std::size_t period = 2; period * kLoopTurns <= line.size(); ++period) {
    std::size_t same = 0;
    while (same + period < line.size() &&
           line[line.size() - 1 - same] == line[line.size() - 1 - same - period]) {
      ++same;
    }
    if (same >= std::max(kLoopBytes, period * (kLoopTurns - 1))) return true;
  }
  return false;
}

std::string indented(int columns_wanted, const IndentStyle& style) {
  if (!style.tabs) return std::string(static_cast<std::size_t>(columns_wanted), ' ');
  return std::string(static_cast<std::size_t>(columns_wanted / style.width), '\t') +
         std::string(static_cast<std::size_t>(columns_wanted % style.width), ' ');
}

IndentStyle document_style(const CursorText& around, std::string_view language) {
  IndentStyle style = indent_style_of(around.before + around.after);
  if (!style.known && (language == "makefile" || language == "go")) style = {.tabs = true, .known = true};
  return style;
}

// The deepest indentation that a statement may have at the cursor, where deeper is an error.
std::optional<int> deepest_indentation(const CursorText& around, std::string_view language, int step) {
  const LanguageSyntax& syntax = syntax_of(language);
  const std::string_view above = around.line_above();
  if (!syntax.indentation_scopes || !is_blank(around.line_before) || above.empty()) return std::nullopt;
  if (trim(above).ends_with('\\') || trim(above).starts_with('#') || language == "yaml") return std::nullopt;
  const CodeScan scan = scan_code(around.before, syntax, around.before.size());
  if (scan.at_mark != Inside::kCode || !balance_of(scan.brackets).open.empty()) return std::nullopt;
  const int above_columns = columns(indentation(above), kTabColumns);
  return block_start(around, language) ? above_columns + step : above_columns;
}

}  // namespace

std::string_view without_markers(std::string_view text) {
  constexpr std::array<std::string_view, 12> kMarkers{
      "<fim_",         "<|fim_", "<file_sep>", "<|file_sep|>", "<repo_name>", "<|repo_name|>",
      "<|endoftext|>", "<|im_",  "<|end",      "</s>",         "<\uff5c",     "\xe2\x96\x81<"};
  for (const std::string_view marker : kMarkers) text = text.substr(0, text.find(marker));
  return text;
}

std::string_view without_blank_lines(std::string_view text, const CursorText& around) {
  const std::size_t first = text.find_first_not_of(" \t\n");
  const std::size_t skipped = text.substr(0, first).rfind('\n');
  if (!is_blank(around.line_before) || first == std::string_view::npos || skipped == std::string_view::npos) {
    return text;
  }
  text.remove_prefix(skipped + 1);
  const int there = columns(around.line_before, kTabColumns);
  std::size_t inside = 0;
  while (inside < text.size() && columns(text.substr(0, inside), kTabColumns) < there &&
         (text[inside] == ' ' || text[inside] == '\t')) {
    ++inside;
  }
  if (columns(text.substr(0, inside), kTabColumns) < there) return {};
  return text.substr(inside);
}

std::string_view within_scope(std::string_view text, const CursorText& around,
                              const engine::StopRules& stop) {
  const auto lines = split_lines(text);
  if (lines.size() < 2) return text;
  int least = stop.block_indentation.value_or(0);
  if (!stop.block_indentation && is_blank(around.line_before)) {
    least = columns(std::string{around.line_before} + std::string{indentation(lines[0])}, kTabColumns);
  }
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (!is_blank(lines[i]) && columns(indentation(lines[i]), kTabColumns) < least)
      return up_to_line(text, lines, i);
  }
  return text;
}

std::string_view without_repetition(std::string_view text, const CursorText& around) {
  const auto lines = split_lines(text);
  const std::string_view below = around.line_below();
  std::vector<std::string> said = lines_before(around);
  const std::size_t n_before = said.size();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string line{lines[i]};
    if (i == 0) line.insert(0, around.line_before);
    line = trim_right(line);
    if (line.empty()) continue;
    const bool typed_here = i == 0 && !is_blank(around.line_before);
    if (tells(line) && is_closers_only(around.rest) && line == trim_right(below))
      return up_to_line(text, lines, i);
    said.push_back(std::move(line));
    for (std::size_t period = 1; period <= kLongestPeriod && 2 * period <= said.size(); ++period) {
      const auto end = said.end();
      const auto span = static_cast<std::ptrdiff_t>(period);
      const bool twice = std::equal(end - span, end, end - 2 * span) && std::any_of(end - span, end, tells);
      // A line that the user began may well be the one above again, and a pattern of lines its third turn.
      const bool thrice = 3 * period <= said.size() && std::equal(end - span, end, end - 3 * span);
      if (!twice ||
          ((typed_here || said.size() - period < n_before) && !thrice && (typed_here || period > 1)))
        continue;
      const std::size_t kept = said.size() - period;
      if (kept <= n_before) return {};
      std::size_t cut = i + 1;
      for (std::size_t back = 0; back < period; --cut) back += !is_blank(lines[cut - 1]);
      return up_to_line(text, lines, cut);
    }
  }
  return text;
}

std::string_view without_torn_end(std::string_view text) {
  const std::size_t line_end = text.rfind('\n');
  if (line_end != std::string_view::npos && !is_blank(text.substr(0, line_end)))
    return text.substr(0, line_end);
  if (loops(text)) return {};
  std::size_t end = text.size();
  while (end > 0 && is_word_byte(text[end - 1])) --end;
  const std::string_view kept = text.substr(0, end);
  return std::ranges::any_of(kept, is_word_byte) ? kept : text;
}

std::string with_document_indentation(std::string_view text, const CursorText& around,
                                      std::string_view language) {
  const IndentStyle style = document_style(around, language);
  const IndentStyle made = indent_style_of(text);
  const int made_width = made.known && !made.tabs ? made.width : kTabColumns;
  const bool at_line_start = is_blank(around.line_before);
  const auto lines = split_lines(text);
  int excess = 0;  // columns that the first line has too many
  std::string out;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view line = lines[i];
    const std::string_view blanks = indentation(line);
    const std::string_view content = line.substr(blanks.size());
    if (i > 0) out += '\n';
    if (content.empty() && i > 0) continue;
    if (i == 0 && !at_line_start) {
      const bool doubled = around.line_before.ends_with(' ') || around.line_before.ends_with('\t');
      out += doubled ? content : line;
      continue;
    }
    // In the document's own columns: a tab of the model is one step, and so is its own step of spaces.
    const auto tabs = static_cast<int>(std::ranges::count(blanks, '\t'));
    const auto spaces = static_cast<int>(blanks.size()) - tabs;
    int wanted = tabs * style.width + spaces;
    if (style.tabs) wanted = (tabs + spaces / made_width) * style.width + spaces % made_width;
    if (i == 0) {
      const int here = columns(around.line_before, style.tabs ? style.width : kTabColumns);
      const auto deepest = deepest_indentation(around, language, style.width);
      if (deepest && here <= *deepest) excess = std::max(here + wanted - *deepest, 0);
      const bool as_it_is = !style.known || blanks.empty();
      out += as_it_is && excess == 0 ? std::string{blanks} : indented(std::max(wanted - excess, 0), style);
    } else {
      out += style.known || made.tabs ? indented(std::max(wanted - excess, 0), style) : std::string{blanks};
    }
    out += content;
  }
  return out;
}

}  // namespace hearth::lsp
