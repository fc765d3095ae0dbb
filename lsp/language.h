// What is known of a language without a parser: how its strings, comments and blocks look. Languages are
// named by their LSP identifiers ("python", "cpp", "typescriptreact"). Immutable.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hearth::lsp {

struct LanguageSyntax {
  std::vector<std::string_view> line_comments{};
  std::string_view block_comment_open{}, block_comment_close{};  // empty: none
  std::string_view quotes{};                                     // characters that open and close a string
  std::string_view multi_line_quotes{};          // of these, the ones whose string may span lines
  bool triple_quotes = false;                    // ''' and """ too
  bool lifetimes = false;                        // 'a may stand alone (Rust)
  bool regular_expressions = false;              // /[(]/ where an operand is due
  bool has_brackets = false;                     // balance of ( [ { means something
  bool colon_blocks = false;                     // a line that ends with ':' opens an indented block
  bool indentation_scopes = false;               // a scope ends by indentation alone
  std::vector<std::string_view> block_ends{};    // a line that ends with one of these opens a block
  std::vector<std::string_view> block_starts{};  // so does a line that starts with one of these words
};

// Unknown languages get no comments, strings or brackets.
const LanguageSyntax& syntax_of(std::string_view language);

// By file name or extension; "plaintext" when unknown.
std::string_view language_of_path(std::string_view path);

}  // namespace hearth::lsp
