// What the manifests of a workspace tell import resolution, read from the disk: which package lies where.
#pragma once

#include <filesystem>

#include "indexer/import_resolver.h"

namespace hearth::indexer {

PackageMap read_package_map(const std::filesystem::path& root, const WorkspacePaths& paths);

}  // namespace hearth::indexer
