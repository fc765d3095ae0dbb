#include "engine/tokenizer.h"

#include <algorithm>

#include "engine/bpe_tokenizer.h"
#include "engine/spm_tokenizer.h"
#include "engine/vocabulary.h"

namespace hearth::engine {

Result<std::unique_ptr<const Tokenizer>> Tokenizer::from_gguf(const GgufFile& file) {
  const auto model = file.string_at("tokenizer.ggml.model");
  if (!model) return model.error();
  if (*model != "llama" && *model != "gpt2") {
    return Error{ErrorCode::kUnsupported, file.name() + ": the key \"tokenizer.ggml.model\" is \"" + *model +
                                              "\"; \"llama\" and \"gpt2\" are known"};
  }
  auto vocabulary = read_vocabulary(file);
  if (!vocabulary) return vocabulary.error();
  return *model == "llama" ? SpmTokenizer::from_vocabulary(file, std::move(*vocabulary))
                           : BpeTokenizer::from_vocabulary(file, std::move(*vocabulary));
}

std::string Tokenizer::decode(std::span<const TokenId> tokens) const {
  std::string text;
  for (const TokenId token : tokens) text += bytes(token);
  return text;
}

bool Tokenizer::ends_generation(TokenId token) const {
  return std::binary_search(ends_.begin(), ends_.end(), token);
}

}  // namespace hearth::engine
