// The word at a cursor, and the names of the text around it that could stand in its place. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lsp/language.h"

namespace hearth::lsp {

struct WordAtCursor {
  std::size_t begin = 0;   // up to the cursor
  bool is_member = false;  // behind `.`, `->`, `?.` or `::`
  bool in_code = true;     // not in a string or comment
};

struct NearName {
  std::string name;
  bool is_member = false;    // at its nearest use
  std::size_t distance = 0;  // of that use, in bytes
};

struct NearNames {
  WordAtCursor word;
  std::vector<NearName> names;  // each once, the nearest first; a language's own words too
};

// Names of two characters or more; what stands at the cursor itself is no use.
NearNames near_names(std::string_view text, std::size_t cursor, const LanguageSyntax& syntax);

bool is_behind_a_dot(std::string_view text, std::size_t begin);

// Whether a name may stand where `typed` was begun; letters of either case.
bool begins_with(std::string_view name, std::string_view typed);

}  // namespace hearth::lsp
