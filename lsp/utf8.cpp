#include "lsp/utf8.h"

namespace hearth::lsp {
namespace {

// Bytes of the well-formed sequence at the start of `text`; 0 where there is none.
std::size_t sequence_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t bytes = lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
  if (bytes == 0 || text.size() < bytes) return 0;
  const unsigned least = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;  // no overlong forms
  const unsigned most = lead == 0xED   ? 0x9F
                        : lead == 0xF4 ? 0x8F
                                       : 0xBF;  // no surrogates, none past U+10FFFF
  if (byte(1) < least || byte(1) > most) return 0;
  for (std::size_t i = 2; i < bytes; ++i) {
    if (byte(i) < 0x80 || byte(i) > 0xBF) return 0;
  }
  return bytes;
}

}  // namespace

std::size_t valid_utf8_bytes(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t bytes = sequence_bytes(text.substr(at));
    if (bytes == 0) break;
    at += bytes;
  }
  return at;
}

std::string as_valid_utf8(std::string text) {
  std::size_t at = valid_utf8_bytes(text);
  if (at == text.size()) return text;
  std::string out = text.substr(0, at);
  while (at < text.size()) {
    out += "\uFFFD";
    ++at;
    const std::string_view rest = std::string_view(text).substr(at);
    const std::size_t valid = valid_utf8_bytes(rest);
    out += rest.substr(0, valid);
    at += valid;
  }
  return out;
}

}  // namespace hearth::lsp
