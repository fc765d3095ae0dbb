#include "engine/bpe_tokenizer.h"

#include <algorithm>
#include <iterator>

#include "engine/unicode_category.h"

namespace hearth::engine {

namespace {

// GPT-2 writes each byte as a printable character: itself where it is one, else the next from U+0100 on.
// Here the other way round; -1 for characters that stand for no byte.
constexpr std::array<int, 0x144> kByteOfCharacter = [] {
  std::array<int, 0x144> table{};
  table.fill(-1);
  std::size_t next = 0x100;
  for (int byte = 0; byte < 256; ++byte) {
    const bool printable = (byte >= '!' && byte <= '~') || (byte >= 0xa1 && byte != 0xad);
    table[printable ? static_cast<std::size_t>(byte) : next++] = byte;
  }
  return table;
}();

// The bytes a token's text stands for; the text itself where it is not written in GPT-2's characters.
std::string bytes_of_text(const std::string& text) {
  std::string bytes;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = read_code_point(std::string_view(text).substr(at));
    if (!point.valid || point.value >= kByteOfCharacter.size()) return text;
    const int byte = kByteOfCharacter[point.value];
    if (byte < 0) return text;
    bytes += static_cast<char>(byte);
    at += static_cast<std::size_t>(point.bytes);
  }
  return bytes;
}

}  // namespace

Result<std::unique_ptr<const Tokenizer>> BpeTokenizer::from_vocabulary(const GgufFile& file,
                                                                       Vocabulary vocabulary) {
  auto pre_tokenizer = PreTokenizer::kDefault;
  if (file.find("tokenizer.ggml.pre") != nullptr) {
    const auto name = file.string_at("tokenizer.ggml.pre");
    if (!name) return name.error();
    const auto known = pre_tokenizer_named(*name);
    if (!known) {
      return Error{ErrorCode::kUnsupported,
                   file.name() + ": the key \"tokenizer.ggml.pre\" is \"" + *name + "\", which is not known"};
    }
    pre_tokenizer = *known;
  }
  const std::vector<std::string> merges = std::move(vocabulary.merges);
  std::unique_ptr<BpeTokenizer> tokenizer(new BpeTokenizer(std::move(vocabulary), pre_tokenizer));
  if (auto error = tokenizer->add_merges(file, merges)) return *error;
  tokenizer->special_.add_bos =
      file.bool_at("tokenizer.ggml.add_bos_token").value_or(pre_tokenizer == PreTokenizer::kLlamaBpe);
  return std::unique_ptr<const Tokenizer>(std::move(tokenizer));
}

BpeTokenizer::BpeTokenizer(Vocabulary vocabulary, PreTokenizer pre_tokenizer)
    : pre_tokenizer_(pre_tokenizer), user_defined_(vocabulary) {
  special_ = vocabulary.special;
  ends_ = std::move(vocabulary.ends);
  pieces_ = std::move(vocabulary.texts);
  types_ = std::move(vocabulary.types);
  byte_tokens_.fill(-1);
  by_bytes_.reserve(pieces_.size());
  const auto is_written_in_bytes = [&](std::size_t i) {
    return types_[i] == TokenType::kNormal || types_[i] == TokenType::kUnused;
  };
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    if (!is_written_in_bytes(i)) continue;
    pieces_[i] = bytes_of_text(pieces_[i]);
    const auto token = static_cast<TokenId>(i);
    by_bytes_.emplace(pieces_[i], token);
    if (pieces_[i].size() == 1) byte_tokens_[static_cast<unsigned char>(pieces_[i][0])] = token;
  }
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    if (!is_written_in_bytes(i)) by_bytes_.emplace(pieces_[i], static_cast<TokenId>(i));
  }
}

std::optional<Error> BpeTokenizer::add_merges(const GgufFile& file, const std::vector<std::string>& merges) {
  if (merges.empty()) {
    return Error{ErrorCode::kMalformed,
                 file.name() + ": the key \"tokenizer.ggml.merges\" is missing or empty"};
  }
  for (std::size_t rank = 0; rank < merges.size(); ++rank) {
    const std::string& line = merges[rank];
    const auto refuse = [&](const std::string& why) {
      return Error{ErrorCode::kMalformed, file.name() + ": the key \"tokenizer.ggml.merges\", element " +
                                              std::to_string(rank) + ", \"" + line.substr(0, 80) + "\" " +
                                              why};
    };
    const std::size_t blank = line.find(' ', 1);
    if (line.empty() || blank == std::string::npos) return refuse("is not two pieces");
    const std::string left = bytes_of_text(line.substr(0, blank));
    const std::string right = bytes_of_text(line.substr(blank + 1));
    const auto left_at = by_bytes_.find(left);
    const auto right_at = by_bytes_.find(right);
    const auto merged_at = by_bytes_.find(left + right);
    if (left_at == by_bytes_.end() || right_at == by_bytes_.end() || merged_at == by_bytes_.end()) {
      return refuse("names pieces that the vocabulary lacks");
    }
    if (is_control(merged_at->second)) continue;  // text never becomes a marker
    merges_.add(left_at->second, right_at->second, static_cast<std::uint32_t>(rank), merged_at->second);
  }
  return std::nullopt;
}

std::vector<TokenId> BpeTokenizer::encode(std::string_view text) const {
  WordCache::Session cache(cache_);
  std::vector<TokenId> out;
  out.reserve(text.size() / 3);
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < text.size();) {
    const auto match = user_defined_.find(text, at);
    words.clear();
    cut_words(pre_tokenizer_, text.substr(at, match ? match->begin - at : std::string_view::npos), words);
    for (const std::string_view word : words) {
      cache.append(word, out, [this](std::string_view w, std::vector<TokenId>& to) { encode_word(w, to); });
    }
    if (!match) break;
    out.push_back(match->token);
    at = match->begin + match->length;
  }
  return out;
}

void BpeTokenizer::encode_word(std::string_view word, std::vector<TokenId>& out) const {
  if (pre_tokenizer_ == PreTokenizer::kLlamaBpe) {  // its words go before its merges
    const auto whole = by_bytes_.find(word);
    if (whole != by_bytes_.end() && !is_control(whole->second)) {
      out.push_back(whole->second);
      return;
    }
  }
  std::vector<TokenId> symbols;
  symbols.reserve(word.size());
  for (const char c : word) symbols.push_back(byte_tokens_[static_cast<unsigned char>(c)]);
  merges_.apply(symbols);
  std::copy_if(symbols.begin(), symbols.end(), std::back_inserter(out),
               [](TokenId token) { return token >= 0; });
}

std::string_view BpeTokenizer::bytes(TokenId token) const {
  if (token < 0 || token >= size() || !has_bytes(types_[static_cast<std::size_t>(token)])) return {};
  return pieces_[static_cast<std::size_t>(token)];
}

bool BpeTokenizer::is_control(TokenId token) const {
  return token >= 0 && token < size() && !is_shown(types_[static_cast<std::size_t>(token)]);
}

}  // namespace hearth::engine
