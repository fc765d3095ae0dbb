#include "engine/vocabulary.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace hearth::engine {

namespace {

using Texts = std::unordered_map<std::string_view, TokenId>;
using Marker = std::optional<TokenId> SpecialTokens::*;

struct MarkerNames {
  Marker marker;
  std::vector<const char*> keys;   // the first one there counts
  std::vector<const char*> texts;  // in files without the keys
};

const std::vector<MarkerNames>& marker_names() {
  static const std::vector<MarkerNames> kNames = {
      {&SpecialTokens::bos, {"tokenizer.ggml.bos_token_id"}, {}},
      {&SpecialTokens::eos, {"tokenizer.ggml.eos_token_id"}, {}},
      {&SpecialTokens::eot,
       {"tokenizer.ggml.eot_token_id"},
       {"<|eot_id|>", "<|im_end|>", "<|EOT|>", "<EOT>", "_<EOT>", "<|endoftext|>"}},
      {&SpecialTokens::unknown, {"tokenizer.ggml.unknown_token_id"}, {}},
      {&SpecialTokens::fim_prefix,
       {"tokenizer.ggml.fim_pre_token_id", "tokenizer.ggml.prefix_token_id"},
       {"<|fim_prefix|>", "<fim_prefix>", "<fim-prefix>", "<｜fim▁begin｜>", "<PRE>", "▁<PRE>"}},
      {&SpecialTokens::fim_suffix,
       {"tokenizer.ggml.fim_suf_token_id", "tokenizer.ggml.suffix_token_id"},
       {"<|fim_suffix|>", "<fim_suffix>", "<fim-suffix>", "<｜fim▁hole｜>", "<SUF>", "▁<SUF>"}},
      {&SpecialTokens::fim_middle,
       {"tokenizer.ggml.fim_mid_token_id", "tokenizer.ggml.middle_token_id"},
       {"<|fim_middle|>", "<fim_middle>", "<fim-middle>", "<｜fim▁end｜>", "<MID>", "▁<MID>"}},
      {&SpecialTokens::fim_pad,
       {"tokenizer.ggml.fim_pad_token_id"},
       {"<|fim_pad|>", "<fim_pad>", "<fim-pad>"}},
      {&SpecialTokens::file_sep, {"tokenizer.ggml.fim_sep_token_id"}, {"<|file_sep|>", "<file_sep>"}},
      {&SpecialTokens::repo_name,
       {"tokenizer.ggml.fim_rep_token_id"},
       {"<|repo_name|>", "<repo_name>", "<reponame>"}},
  };
  return kNames;
}

// Ends of text by whatever name a family gives them, beside the ones the file names.
constexpr const char* kEndTexts[] = {
    "<|endoftext|>", "<|end_of_text|>", "<|im_end|>", "<|eot_id|>",
    "<|EOT|>",       "<EOT>",           "_<EOT>",     "<｜end▁of▁sentence｜>"};

template <class T>
Result<std::vector<T>> array_at(const GgufFile& file, const char* key, std::size_t wanted) {
  const GgufValue* value = file.find(key);
  if (value == nullptr) return std::vector<T>{};
  const auto* array = std::get_if<std::vector<T>>(value);
  if (array == nullptr) {
    return Error{ErrorCode::kMalformed, file.name() + ": the key \"" + key + "\" is of an unfitting type"};
  }
  if (wanted != 0 && array->size() != wanted) {
    return Error{ErrorCode::kMalformed, file.name() + ": the key \"" + key + "\" has " +
                                            std::to_string(array->size()) + " elements for " +
                                            std::to_string(wanted) + " tokens"};
  }
  return *array;
}

Result<std::optional<TokenId>> marker_of(const GgufFile& file, const MarkerNames& names, const Texts& texts,
                                         std::size_t size) {
  for (const char* key : names.keys) {
    if (file.find(key) == nullptr) continue;
    const auto id = file.unsigned_at(key);
    if (!id) return id.error();
    if (*id >= size) {
      return Error{ErrorCode::kMalformed, file.name() + ": the key \"" + key + "\" is " +
                                              std::to_string(*id) + ", outside a vocabulary of " +
                                              std::to_string(size)};
    }
    return std::optional(static_cast<TokenId>(*id));
  }
  for (const char* text : names.texts) {
    if (const auto it = texts.find(text); it != texts.end()) return std::optional(it->second);
  }
  return std::optional<TokenId>();
}

std::optional<Error> read_types(const GgufFile& file, Vocabulary& vocabulary) {
  const auto types = array_at<std::int64_t>(file, "tokenizer.ggml.token_type", vocabulary.texts.size());
  if (!types) return types.error();
  vocabulary.types.assign(vocabulary.texts.size(), TokenType::kNormal);
  for (std::size_t i = 0; i < types->size(); ++i) {
    const std::int64_t type = (*types)[i];
    if (type < 1 || type > 6) {
      return Error{ErrorCode::kMalformed, file.name() +
                                              ": the key \"tokenizer.ggml.token_type\" gives token " +
                                              std::to_string(i) + " the type " + std::to_string(type)};
    }
    vocabulary.types[i] = static_cast<TokenType>(type);
  }
  return std::nullopt;
}

std::optional<Error> read_markers(const GgufFile& file, Vocabulary& vocabulary) {
  Texts texts;
  texts.reserve(vocabulary.texts.size());
  for (std::size_t i = 0; i < vocabulary.texts.size(); ++i) {
    texts.emplace(vocabulary.texts[i], static_cast<TokenId>(i));
  }
  SpecialTokens& special = vocabulary.special;
  for (const MarkerNames& names : marker_names()) {
    const auto id = marker_of(file, names, texts, vocabulary.texts.size());
    if (!id) return id.error();
    special.*names.marker = *id;
    if (!*id) continue;
    TokenType& type = vocabulary.types[static_cast<std::size_t>(**id)];
    if (is_shown(type)) type = TokenType::kControl;
  }
  for (const Marker marker : {&SpecialTokens::eos, &SpecialTokens::eot, &SpecialTokens::fim_prefix,
                              &SpecialTokens::fim_suffix, &SpecialTokens::fim_middle, &SpecialTokens::fim_pad,
                              &SpecialTokens::file_sep, &SpecialTokens::repo_name}) {
    if (special.*marker) vocabulary.ends.push_back(*(special.*marker));
  }
  for (const char* text : kEndTexts) {
    if (const auto it = texts.find(text); it != texts.end()) {
      vocabulary.ends.push_back(it->second);
      vocabulary.types[static_cast<std::size_t>(it->second)] = TokenType::kControl;
    }
  }
  std::sort(vocabulary.ends.begin(), vocabulary.ends.end());
  return std::nullopt;
}

}  // namespace

bool has_bytes(TokenType type) { return type != TokenType::kControl && type != TokenType::kUnknown; }

bool is_shown(TokenType type) { return has_bytes(type) && type != TokenType::kUnused; }

Result<Vocabulary> read_vocabulary(const GgufFile& file) {
  Vocabulary vocabulary;
  auto texts = array_at<std::string>(file, "tokenizer.ggml.tokens", 0);
  if (!texts) return texts.error();
  if (texts->empty()) {
    return Error{ErrorCode::kMalformed,
                 file.name() + ": the key \"tokenizer.ggml.tokens\" is missing or empty"};
  }
  vocabulary.texts = std::move(*texts);
  auto scores = array_at<double>(file, "tokenizer.ggml.scores", vocabulary.texts.size());
  if (!scores) return scores.error();
  vocabulary.scores = std::move(*scores);
  for (std::size_t i = 0; i < vocabulary.scores.size(); ++i) {
    if (std::isnan(vocabulary.scores[i])) {
      return Error{ErrorCode::kMalformed, file.name() + ": the key \"tokenizer.ggml.scores\" gives token " +
                                              std::to_string(i) + " NaN"};
    }
  }
  auto merges = array_at<std::string>(file, "tokenizer.ggml.merges", 0);
  if (!merges) return merges.error();
  vocabulary.merges = std::move(*merges);
  if (auto error = read_types(file, vocabulary)) return *error;
  if (auto error = read_markers(file, vocabulary)) return *error;
  return vocabulary;
}

UserDefinedTokens::UserDefinedTokens(const Vocabulary& vocabulary) : first_with_(257) {
  for (std::size_t i = 0; i < vocabulary.texts.size(); ++i) {
    if (vocabulary.types[i] == TokenType::kUserDefined && !vocabulary.texts[i].empty()) {
      entries_.emplace_back(vocabulary.texts[i], static_cast<TokenId>(i));
    }
  }
  const auto first_byte = [](const Entry& entry) { return static_cast<unsigned char>(entry.first[0]); };
  std::stable_sort(entries_.begin(), entries_.end(), [&](const Entry& a, const Entry& b) {
    if (first_byte(a) != first_byte(b)) return first_byte(a) < first_byte(b);
    return a.first.size() > b.first.size();
  });
  for (const Entry& entry : entries_) ++first_with_[first_byte(entry) + 1u];
  for (std::size_t i = 1; i < first_with_.size(); ++i) first_with_[i] += first_with_[i - 1];
}

std::span<const UserDefinedTokens::Entry> UserDefinedTokens::starting_with(unsigned char byte) const {
  return std::span(entries_).subspan(first_with_[byte], first_with_[byte + 1u] - first_with_[byte]);
}

std::optional<UserDefinedTokens::Match> UserDefinedTokens::find(std::string_view text,
                                                                std::size_t from) const {
  if (entries_.empty()) return std::nullopt;
  for (std::size_t at = from; at < text.size(); ++at) {
    const std::string_view rest = text.substr(at);
    for (const auto& [token_text, token] : starting_with(static_cast<unsigned char>(text[at]))) {
      if (rest.starts_with(token_text)) return Match{at, token_text.size(), token};
    }
  }
  return std::nullopt;
}

}  // namespace hearth::engine
