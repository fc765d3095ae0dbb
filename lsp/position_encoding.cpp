#include "lsp/position_encoding.h"

#include <algorithm>

namespace hearth::lsp {
namespace {

bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

// Units of the code point whose first byte is `lead`, `bytes` long.
std::size_t units_of(PositionEncoding encoding, std::size_t bytes) {
  if (encoding == PositionEncoding::kUtf8) return bytes;
  return encoding == PositionEncoding::kUtf16 && bytes == 4 ? 2 : 1;
}

std::size_t code_point_bytes(std::string_view text, std::size_t at) {
  std::size_t end = at + 1;
  while (end < text.size() && end < at + 4 && continues(text[end])) ++end;
  return end - at;
}

}  // namespace

std::string_view name_of(PositionEncoding encoding) {
  switch (encoding) {
    case PositionEncoding::kUtf8: return "utf-8";
    case PositionEncoding::kUtf16: return "utf-16";
    case PositionEncoding::kUtf32: return "utf-32";
  }
  return {};
}

std::optional<PositionEncoding> position_encoding_named(std::string_view name) {
  for (const auto encoding : {PositionEncoding::kUtf8, PositionEncoding::kUtf16, PositionEncoding::kUtf32}) {
    if (name == name_of(encoding)) return encoding;
  }
  return std::nullopt;
}

std::size_t length_in(PositionEncoding encoding, std::string_view text) {
  if (encoding == PositionEncoding::kUtf8) return text.size();
  std::size_t units = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t bytes = code_point_bytes(text, at);
    units += units_of(encoding, bytes);
    at += bytes;
  }
  return units;
}

std::size_t bytes_of(PositionEncoding encoding, std::string_view text, std::size_t units) {
  std::size_t at = 0;
  for (std::size_t used = 0; at < text.size();) {
    const std::size_t bytes = code_point_bytes(text, at);
    used += units_of(encoding, bytes);
    if (used > units) break;
    at += bytes;
  }
  return at;
}

std::size_t offset_at(std::string_view text, const LineIndex& lines, Position position,
                      PositionEncoding encoding) {
  if (position.line >= lines.line_count()) return text.size();
  const std::size_t begin = lines.line_begin(position.line);
  const std::size_t end = lines.line_end(text, position.line);
  return begin + bytes_of(encoding, text.substr(begin, end - begin), position.character);
}

Position position_at(std::string_view text, const LineIndex& lines, std::size_t offset,
                     PositionEncoding encoding) {
  offset = std::min(offset, text.size());
  while (offset > 0 && offset < text.size() && continues(text[offset])) --offset;
  const std::size_t line = lines.line_at(offset);
  const std::size_t begin = lines.line_begin(line);
  const std::size_t units = length_in(encoding, text.substr(begin, offset - begin));
  return {static_cast<std::uint32_t>(line), static_cast<std::uint32_t>(units)};
}

}  // namespace hearth::lsp
