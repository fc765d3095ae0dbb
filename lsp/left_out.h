// Whether a document is for the model at all, by its name and by what .hearthignore files say of it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lsp/silence.h"

namespace hearth::lsp {

// kSecret, kIgnored or kNone, of a file in a workspace's folder, by its path from there; where it is in none
// (an empty folder) by its whole path. Reads the .hearthignore files above it.
Silence left_out_in(const std::string& folder, std::string_view path);

// The same of a document, in the innermost of `roots` (paths) that holds it; of a file in none of them by all
// .hearthignore files above it.
Silence left_out_of(std::string_view uri, const std::vector<std::string>& roots);

}  // namespace hearth::lsp
