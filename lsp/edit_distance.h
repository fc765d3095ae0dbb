// How far two texts are apart. Pure.
#pragma once

#include <cstddef>
#include <string_view>

namespace hearth::lsp {

// The fewest bytes inserted, removed or replaced that make `b` of `a` (Levenshtein's distance).
std::size_t edit_distance(std::string_view a, std::string_view b);

// 1 for equal texts, 0 where nothing stays: one less the distance's share of the longer text.
double edit_similarity(std::string_view a, std::string_view b);

}  // namespace hearth::lsp
