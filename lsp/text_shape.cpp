#include "lsp/text_shape.h"

#include <algorithm>
#include <array>

namespace hearth::lsp {
namespace {

constexpr std::string_view kLineEnds = "\r\n";
constexpr std::string_view kBlanks = " \t\r\n\f\v";

}  // namespace

std::size_t line_start(std::string_view text, std::size_t offset) {
  const std::size_t found = text.substr(0, offset).find_last_of(kLineEnds);
  return found == std::string_view::npos ? 0 : found + 1;
}

std::size_t line_end(std::string_view text, std::size_t offset) {
  return std::min(text.find_first_of(kLineEnds, offset), text.size());
}

std::string_view line_end_of(std::string_view text) {
  const std::size_t end = line_end(text, 0);
  return text.substr(end, 2) == "\r\n" ? "\r\n" : "\n";
}

std::string with_lf(std::string_view text) {
  if (text.find('\r') == std::string_view::npos) return std::string{text};
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\r') {
      out += text[i];
    } else if (i + 1 == text.size() || text[i + 1] != '\n') {
      out += '\n';
    }
  }
  return out;
}

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t start = 0;;) {
    const std::size_t end = text.find('\n', start);
    lines.push_back(text.substr(start, end - start));
    if (end == std::string_view::npos) return lines;
    start = end + 1;
  }
}

std::string_view trim_right(std::string_view text) {
  const std::size_t last = text.find_last_not_of(kBlanks);
  return last == std::string_view::npos ? std::string_view{} : text.substr(0, last + 1);
}

std::string_view trim(std::string_view text) {
  text = trim_right(text);
  return text.substr(std::min(text.find_first_not_of(kBlanks), text.size()));
}

bool is_blank(std::string_view text) { return text.find_first_not_of(kBlanks) == std::string_view::npos; }

std::string_view indentation(std::string_view line) {
  return line.substr(0, std::min(line.find_first_not_of(" \t"), line.size()));
}

int columns(std::string_view blanks, int tab_width) {
  int column = 0;
  for (const char c : blanks) column = c == '\t' ? (column / tab_width + 1) * tab_width : column + 1;
  return column;
}

IndentStyle indent_style_of(std::string_view text) {
  int tab_lines = 0;
  int space_lines = 0;
  std::array<int, 9> steps{};  // how often a line is indented by so many columns more than the one before
  int previous = 0;
  for (const std::string_view line : split_lines(text)) {
    const std::string_view blanks = indentation(line);
    if (blanks.size() == trim_right(line).size() || is_blank(line)) continue;
    if (blanks.starts_with('\t')) {
      ++tab_lines;
      continue;
    }
    const int width = static_cast<int>(blanks.size());
    if (width >= 2) ++space_lines;
    const int step = width - previous;
    if (step >= 2 && step < static_cast<int>(steps.size())) ++steps[static_cast<std::size_t>(step)];
    previous = width;
  }
  if (tab_lines + space_lines == 0) return {};
  const auto most = std::ranges::max_element(steps);
  return {.tabs = tab_lines > space_lines,
          .width = *most > 0 ? static_cast<int>(most - steps.begin()) : 4,
          .known = true};
}

bool is_closers_only(std::string_view rest) {
  return rest.find_first_not_of(")]}>\"'`,;: \t\r\n") == std::string_view::npos;
}

bool is_word_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

std::size_t word_start(std::string_view text, std::size_t offset) {
  while (offset > 0 && is_word_byte(text[offset - 1])) --offset;
  return offset;
}

std::size_t floor_to_character(std::string_view text, std::size_t offset) {
  while (offset > 0 && offset < text.size() && (static_cast<unsigned char>(text[offset]) & 0xC0) == 0x80) {
    --offset;
  }
  return std::min(offset, text.size());
}

}  // namespace hearth::lsp
