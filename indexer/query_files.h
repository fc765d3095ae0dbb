// The files of queries/, as they were when this was built. The build writes the other half.
#pragma once

#include <string_view>

namespace hearth::indexer {

// By name without extension; empty where there is none.
std::string_view query_file(std::string_view name);

}  // namespace hearth::indexer
