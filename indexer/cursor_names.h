// The identifiers that a place in a text calls for: those around the cursor, by how near they stand. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hearth::indexer {

struct CursorName {
  std::string name;
  double weight = 0;  // near 1 on the cursor's line, halved every few lines from there
};

// At most `limit`, the weightiest first. A word counts at its nearest place; what stands after the cursor is
// half as telling. Anywhere else in the text a word has a small weight.
std::vector<CursorName> names_at(std::string_view text, std::size_t cursor, std::size_t limit);

}  // namespace hearth::indexer
