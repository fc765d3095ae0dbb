#include "lsp/edit_distance.h"

#include <algorithm>
#include <vector>

namespace hearth::lsp {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t above = row[j + 1];
      row[j + 1] = std::min({above + 1, row[j] + 1, diagonal + (a[i] == b[j] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

double edit_similarity(std::string_view a, std::string_view b) {
  const std::size_t longer = std::max(a.size(), b.size());
  return longer == 0 ? 1 : 1 - static_cast<double>(edit_distance(a, b)) / static_cast<double>(longer);
}

}  // namespace hearth::lsp
