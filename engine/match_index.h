// Where the latest tokens of a text were written before: a sequence of tokens whose places are chained by
// the hash of the tokens before them, newest first, as DEFLATE's encoders chain theirs (L. P. Deutsch,
// RFC 1951, section 4). Two chains, of contexts of kShortContext and of kLongContext tokens: the short one
// finds what little is alike, the long one the longest matches among many. 10 bytes a token, constant time
// for a token more or less. No locks: one thread at a time.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "engine/tokenizer.h"

namespace hearth::engine {

class MatchIndex {
 public:
  static constexpr int kShortContext = 2;
  static constexpr int kLongContext = 6;
  static constexpr int kLongestMatch = 32;  // tokens that are compared
  static constexpr std::size_t kMostTokens = std::numeric_limits<std::uint16_t>::max();

  // Ends a match and is never what follows: the border between texts.
  static constexpr TokenId kBorder = -1;

  // At most kMostTokens; memory is taken for all of them.
  explicit MatchIndex(std::size_t capacity);

  std::size_t size() const { return tokens_.size(); }
  std::size_t room() const { return capacity_ - tokens_.size(); }
  std::span<const TokenId> tokens() const { return tokens_; }
  std::size_t bytes() const;

  // One more token, which there is room for. A silent one is context to those after it and no place of its
  // own.
  void append(TokenId token);
  void append_silent(TokenId token);
  void pop();  // takes the last one back

  struct Place {
    std::uint16_t at = 0;     // of the token that followed
    std::uint8_t length = 0;  // tokens before it that are the context's, at most kLongestMatch
    bool whole = false;       // they reach back to a border or to the longest match
  };

  // Adds to `found` places whose tokens before are the end of `context`, kShortContext at least, newest
  // first. Of each chain `most` are looked at.
  void find(std::span<const TokenId> context, int most, std::vector<Place>& found) const;

 private:
  using Link = std::uint16_t;  // a position plus one; 0: none
  Link& head(std::vector<Link>& heads, std::span<const TokenId> context) const;
  void walk(const std::vector<Link>& heads, const std::vector<Link>& links, std::span<const TokenId> context,
            int n, int most, std::vector<Place>& found) const;

  std::size_t capacity_;
  std::vector<TokenId> tokens_;
  std::vector<Link> short_links_, long_links_;  // of each token: the one before in its chain
  std::vector<bool> silent_;
  std::vector<Link> short_heads_, long_heads_;  // by hash
};

}  // namespace hearth::engine
