// Manifests and lock files in JSON: npm, Composer, vcpkg, NuGet; and yarn.lock. Pure functions; manifest.cpp
// has the table of formats.
#pragma once

#include <optional>
#include <string_view>

#include "cache/rows.h"
#include "indexer/manifest.h"

namespace hearth::indexer {

std::optional<cache::ManifestRow> read_package_json(std::string_view text);
std::optional<cache::ManifestRow> read_composer_json(std::string_view text);
std::optional<cache::ManifestRow> read_vcpkg_json(std::string_view text);

LockedVersions lock_of_package_lock(std::string_view text);
LockedVersions lock_of_yarn(std::string_view text);
LockedVersions lock_of_composer(std::string_view text);
LockedVersions lock_of_nuget(std::string_view text);

}  // namespace hearth::indexer
