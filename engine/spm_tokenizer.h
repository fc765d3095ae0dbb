// SentencePiece BPE as llama models have it (github.com/google/sentencepiece, bpe_model.cc): spaces are
// written "▁", pieces may reach across words and lines, and the neighbours whose joint piece has the highest
// score are joined first. What no piece covers is written in byte tokens. Immutable.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "engine/pair_merges.h"
#include "engine/tokenizer.h"
#include "engine/vocabulary.h"
#include "engine/word_cache.h"

namespace hearth::engine {

class SpmTokenizer final : public Tokenizer {
 public:
  static Result<std::unique_ptr<const Tokenizer>> from_vocabulary(const GgufFile& file,
                                                                  Vocabulary vocabulary);

  // A "▁" that stands in the text is written in bytes, so that it comes back as what it was.
  std::vector<TokenId> encode(std::string_view text) const override;
  std::string decode(std::span<const TokenId> tokens) const override;
  std::string_view bytes(TokenId token) const override;
  int size() const override { return static_cast<int>(types_.size()); }
  bool is_control(TokenId token) const override;

 private:
  explicit SpmTokenizer(Vocabulary vocabulary);
  void add_characters(const std::vector<std::string>& texts);
  void add_neighbours(const std::vector<std::string>& texts);
  void add_merges(const std::vector<std::string>& texts, const std::vector<double>& scores);
  bool joins(char32_t left, char32_t right) const;
  void encode_text(std::string_view text, WordCache::Session& cache, std::vector<TokenId>& out) const;
  void encode_word(std::string_view word, std::vector<TokenId>& out) const;
  void write(std::string_view bytes, std::vector<TokenId>& out) const;

  bool adds_space_ = true;           // before every text, for the models that were trained so
  std::vector<std::string> pieces_;  // the bytes of each token
  std::vector<TokenType> types_;
  std::array<TokenId, 256> byte_tokens_;  // -1 where the vocabulary lacks the byte
  // What merging begins with: the token of a character, or a number past all tokens for one that is no
  // token but part of one. Those stand in `bare_characters_`, as text.
  std::unordered_map<char32_t, TokenId> characters_;
  std::vector<std::string> bare_characters_;
  PairMerges merges_;
  // Which characters stand side by side within some piece, spaces as such: between others no piece ever
  // forms, so the text can be cut there into words that are worth remembering.
  std::bitset<128 * 128> ascii_neighbours_;
  std::unordered_set<std::uint64_t> other_neighbours_;  // left << 32 | right
  UserDefinedTokens user_defined_;
  mutable WordCache cache_;
};

}  // namespace hearth::engine
