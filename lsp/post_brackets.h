// The step of post-processing that makes text fit the brackets and quotes around the cursor. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lsp/cursor_scope.h"
#include "lsp/post_process.h"

namespace hearth::lsp {

// Whether more is to come: an opener, a comma or an operator ends the text.
bool goes_on(std::string_view text);

// The ways in which `text` may go in, the likeliest first: without what the rest of the line repeats, as it
// is, over the closers right of the cursor, with the missing closers, cut before a closer too many. The text
// of some may be empty.
std::vector<Insertion> bracket_variants(const std::string& text, const CursorText& around,
                                        std::string_view language, RawEnd end, RestOfLine rest);

// The closers that `text` and the cursor's line lack, with the line ends and indentation of their own that
// those of blocks get; the end of a string first.
std::string missing_closers(const std::string& text, const CursorText& around, std::string_view language);

// For a language without a grammar: the variant that adds the fewest faults to the document's brackets and
// strings, by the rough scan of code_scan.h.
Insertion fit_brackets(const std::string& text, const CursorText& around, std::string_view language,
                       RawEnd end, RestOfLine rest);

}  // namespace hearth::lsp
