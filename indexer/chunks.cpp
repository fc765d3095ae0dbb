#include "indexer/chunks.h"

#include <algorithm>
#include <string>
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace hearth::indexer {
namespace {

constexpr std::uint32_t kWindowLines = 40;

class Chunker {
 public:
  explicit Chunker(std::string_view text) : text_(text) {
    starts_.push_back(0);
    for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1))
      starts_.push_back(static_cast<std::uint32_t>(at + 1));
  }

  std::uint32_t lines() const { return static_cast<std::uint32_t>(starts_.size()); }

  // Lines [first, last), cut into windows where they are too many for one chunk.
  void add_windows(std::uint32_t first, std::uint32_t last) {
    while (first < last && is_blank(first)) ++first;
    while (last > first && is_blank(last - 1)) --last;
    for (; first < last; first = std::min(first + kWindowLines, last))
      add(first, std::min(first + kWindowLines, last));
  }

  void add(std::uint32_t first, std::uint32_t last) {
    const std::uint32_t start = starts_[first];
    const std::uint32_t end = last < lines() ? starts_[last] : static_cast<std::uint32_t>(text_.size());
    if (start == end) return;
    chunks_.push_back({start, end, first, last - 1, XXH3_64bits(text_.data() + start, end - start)});
  }

  std::vector<cache::ChunkRow> take() { return std::move(chunks_); }

 private:
  bool is_blank(std::uint32_t line) const {
    const std::size_t end = line + 1 < lines() ? starts_[line + 1] : text_.size();
    return text_.substr(starts_[line], end - starts_[line]).find_first_not_of(" \t\r\n") ==
           std::string_view::npos;
  }

  std::string_view text_;
  std::vector<std::uint32_t> starts_;  // of each line
  std::vector<cache::ChunkRow> chunks_;
};

bool stands_alone(const cache::SymbolRow& symbol) {
  return symbol.kind != "field" && symbol.kind != "enumerator" && symbol.kind != "variable" &&
         symbol.kind != "constant" && symbol.kind != "macro" && symbol.kind != "id";
}

}  // namespace

std::vector<cache::ChunkRow> chunks_of(std::string_view text, const std::vector<cache::SymbolRow>& symbols) {
  Chunker chunker(text);
  std::uint32_t done = 0;  // lines before it are in a chunk
  for (const cache::SymbolRow& symbol : symbols) {
    const std::uint32_t last = std::min(symbol.end_line + 1, chunker.lines());
    // Of one that is too long its members are chunks, and the lines between them windows.
    const bool fits = last - symbol.start_line <= kMaxChunkLines;
    if (!stands_alone(symbol) || !fits || symbol.start_line < done || last <= symbol.start_line) continue;
    chunker.add_windows(done, symbol.start_line);
    chunker.add(symbol.start_line, last);
    done = last;
  }
  chunker.add_windows(done, chunker.lines());
  return chunker.take();
}

}  // namespace hearth::indexer
