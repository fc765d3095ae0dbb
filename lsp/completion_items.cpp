#include "lsp/completion_items.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <string_view>

#include "lsp/text_shape.h"

namespace hearth::lsp {

namespace json = boost::json;

namespace {

constexpr int kKindText = 1;         // CompletionItemKind
constexpr int kFormatPlainText = 1;  // InsertTextFormat
constexpr int kModeAsIs = 1;         // InsertTextMode

Range range_of(const Document& document, std::size_t begin, std::size_t end, PositionEncoding encoding) {
  return {document.position(begin, encoding), document.position(end, encoding)};
}

// For clients that ignore what a range holds behind the cursor: the same result where that can be had.
Insertion before_cursor_only(Insertion insertion, std::string_view after_cursor) {
  const std::string_view replaced = after_cursor.substr(0, insertion.replaces_after);
  if (insertion.text.ends_with(replaced)) {
    insertion.text.resize(insertion.text.size() - replaced.size());
    insertion.replaces_after = 0;
  }
  return insertion;
}

Insertion first_line_only(Insertion insertion) {
  const std::size_t end = insertion.text.find_first_of("\r\n");
  if (end == std::string::npos) return insertion;
  return {std::string(trim_right(std::string_view(insertion.text).substr(0, end))), 0};
}

}  // namespace

InlinePlace inline_place(const Snapshot& document, Position position,
                         const std::optional<SelectedCompletionInfo>& info, PositionEncoding encoding) {
  const std::size_t cursor = document->offset(position, encoding);
  InlinePlace plain{document, cursor, cursor, {}, document, cursor};
  if (!info || info->range.start.line != info->range.end.line) return plain;
  const std::size_t begin = document->offset(info->range.start, encoding);
  const std::size_t end = document->offset(info->range.end, encoding);
  if (begin > cursor || end < cursor || document->lines().line_at(begin) != document->lines().line_at(cursor))
    return plain;
  std::string text = document->text();
  text.replace(begin, end - begin, info->text);
  auto ahead = std::make_shared<const Document>(document->uri(), document->language(), document->version(),
                                                std::move(text));
  return {document, begin, end, info->text, std::move(ahead), begin + info->text.size()};
}

json::object inline_completion_list(const InlinePlace& place, const std::vector<Insertion>& insertions,
                                    PositionEncoding encoding) {
  json::array items;
  for (const Insertion& insertion : insertions) {
    items.push_back(json::object{{"insertText", place.selected_text + insertion.text},
                                 {"range", to_json(range_of(*place.client, place.begin,
                                                            place.end + insertion.replaces_after, encoding))},
                                 {"command",
                                  {{"title", "Accepted"},
                                   {"command", kAcceptedCommand},
                                   {"arguments", json::array{place.client->uri()}}}}});
  }
  return {{"items", std::move(items)}};
}

json::object completion_list(const Document& document, std::size_t cursor,
                             const std::vector<Insertion>& insertions, PopupLines lines,
                             PositionEncoding encoding, TypingOn typing_on) {
  const std::string_view text = document.text();
  const std::size_t begin = word_start(text, cursor);
  const std::string_view word = text.substr(begin, cursor - begin);
  json::array items;
  std::vector<std::string> seen;
  for (const Insertion& whole : insertions) {
    Insertion insertion = lines == PopupLines::kFirst ? first_line_only(whole) : whole;
    insertion = before_cursor_only(std::move(insertion), text.substr(cursor));
    if (insertion.text.empty() || std::find(seen.begin(), seen.end(), insertion.text) != seen.end()) continue;
    seen.push_back(insertion.text);
    const std::string new_text = std::string(word) + insertion.text;
    const std::string first_line = new_text.substr(0, new_text.find_first_of("\r\n"));
    json::object item{
        {"label", std::string(trim(first_line.empty() ? std::string_view(new_text) : first_line))},
        {"kind", kKindText},
        {"detail", "Hearth"},
        {"sortText", fmt::format("{:04}", items.size())},
        {"filterText", first_line},
        {"insertTextFormat", kFormatPlainText},
        {"insertTextMode", kModeAsIs},
        {"textEdit", json::object{{"range", to_json(range_of(document, begin,
                                                             cursor + insertion.replaces_after, encoding))},
                                  {"newText", new_text}}}};
    if (new_text.size() > first_line.size()) {
      item["documentation"] = json::object{{"kind", "plaintext"}, {"value", new_text}};
    }
    items.push_back(std::move(item));
  }
  return {{"isIncomplete", typing_on == TypingOn::kMayBringOthers}, {"items", std::move(items)}};
}

}  // namespace hearth::lsp
