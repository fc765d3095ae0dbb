// The part of a document that decides whether text at the cursor is well-formed: the lines near the cursor,
// up to where nothing is indented any more, and the lines that enclose them. Small enough to be parsed at
// each try. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "lsp/cursor_scope.h"

namespace hearth::lsp {

struct SyntaxWindow {
  std::string text;        // line ends "\n"
  std::size_t cursor = 0;  // offset in it
  bool is_all = false;     // nothing of the text around was left out
};

SyntaxWindow syntax_window(const CursorText& around, std::string_view language);

}  // namespace hearth::lsp
