// How text is laid out: lines, line ends, indentation. Pure functions of UTF-8 text and byte offsets;
// "\n", "\r\n" and a lone "\r" end a line, as the protocol has it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace hearth::lsp {

std::size_t line_start(std::string_view text, std::size_t offset);  // of the line that holds the offset
std::size_t line_end(std::string_view text, std::size_t offset);    // before its line end, or the text's end

// "\r\n" or "\n", whichever ends the text's first line.
std::string_view line_end_of(std::string_view text);

std::string with_lf(std::string_view text);  // every line end becomes "\n"

// Split at "\n"; n line ends give n + 1 lines.
std::vector<std::string_view> split_lines(std::string_view text);

std::string_view trim(std::string_view text);
std::string_view trim_right(std::string_view text);
bool is_blank(std::string_view text);  // nothing but spaces, tabs and line ends

std::string_view indentation(std::string_view line);  // its leading blanks
int columns(std::string_view blanks, int tab_width);

struct IndentStyle {
  bool tabs = false;
  int width = 4;       // columns of one step
  bool known = false;  // the text has indented lines that show it
};

IndentStyle indent_style_of(std::string_view text);

// Whether the rest of a line is of no weight to the model: closers, quotes, `,` `;` `:` and blanks only.
bool is_closers_only(std::string_view rest);

bool is_word_byte(char c);  // of an identifier, any non-ASCII byte included
std::size_t word_start(std::string_view text, std::size_t offset);  // of the word that ends there

std::size_t floor_to_character(std::string_view text, std::size_t offset);  // never inside a UTF-8 sequence

}  // namespace hearth::lsp
