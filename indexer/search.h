// Finds files and symbols of a workspace by words: those of identifiers and their parts, as the store has
// them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cache/store_reader.h"
#include "indexer/error.h"

namespace hearth::indexer {

struct SearchHit {
  std::string path;
  double score = 0;  // more is better
  std::vector<cache::SymbolRow>
      symbols;  // of the file, those whose names say most of the query, at most three
};

// The best first. A file counts by its words (BM25) and by how much of the query its symbols' names say;
// words are split as identifiers are: `readConfig` is `read config`, too.
Result<std::vector<SearchHit>> search_workspace(cache::StoreReader& reader, std::string_view query,
                                                std::size_t limit);

}  // namespace hearth::indexer
