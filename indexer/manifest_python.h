// Python's manifests, and lock files that are lists of `[[package]]` tables. Pure functions; manifest.cpp has
// the table of formats.
#pragma once

#include <optional>
#include <string_view>

#include "cache/rows.h"
#include "indexer/manifest.h"

namespace hearth::indexer {

std::optional<cache::ManifestRow> read_requirements(std::string_view text);
std::optional<cache::ManifestRow> read_pyproject(std::string_view text);
std::optional<cache::ManifestRow> read_setup_cfg(std::string_view text);

LockedVersions lock_of_toml_packages(std::string_view text);  // Cargo.lock, poetry.lock, uv.lock, pdm.lock

// A requirement as PEP 508 spells it: `name[extra]>=1,<2; marker`. Nothing for options, paths and addresses.
std::optional<cache::DependencyRow> requirement(std::string_view text, std::string_view scope);

}  // namespace hearth::indexer
