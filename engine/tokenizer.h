// Text to token ids and back, as the model's file says: SentencePiece with byte fallback (GGUF model
// `llama`) or byte-level BPE (`gpt2`) with the pre-tokenizer its `tokenizer.ggml.pre` names.
// Immutable; any thread may use it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/error.h"
#include "engine/gguf.h"

namespace hearth::engine {

using TokenId = std::int32_t;

// The ids a file names; absent where it names none.
struct SpecialTokens {
  std::optional<TokenId> bos, eos, eot, unknown;
  std::optional<TokenId> fim_prefix, fim_suffix, fim_middle, fim_pad, file_sep, repo_name;
  bool add_bos = false;
};

class Tokenizer {
 public:
  static Result<std::unique_ptr<const Tokenizer>> from_gguf(const GgufFile& file);
  virtual ~Tokenizer() = default;

  // No BOS or EOS is added; markers in the text are taken as text. Bytes that are not UTF-8 survive
  // a round trip; a byte that the vocabulary cannot write at all (of byte-level ones some lack bytes that
  // their corpus never held) is left out.
  virtual std::vector<TokenId> encode(std::string_view text) const = 0;

  // The bytes a token stands for; empty for control tokens and for unknown ids.
  virtual std::string_view bytes(TokenId token) const = 0;

  // What `encode` was given: their bytes, less the space that some files have it put before a text.
  virtual std::string decode(std::span<const TokenId> tokens) const;

  virtual int size() const = 0;
  virtual bool is_control(TokenId token) const = 0;  // control, unknown, unused: never shown to a user
  const SpecialTokens& special() const { return special_; }

  // Tokens after which a model has said all it wants to: eos, eot, the fill-in markers, file_sep, and
  // ends of text by the other names that model families use.
  bool ends_generation(TokenId token) const;

 protected:
  SpecialTokens special_;
  std::vector<TokenId> ends_;  // ascending
};

}  // namespace hearth::engine
