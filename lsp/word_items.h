// Names of a menu as the protocol's completion items, and what more there is to say of one that the user
// looks at. Pure.
#pragma once

#include <boost/json.hpp>
#include <cstddef>
#include <cstdint>

#include "lsp/document.h"
#include "lsp/menu_words.h"

namespace hearth::lsp {

// A list that was sent: what its items can be resolved from.
struct SentMenu {
  std::int64_t id = 0;
  MenuWords menu;
};

// Adds an item for each word that no item of the list has as its label yet. The list is incomplete, too,
// where the menu is not whole.
void add_word_items(boost::json::object& list, const Document& document, std::size_t cursor,
                    const SentMenu& sent, PositionEncoding encoding);

// An item of the list with its documentation; any other item as it is.
boost::json::object resolved_item(boost::json::object item, const SentMenu& sent);

}  // namespace hearth::lsp
