// Insertions as the items of the protocol's two kinds of completion, their ranges on the cursor's line
// and around the cursor. Pure.
#pragma once

#include <boost/json.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lsp/document.h"
#include "lsp/post_process.h"
#include "lsp/protocol.h"

namespace hearth::lsp {

// Where an inline completion is asked for. With an item selected in the editor's popup, the place is the
// end of that item's text in a document that already holds it.
struct InlinePlace {
  Snapshot client;        // the document as the client has it
  std::size_t begin = 0;  // of what the item replaces in it: the cursor, or the selected item's range
  std::size_t end = 0;
  std::string selected_text;  // what stands there in `document`; empty without a selected item
  Snapshot document;          // to be completed in; the client's without a selected item
  std::size_t cursor = 0;     // in `document`
};

// `info` counts when its range is on the cursor's line and contains the cursor.
InlinePlace inline_place(const Snapshot& document, Position position,
                         const std::optional<SelectedCompletionInfo>& info, PositionEncoding encoding);

// What an accepted item has its editor execute (workspace/executeCommand).
inline constexpr std::string_view kAcceptedCommand = "hearth.accepted";

// {"items": [...]}.
boost::json::object inline_completion_list(const InlinePlace& place, const std::vector<Insertion>& insertions,
                                           PositionEncoding encoding);

enum class PopupLines {
  kFirst,  // popups and what clients do on acceptance suit one line
  kAll,
};

enum class TypingOn {
  kMayBringOthers,  // the list is incomplete: its client has no other way to more than it holds
  kOnlyFilters,
};

// A CompletionList. Each item replaces the word before the cursor by itself with more behind, because
// clients filter by that word.
boost::json::object completion_list(const Document& document, std::size_t cursor,
                                    const std::vector<Insertion>& insertions, PopupLines lines,
                                    PositionEncoding encoding,
                                    TypingOn typing_on = TypingOn::kMayBringOthers);

}  // namespace hearth::lsp
