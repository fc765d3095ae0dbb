// What may come next where a suggestion ends: texts each of which makes whole some kind of statement that was
// only begun. A suggestion that one of them makes whole is no broken one, it just goes on. Pure.
#pragma once

#include <string_view>
#include <vector>

namespace hearth::lsp {

// The empty one first. A line of theirs is meant to be indented as the line that they follow.
std::vector<std::string_view> continuations(std::string_view language);

}  // namespace hearth::lsp
