// TOML as a flat list: every value with the keys that lead to it. What is broken is passed over. Pure
// function.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hearth::indexer {

struct TomlEntry {
  std::vector<std::string>
      keys;           // an array's element, and the nth table of `[[name]]`, has its number as a key
  std::string value;  // strings without quotes, everything else as it is spelled
};

std::vector<TomlEntry> toml_entries(std::string_view text);

}  // namespace hearth::indexer
