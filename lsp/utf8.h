// UTF-8 that can be trusted, of bytes that cannot: models write half characters, file names anything. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace hearth::lsp {

// Bytes of the longest start of `text` that is well-formed (Unicode, table 3-7).
std::size_t valid_utf8_bytes(std::string_view text);

// With each byte that breaks the form as U+FFFD.
std::string as_valid_utf8(std::string text);

}  // namespace hearth::lsp
