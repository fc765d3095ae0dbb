// The core of BPE: a table of which two neighbouring tokens join to which, and in what order.
// Built once, then read by any thread.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/tokenizer.h"

namespace hearth::engine {

class PairMerges {
 public:
  PairMerges() : slots_(kFewestSlots) {}

  // Tokens are not negative. Of two entries for one pair the first stays.
  void add(TokenId left, TokenId right, std::uint32_t rank, TokenId merged);

  // Joins neighbours until none of them join any more: the lowest rank first, of equal ones the leftmost.
  // Negative symbols join nothing.
  void apply(std::vector<TokenId>& symbols) const;

 private:
  static constexpr std::size_t kFewestSlots = 16;

  struct Slot {
    std::uint64_t pair = kEmpty;
    std::uint32_t rank = 0;
    TokenId merged = 0;
  };
  static constexpr std::uint64_t kEmpty = ~std::uint64_t{0};  // no pair: its halves would be negative

  static std::uint64_t pair_of(TokenId left, TokenId right) {
    return std::uint64_t{static_cast<std::uint32_t>(left)} << 32 | static_cast<std::uint32_t>(right);
  }
  std::size_t slot_of(std::uint64_t pair) const;  // the pair's own, or the empty one where it would go
  void grow();

  std::vector<Slot> slots_;  // open addressing; a power of two of them, at most 2/3 full
  std::size_t count_ = 0;
};

}  // namespace hearth::engine
