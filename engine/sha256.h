// SHA-256 of bytes and of files, as 64 lower-case hexadecimal digits.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <stop_token>
#include <string>

#include "engine/error.h"

namespace hearth::engine {

std::string sha256(std::span<const std::byte> bytes);

// Reads the file in pieces. kInvalid when stopped.
Result<std::string> sha256_of_file(const std::filesystem::path& path, std::stop_token stop = {});

}  // namespace hearth::engine
