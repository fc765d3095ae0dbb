#include "engine/pair_merges.h"

#include <functional>
#include <limits>
#include <queue>
#include <utility>

namespace hearth::engine {

std::size_t PairMerges::slot_of(std::uint64_t pair) const {
  std::uint64_t hash = pair * 0x9e3779b97f4a7c15u;
  hash ^= hash >> 32;
  std::size_t slot = hash & (slots_.size() - 1);
  while (slots_[slot].pair != pair && slots_[slot].pair != kEmpty) slot = (slot + 1) & (slots_.size() - 1);
  return slot;
}

void PairMerges::grow() {
  const std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(slots_.size() * 2));
  for (const Slot& slot : old) {
    if (slot.pair != kEmpty) slots_[slot_of(slot.pair)] = slot;
  }
}

void PairMerges::add(TokenId left, TokenId right, std::uint32_t rank, TokenId merged) {
  if ((count_ + 1) * 3 > slots_.size() * 2) grow();
  Slot& slot = slots_[slot_of(pair_of(left, right))];
  if (slot.pair != kEmpty) return;
  slot = {pair_of(left, right), rank, merged};
  ++count_;
}

void PairMerges::apply(std::vector<TokenId>& symbols) const {
  struct Candidate {
    std::uint32_t rank;
    std::uint32_t left, right;  // places in `symbols`
    TokenId left_token, right_token, merged;
    bool operator>(const Candidate& other) const {
      return rank != other.rank ? rank > other.rank : left > other.left;
    }
  };
  constexpr TokenId kGone = std::numeric_limits<TokenId>::min();
  const auto count = static_cast<std::uint32_t>(symbols.size());
  std::vector<std::uint32_t> previous(count), next(count);
  std::vector<Candidate> storage;
  storage.reserve(count);
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue({}, std::move(storage));
  const auto consider = [&](std::uint32_t left, std::uint32_t right) {
    if (symbols[left] < 0 || symbols[right] < 0) return;
    const Slot& slot = slots_[slot_of(pair_of(symbols[left], symbols[right]))];
    if (slot.pair == kEmpty) return;
    queue.push({slot.rank, left, right, symbols[left], symbols[right], slot.merged});
  };
  for (std::uint32_t i = 0; i < count; ++i) {
    previous[i] = i - 1;
    next[i] = i + 1;
    if (i > 0) consider(i - 1, i);
  }
  while (!queue.empty()) {
    const Candidate best = queue.top();
    queue.pop();
    if (symbols[best.left] != best.left_token || symbols[best.right] != best.right_token ||
        next[best.left] != best.right) {
      continue;  // one of them has been merged since
    }
    symbols[best.left] = best.merged;
    symbols[best.right] = kGone;
    next[best.left] = next[best.right];
    if (next[best.left] < count) {
      previous[next[best.left]] = best.left;
      consider(best.left, next[best.left]);
    }
    if (best.left > 0) consider(previous[best.left], best.left);
  }
  std::erase(symbols, kGone);
}

}  // namespace hearth::engine
