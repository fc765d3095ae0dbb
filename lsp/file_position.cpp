#include "lsp/file_position.h"

#include <charconv>
#include <optional>

#include "lsp/text_shape.h"

namespace hearth::lsp {
namespace {

engine::Error invalid(std::string message) { return {engine::ErrorCode::kInvalid, std::move(message)}; }

std::optional<std::size_t> positive_number(std::string_view text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number == 0) return std::nullopt;
  return number;
}

// Bytes of the UTF-8 sequence at the text's start; 0 when there is none (RFC 3629).
std::size_t character_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  const bool too_long = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xF0 && byte(1) < 0x90);
  const bool surrogate = first == 0xED && byte(1) > 0x9F;
  const bool too_large = first == 0xF4 && byte(1) > 0x8F;
  return too_long || surrogate || too_large ? 0 : length;
}

}  // namespace

engine::Result<FilePosition> parse_file_position(std::string_view argument) {
  const std::size_t column_colon = argument.rfind(':');
  const std::size_t line_colon = column_colon == std::string_view::npos || column_colon == 0
                                     ? std::string_view::npos
                                     : argument.rfind(':', column_colon - 1);
  if (line_colon == std::string_view::npos || line_colon == 0) {
    return invalid("'" + std::string{argument} + "' is not FILE:LINE:COL");
  }
  const std::string_view line = argument.substr(line_colon + 1, column_colon - line_colon - 1);
  const std::string_view column = argument.substr(column_colon + 1);
  FilePosition position{std::string{argument.substr(0, line_colon)}};
  const auto read = [&](std::string_view name, std::string_view text,
                        std::size_t& into) -> std::optional<engine::Error> {
    const auto number = positive_number(text);
    if (!number) {
      return invalid("'" + std::string{argument} + "': " + std::string{name} +
                     " must be a whole number from 1, not '" + std::string{text} + "'");
    }
    into = *number;
    return std::nullopt;
  };
  if (auto error = read("LINE", line, position.line)) return *error;
  if (auto error = read("COL", column, position.column)) return *error;
  return position;
}

engine::Result<std::size_t> offset_of(const FilePosition& position, std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t bytes = character_bytes(text.substr(at));
    if (bytes == 0) return invalid(position.file + " is not UTF-8: byte " + std::to_string(at));
    at += bytes;
  }
  std::size_t start = 0;
  for (std::size_t line = 1; line < position.line; ++line) {
    const std::size_t end = line_end(text, start);
    if (end == text.size()) {
      return invalid(position.file + " has " + std::to_string(line) + (line == 1 ? " line" : " lines") +
                     ": there is no line " + std::to_string(position.line));
    }
    start = end + (text.substr(end, 2) == "\r\n" ? 2 : 1);
  }
  const std::size_t end = line_end(text, start);
  std::size_t at = start;
  for (std::size_t column = 1; column < position.column; ++column) {
    if (at == end) {
      return invalid("line " + std::to_string(position.line) + " of " + position.file + " ends at column " +
                     std::to_string(column) + ": there is no column " + std::to_string(position.column));
    }
    at += character_bytes(text.substr(at));
  }
  return at;
}

}  // namespace hearth::lsp
