// Byte-level BPE (GPT-2, https://github.com/openai/gpt-2/blob/master/src/encoder.py): text is cut into
// words, and within a word the neighbours whose merge has the lowest rank are joined first.
// Immutable to its users; the words met lately and their ids are remembered behind a lock.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/pretokenizer.h"
#include "engine/tokenizer.h"
#include "engine/vocabulary.h"

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
  struct Merge {
    std::uint32_t rank = 0;
    TokenId merged = 0;
  };

  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  using WordCache = std::unordered_map<std::string, std::vector<TokenId>, TextHash, std::equal_to<>>;

  BpeTokenizer(Vocabulary vocabulary, PreTokenizer pre_tokenizer);
  std::optional<Error> add_merges(const GgufFile& file, const std::vector<std::string>& merges);
  void encode_text(std::string_view text, WordCache* cache, std::vector<TokenId>& out) const;
  void encode_word(std::string_view word, std::vector<TokenId>& out) const;
  void merge(std::vector<TokenId>& symbols) const;

  PreTokenizer pre_tokenizer_;
  std::vector<std::string> pieces_;  // the bytes of each token; the text of the marked ones
  std::vector<TokenType> types_;
  std::unordered_map<std::string_view, TokenId> by_bytes_;  // views of pieces_
  std::array<TokenId, 256> byte_tokens_;                    // -1 where the vocabulary lacks the byte
  std::unordered_map<std::uint64_t, Merge> merges_;         // by left << 32 | right
  UserDefinedTokens user_defined_;

  mutable std::mutex cache_mutex_;
  mutable WordCache cache_;  // under cache_mutex_; who finds it taken does without
};

}  // namespace hearth::engine
