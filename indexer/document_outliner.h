// Outlines of a document that is being edited: what did not change since its last outline is not parsed
// again.
#pragma once

#include <optional>
#include <string>

#include "indexer/outline.h"

namespace hearth::indexer {

// Remembers one text, the last. While a text does not parse, its outline may depend on the ones before it, so
// what goes into a store is not made here. One thread at a time.
class DocumentOutliner {
 public:
  // As Outliner.
  Result<std::optional<Outline>> outline(const Language& language, std::string_view text,
                                         std::chrono::milliseconds limit, std::stop_token stop);

 private:
  struct Parsed {
    const Language* language;
    std::string text;
    SyntaxTree tree;
  };

  Outliner outliner_;
  std::optional<Parsed> last_;
};

// The one replacement that makes `after` of `before`. Pure.
TextEdit edit_between(std::string_view before, std::string_view after);

}  // namespace hearth::indexer
