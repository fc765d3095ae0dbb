// The vocabulary in order of its tokens' bytes, to answer which tokens may come next when the text has
// to begin with given bytes: those that begin with them and those they begin with.
// Immutable; any thread may use it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/tokenizer.h"

namespace hearth::engine {

class TokenIndex {
 public:
  explicit TokenIndex(const Tokenizer& tokenizer);

  // Bit t of the result says that token t may be next. Control tokens may not.
  std::vector<std::uint64_t> tokens_towards(std::string_view required) const;

 private:
  const Tokenizer& tokenizer_;
  std::vector<TokenId> sorted_;
};

}  // namespace hearth::engine
