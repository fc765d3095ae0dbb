#include "lsp/syntax_faults.h"

#include <algorithm>
#include <string>

#include "indexer/document_outliner.h"
#include "lsp/language.h"
#include "lsp/text_shape.h"

namespace hearth::lsp {
namespace {

constexpr std::uint32_t kToldChildren = 8;

const indexer::Language* grammar_of(std::string_view language) {
  if (!syntax_of(language).has_brackets) return nullptr;
  if (language == "javascriptreact") return indexer::language_named("javascript");
  if (language == "jsonc") return indexer::language_named("json");
  if (language == "cuda-cpp") return indexer::language_named("cpp");
  return indexer::language_named(language);
}

std::string_view first_word(TSNode node, std::string_view text) {
  const std::size_t begin = std::min<std::size_t>(ts_node_start_byte(node), text.size());
  std::size_t end = begin;
  while (end < text.size() && is_word_byte(text[end])) ++end;
  return text.substr(begin, end - begin);
}

// Empty where the construct begins with no word, or the fault is that something is missing.
std::string described(TSNode fault, std::string_view text) {
  TSNode construct = ts_node_parent(fault);
  if (ts_node_is_null(construct) || ts_node_is_null(ts_node_parent(construct))) construct = fault;
  const std::string_view word = first_word(construct, text);
  if (ts_node_is_missing(fault) || word.empty()) return {};
  std::string words = std::string(ts_node_type(construct)) + ' ' + std::string(word) + ':';
  for (std::uint32_t i = 0; i < std::min(ts_node_child_count(fault), kToldChildren); ++i)
    words += std::string(" ") += ts_node_type(ts_node_child(fault, i));
  return words;
}

std::vector<std::string> faults_in(TSNode root, std::string_view text) {
  std::vector<std::string> faults;
  TSTreeCursor cursor = ts_tree_cursor_new(root);
  for (bool walking = true; walking;) {
    const TSNode node = ts_tree_cursor_current_node(&cursor);
    if (ts_node_is_error(node) || ts_node_is_missing(node)) faults.push_back(described(node, text));
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

std::optional<std::vector<std::string>> SyntaxFaults::find(std::string_view language, std::string_view text) {
  last_.reset();
  auto tree = parse(language, text, nullptr);
  if (!tree) return std::nullopt;
  last_ = Parsed{std::string(language), std::string(text), std::move(*tree)};
  return faults_in(last_->tree.root(), text);
}

std::optional<std::vector<std::string>> SyntaxFaults::find_in_variant(std::string_view text) {
  if (!last_) return std::nullopt;
  indexer::SyntaxTree previous = last_->tree.copy();
  previous.edit(indexer::edit_between(last_->text, text));
  const auto tree = parse(last_->language, text, &previous);
  if (!tree) return std::nullopt;
  return faults_in(tree->root(), text);
}

std::optional<indexer::SyntaxTree> SyntaxFaults::parse(std::string_view language, std::string_view text,
                                                       const indexer::SyntaxTree* previous) {
  const indexer::Language* const grammar = grammar_of(language);
  if (grammar == nullptr) return std::nullopt;
  const auto parsing = indexer::ParseJournal::enter(journal_, "insertions: " + std::string(language), text);
  if (parsing.is_refused()) return std::nullopt;
  return parser_.parse(*grammar, text, limit_, {}, previous);
}

}  // namespace hearth::lsp
