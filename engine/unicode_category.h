// What pre-tokenizers need to know of Unicode: reading code points out of UTF-8 that may be broken, and
// the general categories their patterns name. Pure functions.
#pragma once

#include <cstdint>
#include <string_view>

namespace hearth::engine {

enum Category : std::uint8_t {
  kOtherCategory = 0,
  kLetter = 1,       // \p{L}
  kNumber = 2,       // \p{N}
  kSpace = 4,        // \s: the property White_Space
  kPunctuation = 8,  // \p{P}
};

Category category_of(char32_t code_point);

struct CodePoint {
  char32_t value = 0;
  int bytes = 1;
  bool valid = true;  // else one byte that begins no code point here; its value is U+FFFD
};

// The code point at the start of `text`, which must not be empty.
CodePoint read_code_point(std::string_view text);

}  // namespace hearth::engine
