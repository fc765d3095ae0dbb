#include "lsp/syntax_faults.h"

#include <string>

#include "lsp/language.h"

namespace hearth::lsp {
namespace {

constexpr std::chrono::milliseconds kLimit(5);  // of processor time; a few kilobytes take less than one

const indexer::Language* grammar_of(std::string_view language) {
  if (!syntax_of(language).has_brackets) return nullptr;
  if (language == "javascriptreact") return indexer::language_named("javascript");
  if (language == "jsonc") return indexer::language_named("json");
  if (language == "cuda-cpp") return indexer::language_named("cpp");
  return indexer::language_named(language);
}

int faults_in(TSNode root) {
  int faults = 0;
  TSTreeCursor cursor = ts_tree_cursor_new(root);
  for (bool walking = true; walking;) {
    const TSNode node = ts_tree_cursor_current_node(&cursor);
    faults += ts_node_is_error(node) || ts_node_is_missing(node);
    // A subtree without faults is not entered.
    if (ts_node_has_error(node) && ts_tree_cursor_goto_first_child(&cursor)) continue;
    while (!ts_tree_cursor_goto_next_sibling(&cursor)) {
      walking = ts_tree_cursor_goto_parent(&cursor);
      if (!walking) break;
    }
  }
  ts_tree_cursor_delete(&cursor);
  return faults;
}

}  // namespace

bool SyntaxFaults::covers(std::string_view language) { return grammar_of(language) != nullptr; }

std::optional<int> SyntaxFaults::count(std::string_view language, std::string_view text) {
  const indexer::Language* const grammar = grammar_of(language);
  if (grammar == nullptr) return std::nullopt;
  const auto parsing = indexer::ParseJournal::enter(journal_, "insertions: " + std::string(language), text);
  if (parsing.is_refused()) return std::nullopt;
  const auto tree = parser_.parse(*grammar, text, kLimit, {});
  if (!tree) return std::nullopt;
  return faults_in(tree->root());
}

}  // namespace hearth::lsp
