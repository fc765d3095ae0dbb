// Cuts text into the words that byte-level BPE merges within, as the patterns that `tokenizer.ggml.pre`
// names would. Each pattern is a few hand-written matchers over Unicode categories, applied one after
// the other: every match, and every gap between matches, is cut by the next. Pure functions.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace hearth::engine {

enum class PreTokenizer {
  kDefault,
  kGpt2,
  kStarcoder,  // also refact, smollm
  kQwen2,
  kLlamaBpe,
  kDeepseekLlm,
  kDeepseekCoder,
};

// nullopt for a name that is not known here.
std::optional<PreTokenizer> pre_tokenizer_named(std::string_view name);

// Appends the words, which are consecutive and cover the text. A byte that is not part of valid UTF-8
// counts as a symbol.
void cut_words(PreTokenizer pre_tokenizer, std::string_view text, std::vector<std::string_view>& words);

}  // namespace hearth::engine
