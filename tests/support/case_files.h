// Test cases as data: files of a folder of tests/lsp/cases, each of cases that begin with "== NAME", a
// heading of lines "KEY: VALUE" and sections "-- KEY" of text.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace hearth::tests {

constexpr std::string_view kMark = "▮";  // the cursor

struct Case {
  std::string name, file;
  std::map<std::string, std::string> fields;  // the heading's, and sections with all their line ends
};

inline std::vector<Case> read_cases(const std::string& folder) {
  std::vector<Case> cases;
  const std::filesystem::path path{std::string{HEARTH_SOURCE_DIR} + "/tests/lsp/cases/" + folder};
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator{path}) paths.push_back(entry.path());
  std::ranges::sort(paths);
  for (const std::filesystem::path& of_cases : paths) {
    std::ifstream file{of_cases};
    std::string section;
    for (std::string line; std::getline(file, line);) {
      if (line.starts_with("== ")) {
        cases.push_back({line.substr(3), of_cases.filename().string(), {}});
        section.clear();
      } else if (line.starts_with("-- ")) {
        section = line.substr(3);
        cases.back().fields[section];
      } else if (!section.empty()) {
        cases.back().fields[section] += line + "\n";
      } else if (const std::size_t colon = line.find(": "); colon != std::string::npos) {
        cases.back().fields[line.substr(0, colon)] = line.substr(colon + 2);
      }
    }
  }
  return cases;
}

}  // namespace hearth::tests
