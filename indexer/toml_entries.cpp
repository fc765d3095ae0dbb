#include "indexer/toml_entries.h"

#include <map>

#include "indexer/languages.h"
#include "indexer/outline_query.h"
#include "indexer/syntax_tree.h"

namespace hearth::indexer {
namespace {

constexpr std::chrono::milliseconds kParseLimit{5'000};
constexpr int kMaxDepth = 32;

std::string_view type_of(TSNode node) { return ts_node_type(node); }

std::string unquoted(std::string_view text) {
  for (const std::string_view quote : {"\"\"\"", "'''", "\"", "'"}) {
    if (text.size() >= 2 * quote.size() && text.starts_with(quote) && text.ends_with(quote))
      return std::string(text.substr(quote.size(), text.size() - 2 * quote.size()));
  }
  return std::string(text);
}

class Flattener {
 public:
  explicit Flattener(std::string_view text) : text_(text) {}

  std::vector<TomlEntry> take() { return std::move(entries_); }

  void add_document(TSNode root) {
    for (std::uint32_t i = 0; i < ts_node_named_child_count(root); ++i) {
      const TSNode child = ts_node_named_child(root, i);
      if (type_of(child) == "pair") add_pair(child, {}, 0);
      if (type_of(child) != "table" && type_of(child) != "table_array_element") continue;
      std::vector<std::string> keys = keys_of(ts_node_named_child(child, 0));
      if (type_of(child) == "table_array_element") keys.push_back(std::to_string(tables_[keys]++));
      for (std::uint32_t j = 1; j < ts_node_named_child_count(child); ++j) {
        const TSNode pair = ts_node_named_child(child, j);
        if (type_of(pair) == "pair") add_pair(pair, keys, 0);
      }
    }
  }

 private:
  std::vector<std::string> keys_of(TSNode key) const {
    if (type_of(key) != "dotted_key") return {unquoted(text_of(key, text_))};
    std::vector<std::string> keys;
    for (std::uint32_t i = 0; i < ts_node_named_child_count(key); ++i) {
      const std::vector<std::string> part = keys_of(ts_node_named_child(key, i));
      keys.insert(keys.end(), part.begin(), part.end());
    }
    return keys;
  }

  void add_pair(TSNode pair, std::vector<std::string> keys, int depth) {
    if (ts_node_named_child_count(pair) < 2) return;
    const std::vector<std::string> own = keys_of(ts_node_named_child(pair, 0));
    keys.insert(keys.end(), own.begin(), own.end());
    add_value(ts_node_named_child(pair, 1), std::move(keys), depth);
  }

  void add_value(TSNode value, std::vector<std::string> keys, int depth) {
    const std::string_view type = type_of(value);
    if (type != "inline_table" && type != "array") {
      entries_.push_back({std::move(keys), unquoted(text_of(value, text_))});
      return;
    }
    if (depth == kMaxDepth) return;
    int element = 0;
    for (std::uint32_t i = 0; i < ts_node_named_child_count(value); ++i) {
      const TSNode child = ts_node_named_child(value, i);
      if (type_of(child) == "comment") continue;
      if (type_of(child) == "pair") {
        add_pair(child, keys, depth + 1);
      } else {
        std::vector<std::string> inside = keys;
        inside.push_back(std::to_string(element++));
        add_value(child, std::move(inside), depth + 1);
      }
    }
  }

  std::string_view text_;
  std::vector<TomlEntry> entries_;
  std::map<std::vector<std::string>, int> tables_;  // of each `[[name]]`, how many so far
};

}  // namespace

std::vector<TomlEntry> toml_entries(std::string_view text) {
  SyntaxParser parser;
  const std::optional<SyntaxTree> tree = parser.parse(*language_of("a.toml", ""), text, kParseLimit, {});
  if (!tree) return {};
  Flattener flattener(text);
  flattener.add_document(tree->root());
  return flattener.take();
}

}  // namespace hearth::indexer
