#include "lsp/syntax_window.h"

#include <algorithm>
#include <vector>

#include "lsp/code_scan.h"
#include "lsp/language.h"
#include "lsp/text_shape.h"

namespace hearth::lsp {
namespace {

constexpr int kTabColumns = 4;
constexpr std::size_t kLeastAbove = 16, kMostAbove = 96;  // lines
constexpr std::size_t kLeastBelow = 8, kMostBelow = 48;

int columns_of(std::string_view line) { return columns(indentation(line), kTabColumns); }

// A line at the outermost level that begins something.
bool begins_anew(std::string_view line) {
  constexpr std::string_view kClosers = ")]}";
  return !is_blank(line) && columns_of(line) == 0 && kClosers.find(line.front()) == std::string_view::npos;
}

bool ends_block(std::string_view line) { return trim(line).starts_with("end"); }

// How many of `lines`, nearest first, belong to the window.
std::size_t lines_wanted(const std::vector<std::string_view>& lines, std::size_t least, std::size_t most) {
  std::size_t n = 0;
  while (n < lines.size() && n < most && (n < least || !begins_anew(lines[n]))) ++n;
  return n;
}

// Of `lines`, nearest first, from number `first` on: those that enclose the one before, each indented less
// than what it encloses; the outermost last.
std::vector<std::string_view> indented_less(const std::vector<std::string_view>& lines, std::size_t first) {
  std::vector<std::string_view> found;
  std::size_t last = first;
  while (last > 0 && is_blank(lines[last - 1])) --last;
  int inside = last > 0 ? columns_of(lines[last - 1]) : 0;
  for (std::size_t i = first; i < lines.size() && inside > 0; ++i) {
    if (is_blank(lines[i]) || columns_of(lines[i]) >= inside) continue;
    inside = columns_of(lines[i]);
    found.push_back(lines[i]);
  }
  return found;
}

// What opens the brackets that are open at the end of `above`: their lines, where those close nothing.
std::string openers(std::string_view above, const LanguageSyntax& syntax) {
  std::string text;
  std::string_view last;
  for (const Bracket& bracket : balance_of(scan_code(above, syntax, 0).brackets).open) {
    const std::size_t start = line_start(above, bracket.offset);
    const std::string_view line = above.substr(start, line_end(above, start) - start);
    if (line.data() == last.data()) continue;
    last = line;
    const bool closes = !balance_of(scan_code(line, syntax, 0).brackets).surplus.empty();
    text += (closes ? std::string(1, bracket.character) : std::string(line)) + '\n';
  }
  return text;
}

// What closes, in `below`, the brackets that are open where it begins.
std::string closers(std::string_view below, const LanguageSyntax& syntax) {
  std::string text;
  for (const Bracket& bracket : balance_of(scan_code(below, syntax, 0).brackets).surplus) {
    text += '\n';
    text += bracket.character;
    if (below.substr(bracket.offset + 1).starts_with(';')) text += ';';
  }
  return text;
}

}  // namespace

SyntaxWindow syntax_window(const CursorText& around, std::string_view language) {
  const LanguageSyntax& syntax = syntax_of(language);
  const bool by_brackets = !syntax.colon_blocks && syntax.block_starts.empty();
  const std::string_view above_text =
      std::string_view(around.before).substr(0, around.before.size() - around.line_before.size());
  std::vector<std::string_view> above = split_lines(above_text);
  above.pop_back();  // what follows the last line end
  std::ranges::reverse(above);
  std::size_t n_above = lines_wanted(above, kLeastAbove, kMostAbove);
  if (n_above < above.size() && n_above < kMostAbove) ++n_above;  // the line that begins anew
  const std::vector<std::string_view> below = split_lines(around.below());
  const std::size_t n_below = lines_wanted(below, kLeastBelow, kMostBelow);

  SyntaxWindow window;
  if (by_brackets) {
    const std::size_t cut = n_above > 0
                                ? static_cast<std::size_t>(above[n_above - 1].data() - above_text.data())
                                : above_text.size();
    window.text = openers(above_text.substr(0, cut), syntax);
  } else {
    std::vector<std::string_view> heads = indented_less(above, n_above);
    std::ranges::reverse(heads);
    for (const std::string_view line : heads) window.text += std::string(line) + '\n';
  }
  for (std::size_t i = n_above; i-- > 0;) window.text += std::string(above[i]) + '\n';
  window.text += around.line_before;
  window.cursor = window.text.size();
  window.text += around.rest;
  for (std::size_t i = 0; i < n_below; ++i) window.text += '\n' + std::string(below[i]);
  if (n_below < below.size()) {
    const std::size_t cut = static_cast<std::size_t>(below[n_below].data() - around.below().data());
    window.text += closers(around.below().substr(cut), syntax);
  }
  for (const std::string_view line : indented_less(below, n_below)) {
    if (!by_brackets && ends_block(line)) window.text += '\n' + std::string(line);
  }
  window.text += '\n';
  window.is_all = n_above == above.size() && n_below == below.size();
  return window;
}

}  // namespace hearth::lsp
