// Token healing: a cursor stands where the user's hands are, not where tokens end. The prompt is cut
// back to a place where tokens are sure to begin, and the model has to produce the cut text again
// before it goes on. (The idea: Guidance, "The art of prompt design: prompt boundaries and token healing".)
#pragma once

#include <cstddef>
#include <string_view>

namespace hearth::engine {

// Where to cut `text`: before its last word, run of signs or run of blanks; before a single blank that
// leads a word or signs, too, and before the newline whose indentation is all that the last line has.
// At most 64 bytes are cut, never inside a code point.
std::size_t healing_cut(std::string_view text);

}  // namespace hearth::engine
