#include "indexer/xml_entries.h"

#include <array>
#include <utility>

#include "indexer/manifest_lines.h"

namespace hearth::indexer {
namespace {

constexpr std::array<std::pair<std::string_view, char>, 5> kEntities = {
    {{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}}};

std::string decoded(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    std::size_t used = 1;
    char c = text[0];
    for (const auto& [entity, character] : kEntities) {
      if (!text.starts_with(entity)) continue;
      c = character;
      used = entity.size();
    }
    result += c;
    text.remove_prefix(used);
  }
  return result;
}

std::map<std::string, std::string> attributes_of(std::string_view tag) {
  std::map<std::string, std::string> attributes;
  while (true) {
    const std::size_t equals = tag.find('=');
    if (equals == std::string_view::npos) return attributes;
    const std::string_view name = trimmed(tag.substr(0, equals));
    const std::size_t open = tag.find_first_of("\"'", equals);
    if (open == std::string_view::npos) return attributes;
    const std::size_t close = tag.find(tag[open], open + 1);
    if (close == std::string_view::npos) return attributes;
    attributes[std::string(name)] = decoded(tag.substr(open + 1, close - open - 1));
    tag.remove_prefix(close + 1);
  }
}

}  // namespace

std::vector<XmlElement> xml_elements(std::string_view text) {
  std::vector<XmlElement> elements;
  std::vector<std::size_t> open;
  const auto skip_past = [&](std::size_t from, std::string_view end) {
    const std::size_t at = text.find(end, from);
    return at == std::string_view::npos ? text.size() : at + end.size();
  };
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t tag = text.find('<', at);
    if (!open.empty()) elements[open.back()].text += decoded(trimmed(text.substr(at, tag - at)));
    if (tag == std::string_view::npos) break;
    const std::string_view rest = text.substr(tag);
    if (rest.starts_with("<!--")) {
      at = skip_past(tag, "-->");
    } else if (rest.starts_with("<![CDATA[")) {
      at = skip_past(tag, "]]>");
    } else if (rest.starts_with("<?") || rest.starts_with("<!")) {
      at = skip_past(tag, ">");
    } else if (rest.starts_with("</")) {
      if (!open.empty()) open.pop_back();
      at = skip_past(tag, ">");
    } else {
      at = skip_past(tag, ">");
      std::string_view inside = text.substr(tag + 1, at - tag - 2);
      const bool empty = inside.ends_with('/');
      if (empty) inside.remove_suffix(1);
      const std::size_t name_end = std::min(inside.find_first_of(" \t\r\n"), inside.size());
      XmlElement element;
      element.parent = open.empty() ? 0 : open.back();
      element.path = open.empty() ? "" : elements[open.back()].path + '/';
      element.path += inside.substr(0, name_end);
      element.attributes = attributes_of(inside.substr(name_end));
      elements.push_back(std::move(element));
      if (!empty) open.push_back(elements.size() - 1);
    }
  }
  return elements;
}

}  // namespace hearth::indexer
