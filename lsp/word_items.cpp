#include "lsp/word_items.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <set>
#include <string>
#include <utility>

#include "lsp/text_shape.h"

namespace hearth::lsp {

namespace json = boost::json;

namespace {

// CompletionItemKind.
int kind_of(std::string_view kind) {
  constexpr std::array<std::pair<std::string_view, int>, 17> kKinds{{
      {"method", 2},
      {"function", 3},
      {"macro", 3},
      {"constructor", 4},
      {"field", 5},
      {"variable", 6},
      {"class", 7},
      {"type", 7},
      {"interface", 8},
      {"trait", 8},
      {"module", 9},
      {"key", 10},
      {"enum", 13},
      {"enumerator", 20},
      {"constant", 21},
      {"struct", 22},
      {"union", 22},
  }};
  const auto found = std::ranges::find(kKinds, kind, &std::pair<std::string_view, int>::first);
  constexpr int kText = 1;
  return found == kKinds.end() ? kText : found->second;
}

}  // namespace

void add_word_items(json::object& list, const Document& document, std::size_t cursor, const SentMenu& sent,
                    PositionEncoding encoding) {
  json::array& items = list.at("items").as_array();
  const json::object range = to_json(Range{document.position(word_start(document.text(), cursor), encoding),
                                           document.position(cursor, encoding)});
  std::set<std::string, std::less<>> labels;
  for (const json::value& item : items) labels.emplace(item.at("label").as_string());
  for (std::size_t i = 0; i < sent.menu.words.size(); ++i) {
    const MenuWord& word = sent.menu.words[i];
    if (labels.contains(word.name)) continue;
    json::object item{{"label", word.name},
                      {"kind", kind_of(word.kind)},
                      {"sortText", fmt::format("1{:04}", i)},
                      {"textEdit", json::object{{"range", range}, {"newText", word.name}}}};
    if (!word.signature.empty()) item["detail"] = word.signature;
    if (!word.kind.empty()) item["data"] = json::object{{"list", sent.id}, {"word", i}};
    items.push_back(std::move(item));
  }
  if (!sent.menu.whole) list["isIncomplete"] = true;
}

json::object resolved_item(json::object item, const SentMenu& sent) {
  const json::value* data = item.if_contains("data");
  const json::object* place = data ? data->if_object() : nullptr;
  if (!place || !place->if_contains("list") || place->at("list") != sent.id || !place->if_contains("word"))
    return item;
  boost::system::error_code error;
  const auto index = place->at("word").to_number<std::size_t>(error);
  if (error || index >= sent.menu.words.size()) return item;
  const MenuWord& word = sent.menu.words[index];
  std::string text = word.documentation;
  if (!text.empty()) text += "\n\n";
  text += word.path.empty() ? fmt::format("Line {} of this file", word.line + 1)
                            : fmt::format("{}, line {}", word.path, word.line + 1);
  item["documentation"] = json::object{{"kind", "plaintext"}, {"value", std::move(text)}};
  return item;
}

}  // namespace hearth::lsp
