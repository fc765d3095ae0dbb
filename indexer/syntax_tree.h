// tree-sitter's parser and its trees. A parser belongs to one thread at a time; a tree is immutable but for
// `edit` and may be read by any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string_view>
#include <tree_sitter/api.h>

#include "indexer/languages.h"

namespace hearth::indexer {

// One replacement of text, as an editor makes it: what was [start, old_end) is now [start, new_end).
struct TextEdit {
  std::uint32_t start = 0, old_end = 0, new_end = 0;        // bytes
  TSPoint start_point{}, old_end_point{}, new_end_point{};  // line and column in bytes
};

class SyntaxTree {
 public:
  explicit SyntaxTree(TSTree* tree) : tree_(tree) {}

  TSNode root() const { return ts_tree_root_node(tree_.get()); }
  const TSTree* get() const { return tree_.get(); }

  SyntaxTree copy() const { return SyntaxTree(ts_tree_copy(tree_.get())); }

  // Before parsing the edited text with this tree as the previous one.
  void edit(const TextEdit& edit);

 private:
  struct Delete {
    void operator()(TSTree* tree) const { ts_tree_delete(tree); }
  };
  std::unique_ptr<TSTree, Delete> tree_;
};

class SyntaxParser {
 public:
  SyntaxParser();

  // Nothing when it was stopped or took more than `limit` of this thread's processor time. With `previous`,
  // already edited, only what changed is parsed again.
  std::optional<SyntaxTree> parse(const Language& language, std::string_view text,
                                  std::chrono::milliseconds limit, std::stop_token stop,
                                  const SyntaxTree* previous = nullptr);

 private:
  struct Delete {
    void operator()(TSParser* parser) const { ts_parser_delete(parser); }
  };
  std::unique_ptr<TSParser, Delete> parser_;
};

}  // namespace hearth::indexer
