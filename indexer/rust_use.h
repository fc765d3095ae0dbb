// Rust's `use` trees as flat imports. Pure function.
#pragma once

#include <string_view>
#include <vector>

#include "cache/rows.h"

namespace hearth::indexer {

// `a::{b, c::{D as E, F}}` gives `a` with the names "b" and `a::c` with "D F". A path of one part has no
// names.
std::vector<cache::ImportRow> flat_uses(std::string_view tree, std::uint32_t line);

}  // namespace hearth::indexer
