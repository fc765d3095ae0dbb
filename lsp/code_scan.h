// The brackets of a piece of code and what of it is no code, by a rough scan that knows no grammar. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lsp/language.h"

namespace hearth::lsp {

struct Bracket {
  std::size_t offset = 0;
  char character = '(';
  int indentation = 0;      // columns (tab 4) of the line it stands on
  bool opens_line = false;  // the first on its line that is no blank
};

enum class Inside { kCode, kString, kComment };

struct Prose {
  std::size_t begin = 0, end = 0;
};

struct CodeScan {
  std::vector<Bracket> brackets;  // ( ) [ ] { } outside strings and comments
  std::vector<Prose> prose;       // strings and comments, in the order of the text
  Inside at_mark = Inside::kCode;
  std::string quote_at_mark;  // what ends the string the mark is in; of a comment of one line its line end
  int unclosed_strings = 0;   // one-line strings that their line end cut off
};

// `mark`: an offset to report on.
CodeScan scan_code(std::string_view text, const LanguageSyntax& syntax, std::size_t mark);

// Where a scan for what `cursor` stands in may begin, so that a long text costs no more than a short one: at
// the text's start, or some way before the cursor at a line that is indented least of those around and so is
// likely no line of a string or comment.
std::size_t scan_start(std::string_view text, std::size_t cursor);

char closer_of(char opener);  // 0 for anything but an opener

// What is wrong with the brackets, as pairs are made: innermost first, and a closer that opens its line
// goes to the opener of its own indentation where there is one.
struct BracketBalance {
  std::vector<Bracket> open;     // never closed, outermost first
  std::vector<Bracket> surplus;  // closers without an opener
};

BracketBalance balance_of(const std::vector<Bracket>& brackets);

// The openers before `mark` that nothing after it closes, innermost last. They end at the first
// that is closed: what follows may close these and no more.
std::vector<Bracket> closable_at(const CodeScan& scan, std::size_t mark);

}  // namespace hearth::lsp
