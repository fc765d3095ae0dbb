// What the grammar of a language finds wrong with a text that is in no file. One thread at a time.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "indexer/parse_journal.h"
#include "indexer/syntax_tree.h"

namespace hearth::lsp {

class SyntaxFaults {
 public:
  // Of processor time; some ten kilobytes take as long.
  static constexpr std::chrono::milliseconds kLimit{5};

  // A text that takes longer than `limit` to parse is given up.
  explicit SyntaxFaults(std::shared_ptr<indexer::ParseJournal> journal = nullptr,
                        std::chrono::milliseconds limit = kLimit)
      : journal_(std::move(journal)), limit_(limit) {}

  // False where there is no grammar, or one whose faults say little (markup, shells, prose).
  static bool covers(std::string_view language);

  // Errors and what the parser had to add, together. An error in a construct that begins with a word reads
  // alike wherever there is its like: it may be the grammar's own (C's macros). The others are empty. Nothing
  // where the language is not covered, the text took too long, or the journal knows that it crashes the
  // grammar.
  std::optional<std::vector<std::string>> find(std::string_view language, std::string_view text);

  // As `find`, of a text that differs little from the one `find` was asked about last: it parses no more than
  // what differs.
  std::optional<std::vector<std::string>> find_in_variant(std::string_view text);

 private:
  struct Parsed {
    std::string language;
    std::string text;
    indexer::SyntaxTree tree;
  };

  std::optional<indexer::SyntaxTree> parse(std::string_view language, std::string_view text,
                                           const indexer::SyntaxTree* previous);

  std::shared_ptr<indexer::ParseJournal> journal_;  // none: nobody is told
  std::chrono::milliseconds limit_;
  indexer::SyntaxParser parser_;
  std::optional<Parsed> last_;  // by `find`
};

}  // namespace hearth::lsp
