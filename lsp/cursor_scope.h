// The text around a cursor and what it says of the block the cursor stands in. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "lsp/prompt_plan.h"

namespace hearth::lsp {

// Windows of the document, line ends "\n".
struct CursorText {
  std::string before, after;
  std::string_view line_before;  // of the cursor's line, in `before`
  std::string_view rest;         // of the cursor's line, in `after`

  explicit CursorText(const CursorPlace& place);
  CursorText(const CursorText&) = delete;
  CursorText& operator=(const CursorText&) = delete;

  std::string_view below() const;       // after the cursor's line and its line end
  std::string_view line_above() const;  // the nearest that is not blank, before the cursor's line
  std::string_view line_below() const;  // the nearest that is not blank, after the cursor's line
};

struct BlockStart {
  std::string_view opener_line;  // the line that opens it
  int columns = 0;               // its indentation
  bool empty = true;             // nothing in the block yet
};

// The block whose first statement is due at the cursor: the cursor's line is blank and the one above opens a
// block, or it ends at the cursor with what opens one.
std::optional<BlockStart> block_start(const CursorText& text, std::string_view language);

// How many brackets that are open at the cursor what is inserted may close: those that nothing after the
// cursor's line closes, nor code right of the cursor (bare closers there may be typed over). Nothing
// where brackets mean nothing: unknown languages, inside strings and comments.
std::optional<int> closable_brackets(const CursorText& text, std::string_view language);

}  // namespace hearth::lsp
