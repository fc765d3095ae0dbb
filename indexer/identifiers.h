// The identifiers of a text, for search by words. Pure function.
#pragma once

#include <string>
#include <string_view>

namespace hearth::indexer {

// Each distinct identifier once, in lower case and in the order of the text, with blanks between; after one
// that is made of several words (`parseHeader`, `parse_header`) those words. At most a fixed number of them.
std::string identifier_words(std::string_view text);

}  // namespace hearth::indexer
