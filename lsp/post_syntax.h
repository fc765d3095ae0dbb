// The step of post-processing that makes text fit the document's grammar, by trying it. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "lsp/cursor_scope.h"
#include "lsp/post_process.h"
#include "lsp/syntax_faults.h"

namespace hearth::lsp {

// The variant of `text` (post_brackets.h) after which the document has no more faults than before, or that of
// the longest part of it, ending with a token (in a string or comment of several lines with a line), that
// leads there. A fault that one of the continuations (continuations.h) mends, put behind the text, is none:
// the text just goes on. Nor is an error whose like other lines have: that is the grammar's. Empty when no
// part will do; nothing when the syntax could not tell, as in a text that is full of faults.
std::optional<Insertion> fit_syntax(const std::string& text, const CursorText& around,
                                    std::string_view language, RawEnd end, RestOfLine rest,
                                    SyntaxFaults& syntax);

}  // namespace hearth::lsp
