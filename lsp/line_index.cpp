#include "lsp/line_index.h"

#include <algorithm>

namespace hearth::lsp {
namespace {

bool begins_line(std::string_view text, std::size_t offset) {
  if (offset == 0 || text[offset - 1] == '\n') return true;
  return text[offset - 1] == '\r' && (offset == text.size() || text[offset] != '\n');
}

// Appends the line starts in [begin, end].
void scan(std::string_view text, std::size_t begin, std::size_t end, std::vector<std::size_t>& starts) {
  for (std::size_t offset = begin; offset <= end; ++offset) {
    if (begins_line(text, offset)) starts.push_back(offset);
  }
}

}  // namespace

LineIndex::LineIndex(std::string_view text) { scan(text, 1, text.size(), starts_); }

void LineIndex::replace(std::string_view text, std::size_t begin, std::size_t old_bytes,
                        std::size_t new_bytes) {
  // Whether an offset begins a line depends on the bytes at its two sides only.
  const auto first = std::lower_bound(starts_.begin(), starts_.end(), begin);
  const auto last = std::upper_bound(first, starts_.end(), begin + old_bytes);
  std::vector<std::size_t> scanned;
  scan(text, begin, begin + new_bytes, scanned);
  for (auto start = last; start != starts_.end(); ++start) *start = *start - old_bytes + new_bytes;
  const auto at = starts_.erase(first, last);
  starts_.insert(at, scanned.begin(), scanned.end());
}

std::size_t LineIndex::line_end(std::string_view text, std::size_t line) const {
  if (line + 1 == starts_.size()) return text.size();
  std::size_t end = starts_[line + 1];
  if (end > starts_[line] && text[end - 1] == '\n') --end;
  if (end > starts_[line] && text[end - 1] == '\r') --end;
  return end;
}

std::size_t LineIndex::line_at(std::size_t offset) const {
  return static_cast<std::size_t>(std::upper_bound(starts_.begin(), starts_.end(), offset) -
                                  starts_.begin()) -
         1;
}

}  // namespace hearth::lsp
