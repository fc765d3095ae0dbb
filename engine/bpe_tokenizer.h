// Byte-level BPE (GPT-2, https://github.com/openai/gpt-2/blob/master/src/encoder.py): text is cut into
// words, and within a word the neighbours whose merge has the lowest rank are joined first.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/pair_merges.h"
#include "engine/pretokenizer.h"
#include "engine/tokenizer.h"
#include "engine/vocabulary.h"
#include "engine/word_cache.h"

namespace hearth::engine {

class BpeTokenizer final : public Tokenizer {
 public:
  static Result<std::unique_ptr<const Tokenizer>> from_vocabulary(const GgufFile& file,
                                                                  Vocabulary vocabulary);

  std::vector<TokenId> encode(std::string_view text) const override;
  std::string_view bytes(TokenId token) const override;
  int size() const override { return static_cast<int>(types_.size()); }
  bool is_control(TokenId token) const override;

 private:
  BpeTokenizer(Vocabulary vocabulary, PreTokenizer pre_tokenizer);
  std::optional<Error> add_merges(const GgufFile& file, const std::vector<std::string>& merges);
  void encode_word(std::string_view word, std::vector<TokenId>& out) const;

  PreTokenizer pre_tokenizer_;
  std::vector<std::string> pieces_;  // the bytes of each token; the text of the marked ones
  std::vector<TokenType> types_;
  std::unordered_map<std::string_view, TokenId> by_bytes_;  // views of pieces_
  std::array<TokenId, 256> byte_tokens_;                    // -1 where the vocabulary lacks the byte
  PairMerges merges_;
  UserDefinedTokens user_defined_;

  mutable WordCache cache_;
};

}  // namespace hearth::engine
