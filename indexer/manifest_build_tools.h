// Manifests of build tools that have a language of their own or XML: Cargo, Go, Maven, Gradle, MSBuild. Pure
// functions; manifest.cpp has the table of formats.
#pragma once

#include <optional>
#include <string_view>

#include "cache/rows.h"
#include "indexer/manifest.h"

namespace hearth::indexer {

std::optional<cache::ManifestRow> read_cargo_toml(std::string_view text);
std::optional<cache::ManifestRow> read_go_mod(std::string_view text);
std::optional<cache::ManifestRow> read_pom_xml(std::string_view text);
std::optional<cache::ManifestRow> read_gradle(std::string_view text);
std::optional<cache::ManifestRow> read_csproj(std::string_view text);

}  // namespace hearth::indexer
