// Reading files that may be anything, or change meanwhile. Any thread.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "indexer/error.h"

namespace hearth::indexer {

// A regular file's whole content; kUnreadable names the path, also where it has more than `limit` bytes.
// Never waits: what is no regular file is not read.
Result<std::string> read_file(const std::filesystem::path& path, std::size_t limit);

}  // namespace hearth::indexer
