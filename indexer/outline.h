// What a file defines and what it imports, from its syntax tree and its language's query. Definitions inside
// a function are its own business and are not told.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string_view>
#include <vector>

#include "cache/rows.h"
#include "indexer/outline_query.h"
#include "indexer/syntax_tree.h"

namespace hearth::indexer {

struct Outline {
  std::vector<cache::SymbolRow> symbols;  // in the order of the file
  std::vector<cache::ImportRow> imports;  // without targets
};

// Pure: the same tree gives the same outline.
Outline outline_of(const Language& language, const OutlineQuery& query, TSNode root, std::string_view text,
                   TSQueryCursor* cursor);

// Parser, cursor and compiled queries, kept from file to file. One thread at a time; several may share the
// queries.
class Outliner {
 public:
  explicit Outliner(std::shared_ptr<OutlineQueries> queries = std::make_shared<OutlineQueries>());

  // Nothing when parsing took more than `limit` of processor time or was stopped. An error is our own
  // query's.
  Result<std::optional<Outline>> outline(const Language& language, std::string_view text,
                                         std::chrono::milliseconds limit, std::stop_token stop);

  // The two halves of it: as SyntaxParser, and the outline of a tree of the text.
  std::optional<SyntaxTree> parse(const Language& language, std::string_view text,
                                  std::chrono::milliseconds limit, std::stop_token stop,
                                  const SyntaxTree* previous = nullptr) {
    return parser_.parse(language, text, limit, std::move(stop), previous);
  }
  Result<Outline> outline(const Language& language, std::string_view text, const SyntaxTree& tree);

 private:
  struct Delete {
    void operator()(TSQueryCursor* cursor) const { ts_query_cursor_delete(cursor); }
  };
  SyntaxParser parser_;
  std::unique_ptr<TSQueryCursor, Delete> cursor_;
  std::shared_ptr<OutlineQueries> queries_;
};

}  // namespace hearth::indexer
