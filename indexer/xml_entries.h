// XML as a flat list of its elements, enough for project files: no namespaces, no DTD, the five entities.
// What is broken ends the list. Pure function.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace hearth::indexer {

struct XmlElement {
  std::string path;        // names from the root, with '/' between
  std::size_t parent = 0;  // its place in the list; the root's is 0
  std::map<std::string, std::string> attributes;
  std::string text;  // directly inside, trimmed
};

std::vector<XmlElement> xml_elements(std::string_view text);  // in the order of their start tags

}  // namespace hearth::indexer
