// What is shown of a symbol: its signature on one line and the first line of its documentation. Pure
// functions over the file's text; offsets are bytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace hearth::indexer {

inline constexpr std::size_t kMaxSignature = 240;
inline constexpr std::size_t kMaxDocumentation = 160;

// Runs of blanks become one, what only opens a body (`{`, `:`, `=`, `=>`) goes from its end, what is longer
// than the limit is cut at a character's end.
std::string one_line(std::string_view text, std::size_t limit);
std::string signature_line(std::string_view text);

// The first sentence-like line of a comment or a string, without its marks.
std::string documentation_line(std::string_view comment);

// The comment that stands right above the line that holds `start`, past decorators and attributes; empty
// where another statement shares the line. `line_comments` opens one, with blanks between; blocks are `/*
// */`.
std::string_view comment_above(std::string_view text, std::size_t start, std::string_view line_comments);

}  // namespace hearth::indexer
