#include "indexer/rust_use.h"

#include <algorithm>
#include <string>

namespace hearth::indexer {
namespace {

constexpr int kMaxDepth = 16;

std::string without_blanks(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c != ' ' && c != '\n' && c != '\t' && c != '\r') result += c;
  }
  return result;
}

class Flattener {
 public:
  explicit Flattener(std::uint32_t line) : line_(line) {}

  void add(const std::string& prefix, std::string_view tree, int depth) {
    const std::size_t brace = tree.find('{');
    if (brace == std::string_view::npos || depth == kMaxDepth) {
      add_path(prefix + without_blanks(tree.substr(0, tree.find(" as "))));
      return;
    }
    const std::string inner = prefix + without_blanks(tree.substr(0, brace));
    int open = 0;
    std::size_t start = brace + 1;
    for (std::size_t at = brace; at < tree.size(); ++at) {
      const char c = tree[at];
      if (c == '{') ++open;
      if (c == '}') --open;
      if ((c != ',' || open != 1) && open != 0) continue;
      const std::string_view part = tree.substr(start, at - start);
      if (part.find_first_not_of(" \n\t\r") != std::string_view::npos) add(inner, part, depth + 1);
      start = at + 1;
      if (open == 0) break;
    }
  }

  std::vector<cache::ImportRow> take() { return std::move(rows_); }

 private:
  void add_path(const std::string& path) {
    const std::size_t split = path.rfind("::");
    const std::string module = split == std::string::npos ? path : path.substr(0, split);
    const std::string name = split == std::string::npos ? "" : path.substr(split + 2);
    const auto known = std::ranges::find(rows_, module, &cache::ImportRow::module);
    if (known == rows_.end()) {
      rows_.push_back({module, name, line_, std::nullopt});
    } else if (!name.empty()) {
      known->names += (known->names.empty() ? "" : " ") + name;
    }
  }

  std::uint32_t line_;
  std::vector<cache::ImportRow> rows_;
};

}  // namespace

std::vector<cache::ImportRow> flat_uses(std::string_view tree, std::uint32_t line) {
  Flattener flattener(line);
  flattener.add("", tree, 0);
  return flattener.take();
}

}  // namespace hearth::indexer
