// What the grammar of a language finds wrong with a text. One thread at a time.
#pragma once

#include <optional>
#include <string_view>

#include "indexer/syntax_tree.h"

namespace hearth::lsp {

class SyntaxFaults {
 public:
  // False where there is no grammar, or one whose faults say little (markup, shells, prose).
  static bool covers(std::string_view language);

  // Errors and what the parser had to add, together. Nothing where the language is not covered or the text
  // took too long.
  std::optional<int> count(std::string_view language, std::string_view text);

 private:
  indexer::SyntaxParser parser_;
};

}  // namespace hearth::lsp
