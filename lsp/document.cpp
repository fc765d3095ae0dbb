#include "lsp/document.h"

#include <algorithm>
#include <utility>

namespace hearth::lsp {
namespace {

// Where `now` stops differing from `before`, as an offset into `now`.
std::size_t end_of_difference(std::string_view before, std::string_view now) {
  const std::size_t shorter = std::min(before.size(), now.size());
  std::size_t same = 0;  // bytes from the end
  while (same < shorter && before[before.size() - 1 - same] == now[now.size() - 1 - same]) ++same;
  return now.size() - same;
}

}  // namespace

Document::Document(std::string uri, std::string language, std::int64_t version, std::string text)
    : uri_(std::move(uri)),
      language_(std::move(language)),
      version_(version),
      text_(std::move(text)),
      lines_(text_) {}

std::uint64_t Document::hash() const {
  std::uint64_t hash = 14695981039346656037U;
  for (const char c : text_) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return hash;
}

std::size_t Document::offset(Position position, PositionEncoding encoding) const {
  return offset_at(text_, lines_, position, encoding);
}

Position Document::position(std::size_t offset, PositionEncoding encoding) const {
  return position_at(text_, lines_, offset, encoding);
}

Document Document::changed(const std::vector<TextDocumentContentChangeEvent>& changes, std::int64_t version,
                           PositionEncoding encoding) const {
  Document next = *this;
  next.version_ = version;
  for (const TextDocumentContentChangeEvent& change : changes) {
    if (!change.range) {
      next.last_edit_ = end_of_difference(next.text_, change.text);
      next.text_ = change.text;
      next.lines_ = LineIndex(next.text_);
      continue;
    }
    std::size_t begin = next.offset(change.range->start, encoding);
    std::size_t end = next.offset(change.range->end, encoding);
    if (begin > end) std::swap(begin, end);
    next.text_.replace(begin, end - begin, change.text);
    next.lines_.replace(next.text_, begin, end - begin, change.text.size());
    next.last_edit_ = begin + change.text.size();
  }
  return next;
}

}  // namespace hearth::lsp
