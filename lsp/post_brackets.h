// The step of post-processing that makes text fit the brackets and quotes around the cursor. Pure.
#pragma once

#include <string>

#include "lsp/cursor_scope.h"
#include "lsp/post_process.h"

namespace hearth::lsp {

// The variant of `text` that adds the fewest faults to the document's brackets and strings: as it is,
// without what the rest of the line repeats, over the closers right of the cursor, cut before a closer
// too many, or with the missing closers. The text may come out empty.
Insertion fit_brackets(const std::string& text, const CursorText& around, std::string_view language,
                       RawEnd end, RestOfLine rest);

}  // namespace hearth::lsp
