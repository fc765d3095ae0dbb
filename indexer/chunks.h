// A file cut into chunks for retrieval: a definition each, or a window of lines where there is none. Chunks
// lie in the order of the file, do not overlap, and leave out only blank lines. Pure function.
#pragma once

#include <string_view>
#include <vector>

#include "cache/rows.h"

namespace hearth::indexer {

inline constexpr std::uint32_t kMaxChunkLines = 60;

// `symbols` in the order of the file, as an outline has them.
std::vector<cache::ChunkRow> chunks_of(std::string_view text, const std::vector<cache::SymbolRow>& symbols);

}  // namespace hearth::indexer
