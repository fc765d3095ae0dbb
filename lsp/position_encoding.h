// Columns of the protocol (UTF-16 code units, UTF-8 bytes or code points) against byte offsets into
// UTF-8 text. Pure; never splits a code point.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "lsp/line_index.h"
#include "lsp/protocol.h"

namespace hearth::lsp {

enum class PositionEncoding : std::uint8_t { kUtf8, kUtf16, kUtf32 };

std::string_view name_of(PositionEncoding encoding);  // "utf-8", "utf-16", "utf-32"
std::optional<PositionEncoding> position_encoding_named(std::string_view name);

// Units that `text` is long.
std::size_t length_in(PositionEncoding encoding, std::string_view text);

// The longest start of `text` that is at most `units` long and ends between code points, in bytes.
std::size_t bytes_of(PositionEncoding encoding, std::string_view text, std::size_t units);

// A position past its line's end means that end, one past the last line the end of the text.
std::size_t offset_at(std::string_view text, const LineIndex& lines, Position position,
                      PositionEncoding encoding);

Position position_at(std::string_view text, const LineIndex& lines, std::size_t offset,
                     PositionEncoding encoding);

}  // namespace hearth::lsp
