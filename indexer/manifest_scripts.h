// Manifests that are scripts, read without running them: CMake, Conan, Bundler. Pure functions; manifest.cpp
// has the table of formats.
#pragma once

#include <optional>
#include <string_view>

#include "cache/rows.h"
#include "indexer/manifest.h"

namespace hearth::indexer {

std::optional<cache::ManifestRow> read_cmake_lists(std::string_view text);
std::optional<cache::ManifestRow> read_conanfile_txt(std::string_view text);
std::optional<cache::ManifestRow> read_conanfile_py(std::string_view text);
std::optional<cache::ManifestRow> read_gemfile(std::string_view text);

LockedVersions lock_of_gemfile(std::string_view text);

}  // namespace hearth::indexer
