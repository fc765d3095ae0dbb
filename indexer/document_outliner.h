// Outlines of a document that is being edited: what did not change since its last outline is not parsed
// again.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "indexer/outline.h"
#include "indexer/parse_journal.h"

namespace hearth::indexer {

// Remembers one text, the last. While a text does not parse, its outline may depend on the ones before it, so
// what goes into a store is not made here. One thread at a time.
class DocumentOutliner {
 public:
  explicit DocumentOutliner(std::shared_ptr<ParseJournal> journal = nullptr) : journal_(std::move(journal)) {}

  // As Outliner; nothing of a text that crashes its grammar, either. `file` names it in the journal.
  Result<std::optional<Outline>> outline(std::string_view file, const Language& language,
                                         std::string_view text, std::chrono::milliseconds limit,
                                         std::stop_token stop);

 private:
  struct Parsed {
    const Language* language;
    std::string text;
    SyntaxTree tree;
  };

  std::shared_ptr<ParseJournal> journal_;
  Outliner outliner_;
  std::optional<Parsed> last_;
};

// The one replacement that makes `after` of `before`. Pure.
TextEdit edit_between(std::string_view before, std::string_view after);

}  // namespace hearth::indexer
