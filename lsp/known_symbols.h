// What a file's outline and a workspace's index know of the names that may stand at a cursor. The outliner's
// and the reader's thread.
#pragma once

#include <stop_token>
#include <string>
#include <string_view>

#include "indexer/document_outliner.h"
#include "lsp/document.h"
#include "lsp/menu_words.h"

namespace hearth::lsp {

struct IndexedPlace {
  cache::StoreReader& reader;
  std::string path;  // of the document, from the workspace's root
};

// Without an index: of the document alone. Nothing of other files where less than two bytes are typed. What
// the store cannot be asked is not known.
KnownSymbols known_symbols(const Document& document, std::string_view typed,
                           indexer::DocumentOutliner& outliner, const std::optional<IndexedPlace>& index,
                           std::stop_token stop);

}  // namespace hearth::lsp
