// What the grammar of a language finds wrong with a text that is in no file. One thread at a time.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "indexer/parse_journal.h"
#include "indexer/syntax_tree.h"

namespace hearth::lsp {

class SyntaxFaults {
 public:
  explicit SyntaxFaults(std::shared_ptr<indexer::ParseJournal> journal = nullptr)
      : journal_(std::move(journal)) {}

  // False where there is no grammar, or one whose faults say little (markup, shells, prose).
  static bool covers(std::string_view language);

  // Errors and what the parser had to add, together. Nothing where the language is not covered, the
  // text took too long, or the journal knows that it crashes the grammar.
  std::optional<int> count(std::string_view language, std::string_view text);

 private:
  std::shared_ptr<indexer::ParseJournal> journal_;  // none: nobody is told
  indexer::SyntaxParser parser_;
};

}  // namespace hearth::lsp
