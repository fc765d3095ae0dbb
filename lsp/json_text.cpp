#include "lsp/json_text.h"

#include <charconv>
#include <optional>
#include <string>

namespace hearth::lsp {

namespace json = boost::json;

namespace {

constexpr std::size_t kMaxDepth = 64;
constexpr std::size_t kEscapeBytes = 6;  // \uXXXX

std::optional<unsigned> escape_at(std::string_view text, std::size_t at) {
  if (at + kEscapeBytes > text.size() || text[at] != '\\' || text[at + 1] != 'u') return std::nullopt;
  unsigned unit = 0;
  const char* const end = text.data() + at + kEscapeBytes;
  const auto [stop, error] = std::from_chars(text.data() + at + 2, end, unit, 16);
  if (error != std::errc() || stop != end) return std::nullopt;
  return unit;
}

std::string with_lone_surrogates_replaced(std::string_view text) {
  const auto leads = [](std::optional<unsigned> unit) { return unit && *unit >= 0xD800 && *unit < 0xDC00; };
  const auto trails = [](std::optional<unsigned> unit) { return unit && *unit >= 0xDC00 && *unit < 0xE000; };
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] != '\\') {
      out += text[at++];
      continue;
    }
    const std::optional<unsigned> unit = escape_at(text, at);
    if (leads(unit) && trails(escape_at(text, at + kEscapeBytes))) {
      out += text.substr(at, 2 * kEscapeBytes);
      at += 2 * kEscapeBytes;
    } else if (unit) {
      out += leads(unit) || trails(unit) ? "\\uFFFD" : text.substr(at, kEscapeBytes);
      at += kEscapeBytes;
    } else {
      out += text.substr(at, 2);
      at += 2;
    }
  }
  return out;
}

json::value parse_strictly(std::string_view text, boost::system::error_code& error) {
  json::parse_options options;
  options.max_depth = kMaxDepth;
  return json::parse(json::string_view(text.data(), text.size()), error, {}, options);
}

}  // namespace

json::value parse_json(std::string_view text, boost::system::error_code& error) {
  json::value value = parse_strictly(text, error);
  if (error) {
    if (const std::string repaired = with_lone_surrogates_replaced(text); repaired != text) {
      value = parse_strictly(repaired, error);
    }
  }
  return value;
}

}  // namespace hearth::lsp
