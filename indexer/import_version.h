// Which version of a package an import means. Pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cache/rows.h"

namespace hearth::indexer {

// The version that the manifests give for what an import means: the resolved one, else the range. Empty for
// a file of the workspace and for what no manifest names. The first manifest that names it counts.
std::string version_of(const cache::ImportRow& import, std::string_view language,
                       const std::vector<cache::ManifestRow>& manifests);

}  // namespace hearth::indexer
