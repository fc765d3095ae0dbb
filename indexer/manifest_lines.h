// Line-based manifests in parts. Pure functions.
#pragma once

#include <string_view>
#include <vector>

namespace hearth::indexer {

std::string_view trimmed(std::string_view text);
std::vector<std::string_view> lines_of(std::string_view text);

}  // namespace hearth::indexer
