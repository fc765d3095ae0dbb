#include "engine/match_index.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <utility>

namespace hearth::engine {

namespace {

std::size_t hash_of(std::span<const TokenId> context) {
  std::uint64_t hash = 0;
  for (const TokenId token : context)
    hash = (hash ^ static_cast<std::uint32_t>(token)) * 0x9E3779B97F4A7C15ull;
  return static_cast<std::size_t>(hash >> 40);
}

}  // namespace

MatchIndex::MatchIndex(std::size_t capacity) : capacity_(std::min(capacity, kMostTokens)) {
  tokens_.reserve(capacity_);
  short_links_.reserve(capacity_);
  long_links_.reserve(capacity_);
  silent_.reserve(capacity_);
  const std::size_t heads = std::bit_ceil(std::max<std::size_t>(capacity_ / 2, 16));
  short_heads_.resize(heads);
  long_heads_.resize(heads);
}

std::size_t MatchIndex::bytes() const {
  return capacity_ * (sizeof(TokenId) + 2 * sizeof(Link)) + capacity_ / 8 +
         (short_heads_.size() + long_heads_.size()) * sizeof(Link);
}

MatchIndex::Link& MatchIndex::head(std::vector<Link>& heads, std::span<const TokenId> context) const {
  return heads[hash_of(context) & (heads.size() - 1)];
}

void MatchIndex::append(TokenId token) {
  const std::span<const TokenId> before = tokens_;
  Link short_link = 0, long_link = 0;
  const auto at = static_cast<Link>(tokens_.size() + 1);
  if (token != kBorder && before.size() >= kShortContext)
    short_link = std::exchange(head(short_heads_, before.last(kShortContext)), at);
  if (token != kBorder && before.size() >= kLongContext)
    long_link = std::exchange(head(long_heads_, before.last(kLongContext)), at);
  append_silent(token);
  silent_.back() = token == kBorder;
  short_links_.back() = short_link;
  long_links_.back() = long_link;
}

void MatchIndex::append_silent(TokenId token) {
  assert(room() > 0);
  tokens_.push_back(token);
  short_links_.push_back(0);
  long_links_.push_back(0);
  silent_.push_back(true);
}

void MatchIndex::pop() {
  tokens_.pop_back();
  const std::span<const TokenId> before = tokens_;
  // The newest of its chains, so its links are their heads again.
  if (!silent_.back() && before.size() >= kShortContext)
    head(short_heads_, before.last(kShortContext)) = short_links_.back();
  if (!silent_.back() && before.size() >= kLongContext)
    head(long_heads_, before.last(kLongContext)) = long_links_.back();
  short_links_.pop_back();
  long_links_.pop_back();
  silent_.pop_back();
}

void MatchIndex::walk(const std::vector<Link>& heads, const std::vector<Link>& links,
                      std::span<const TokenId> context, int n, int most, std::vector<Place>& found) const {
  if (static_cast<int>(context.size()) < n) return;
  Link link = heads[hash_of(context.last(n)) & (heads.size() - 1)];
  for (; link != 0 && most > 0; link = links[link - 1], --most) {
    const int at = link - 1;
    const int longest = std::min({at, static_cast<int>(context.size()), kLongestMatch});
    int length = 0;
    while (length < longest && tokens_[at - 1 - length] == context[context.size() - 1 - length] &&
           tokens_[at - 1 - length] != kBorder) {
      ++length;
    }
    if (length < n) continue;  // another context of the same hash
    const bool whole = length == kLongestMatch || length == at || tokens_[at - 1 - length] == kBorder;
    found.push_back({static_cast<std::uint16_t>(at), static_cast<std::uint8_t>(length), whole});
  }
}

void MatchIndex::find(std::span<const TokenId> context, int most, std::vector<Place>& found) const {
  const std::size_t first = found.size();
  walk(long_heads_, long_links_, context, kLongContext, most, found);
  const auto n_long = static_cast<int>(found.size() - first);
  if (n_long >= most) return;
  std::vector<Place> shorter;
  walk(short_heads_, short_links_, context, kShortContext, most, shorter);
  for (const Place& place : shorter) {
    if (place.length < kLongContext) found.push_back(place);
  }
}

}  // namespace hearth::engine
