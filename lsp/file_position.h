// A place in a file as people write it, FILE:LINE:COL. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "engine/error.h"

namespace hearth::lsp {

struct FilePosition {
  std::string file;
  std::size_t line = 1;    // from 1
  std::size_t column = 1;  // from 1, in characters; one past the last is the line's end

  bool operator==(const FilePosition&) const = default;
};

engine::Result<FilePosition> parse_file_position(std::string_view argument);

// The byte offset in the file's text. An Error names what lies past the file's or the line's end, or the
// first byte that is not UTF-8.
engine::Result<std::size_t> offset_of(const FilePosition& position, std::string_view text);

}  // namespace hearth::lsp
