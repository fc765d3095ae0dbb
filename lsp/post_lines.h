// Steps of post-processing that work on lines. Text is LF only. Pure.
#pragma once

#include <string>
#include <string_view>

#include "engine/job.h"
#include "lsp/cursor_scope.h"

namespace hearth::lsp {

// Up to the first of the markers that models are trained with.
std::string_view without_markers(std::string_view text);

// Where the cursor's line is blank, without the blank lines that `text` begins with: what comes after them
// goes on the cursor's line, less the indentation that the line has already. Empty where it has too much.
std::string_view without_blank_lines(std::string_view text, const CursorText& around);

// Up to the first line (not the one the cursor is on) that is indented by fewer columns than the scope's
// lines: those of the stop rules, or else the first.
std::string_view within_scope(std::string_view text, const CursorText& around, const engine::StopRules& stop);

// Up to the first line that the document has right below the cursor, or that repeats what the lines
// before it have said already.
std::string_view without_repetition(std::string_view text, const CursorText& around);

// A text that the token limit or a deadline ended: without its last line when it has more, else without its
// last word when it has more; nothing when all it has is a loop.
std::string_view without_torn_end(std::string_view text);

// Blanks at the cursor not doubled, no indentation beyond what the place allows (where indentation is
// grammar), and every further line indented as the document is, with tabs or spaces.
std::string with_document_indentation(std::string_view text, const CursorText& around,
                                      std::string_view language);

}  // namespace hearth::lsp
