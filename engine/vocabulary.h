// The vocabulary a model file holds, checked, before a tokenizer makes something of it. The keys are
// those of GGUF (github.com/ggml-org/ggml, docs/gguf.md) and of llama.cpp's fill-in markers.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/error.h"
#include "engine/gguf.h"
#include "engine/tokenizer.h"

namespace hearth::engine {

enum class TokenType { kNormal = 1, kUnknown, kControl, kUserDefined, kUnused, kByte };

struct Vocabulary {
  std::vector<std::string> texts;  // as in the file
  std::vector<TokenType> types;    // one each
  std::vector<double> scores;      // one each, or none
  std::vector<std::string> merges;
  SpecialTokens special;
  std::vector<TokenId> ends;  // ascending
};

// Markers a file does not name are found by the texts that model families use, and count as control
// tokens whatever their type in the file, so that text never turns into one.
Result<Vocabulary> read_vocabulary(const GgufFile& file);

bool is_shown(TokenType type);   // neither control nor unknown nor unused
bool has_bytes(TokenType type);  // neither control nor unknown

// Finds the user-defined tokens of a vocabulary in text: at each place the longest.
class UserDefinedTokens {
 public:
  explicit UserDefinedTokens(const Vocabulary& vocabulary);

  struct Match {
    std::size_t begin = 0;
    std::size_t length = 0;
    TokenId token = 0;
  };

  // The first match at or after `from`.
  std::optional<Match> find(std::string_view text, std::size_t from) const;

 private:
  using Entry = std::pair<std::string, TokenId>;
  std::span<const Entry> starting_with(unsigned char byte) const;

  std::vector<Entry> entries_;           // by first byte, then longest first
  std::vector<std::size_t> first_with_;  // (257) where each first byte's entries begin
};

}  // namespace hearth::engine
