// Where the lines of a text begin. A line ends with "\n", "\r\n" or a lone "\r" (LSP, "Text Documents").
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace hearth::lsp {

class LineIndex {
 public:
  LineIndex() = default;
  explicit LineIndex(std::string_view text);

  // The index of `text`, in which `new_bytes` bytes at `begin` stand where `old_bytes` stood in the text
  // this is the index of. Costs the edit and the lines after it, not the text.
  void replace(std::string_view text, std::size_t begin, std::size_t old_bytes, std::size_t new_bytes);

  std::size_t line_count() const { return starts_.size(); }  // at least 1
  std::size_t line_begin(std::size_t line) const { return starts_[line]; }
  std::size_t line_end(std::string_view text, std::size_t line) const;  // before its terminator
  std::size_t line_at(std::size_t offset) const;

 private:
  std::vector<std::size_t> starts_{0};
};

}  // namespace hearth::lsp
