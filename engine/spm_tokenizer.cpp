#include "engine/spm_tokenizer.h"

#include <algorithm>

#include "engine/unicode_category.h"

namespace hearth::engine {

namespace {

constexpr std::string_view kSpaceMark = "\xe2\x96\x81";  // ▁
constexpr char32_t kSpaceMarkValue = 0x2581;
constexpr char32_t kNoCharacter = 0xffffffff;  // next to which nothing joins

// Symbols that stand for one byte and join nothing.
constexpr TokenId symbol_of_byte(char byte) { return -1 - static_cast<unsigned char>(byte); }
constexpr char byte_of_symbol(TokenId symbol) { return static_cast<char>(-1 - symbol); }

std::string with_spaces(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const bool mark = text.substr(at).starts_with(kSpaceMark);
    out += mark ? ' ' : text[at];
    at += mark ? kSpaceMark.size() : 1;
  }
  return out;
}

// "<0x0A>" is the byte 10.
std::optional<int> byte_named(std::string_view text) {
  if (text.size() != 6 || !text.starts_with("<0x") || text[5] != '>') return std::nullopt;
  int value = 0;
  for (const char c : text.substr(3, 2)) {
    if (c >= '0' && c <= '9') {
      value = value * 16 + (c - '0');
    } else if (c >= 'A' && c <= 'F') {
      value = value * 16 + (c - 'A' + 10);
    } else {
      return std::nullopt;
    }
  }
  return value;
}

}  // namespace

Result<std::unique_ptr<const Tokenizer>> SpmTokenizer::from_vocabulary(const GgufFile& file,
                                                                       Vocabulary vocabulary) {
  if (vocabulary.scores.empty()) {
    return Error{ErrorCode::kMalformed, file.name() + ": the key \"tokenizer.ggml.scores\" is missing"};
  }
  if (file.bool_at("tokenizer.ggml.remove_extra_whitespaces").value_or(false)) {
    return Error{ErrorCode::kUnsupported,
                 file.name() +
                     ": the key \"tokenizer.ggml.remove_extra_whitespaces\" is true: code would lose "
                     "its indentation"};
  }
  for (std::size_t i = 0; i < vocabulary.texts.size(); ++i) {
    if (vocabulary.types[i] == TokenType::kByte && !byte_named(vocabulary.texts[i])) {
      return Error{ErrorCode::kMalformed,
                   file.name() + ": the key \"tokenizer.ggml.tokens\" gives the byte token " +
                       std::to_string(i) + " the text \"" + vocabulary.texts[i] + "\""};
    }
  }
  std::unique_ptr<SpmTokenizer> tokenizer(new SpmTokenizer(std::move(vocabulary)));
  tokenizer->adds_space_ = file.bool_at("tokenizer.ggml.add_space_prefix").value_or(true);
  tokenizer->special_.add_bos = file.bool_at("tokenizer.ggml.add_bos_token").value_or(true);
  return std::unique_ptr<const Tokenizer>(std::move(tokenizer));
}

SpmTokenizer::SpmTokenizer(Vocabulary vocabulary) : user_defined_(vocabulary) {
  special_ = vocabulary.special;
  ends_ = std::move(vocabulary.ends);
  types_ = std::move(vocabulary.types);
  byte_tokens_.fill(-1);
  pieces_.resize(types_.size());
  for (std::size_t i = 0; i < types_.size(); ++i) {
    const std::string& text = vocabulary.texts[i];
    if (types_[i] == TokenType::kByte) {
      const int byte = *byte_named(text);
      pieces_[i] = std::string(1, static_cast<char>(byte));
      byte_tokens_[static_cast<std::size_t>(byte)] = static_cast<TokenId>(i);
    } else if (types_[i] == TokenType::kUserDefined) {
      pieces_[i] = text;
    } else if (has_bytes(types_[i])) {
      pieces_[i] = with_spaces(text);
    }
  }
  add_characters(vocabulary.texts);
  add_neighbours(vocabulary.texts);
  add_merges(vocabulary.texts, vocabulary.scores);
}

void SpmTokenizer::add_characters(const std::vector<std::string>& texts) {
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (types_[i] != TokenType::kNormal || texts[i].empty()) continue;
    const CodePoint point = read_code_point(texts[i]);
    if (point.valid && static_cast<std::size_t>(point.bytes) == texts[i].size()) {
      characters_.emplace(point.value, static_cast<TokenId>(i));
    }
  }
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (types_[i] != TokenType::kNormal) continue;
    const std::string_view text = texts[i];
    for (std::size_t at = 0; at < text.size();) {
      const CodePoint point = read_code_point(text.substr(at));
      const auto bytes = static_cast<std::size_t>(point.bytes);
      if (point.valid &&
          characters_.emplace(point.value, size() + static_cast<TokenId>(bare_characters_.size())).second) {
        bare_characters_.push_back(with_spaces(text.substr(at, bytes)));
      }
      at += bytes;
    }
  }
}

void SpmTokenizer::add_neighbours(const std::vector<std::string>& texts) {
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (types_[i] != TokenType::kNormal) continue;
    const std::string text = with_spaces(texts[i]);
    char32_t left = kNoCharacter;
    for (std::size_t at = 0; at < text.size();) {
      const CodePoint point = read_code_point(std::string_view(text).substr(at));
      const char32_t right = point.valid ? point.value : kNoCharacter;
      if (left < 128 && right < 128) {
        ascii_neighbours_.set(left * 128 + right);
      } else if (left != kNoCharacter && right != kNoCharacter) {
        other_neighbours_.insert(std::uint64_t{left} << 32 | right);
      }
      left = right;
      at += static_cast<std::size_t>(point.bytes);
    }
  }
}

bool SpmTokenizer::joins(char32_t left, char32_t right) const {
  if (left < 128 && right < 128) return ascii_neighbours_.test(left * 128 + right);
  return other_neighbours_.contains(std::uint64_t{left} << 32 | right);
}

// Wherever a piece can be cut in two that are pieces or characters, these two join to it.
void SpmTokenizer::add_merges(const std::vector<std::string>& texts, const std::vector<double>& scores) {
  std::vector<double> ranks = scores;
  std::sort(ranks.begin(), ranks.end(), std::greater<>());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());

  std::unordered_map<std::string_view, TokenId> by_text;
  by_text.reserve(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (types_[i] == TokenType::kNormal) by_text.emplace(texts[i], static_cast<TokenId>(i));
  }
  const auto symbol = [&](std::string_view text) -> std::optional<TokenId> {
    if (const auto it = by_text.find(text); it != by_text.end()) return it->second;
    const CodePoint point = read_code_point(text);
    const auto it = characters_.find(point.value);
    const bool whole = point.valid && static_cast<std::size_t>(point.bytes) == text.size();
    return whole && it != characters_.end() ? std::optional(it->second) : std::nullopt;
  };
  for (const auto& [text, token] : by_text) {
    const double score = scores[static_cast<std::size_t>(token)];
    const auto rank = static_cast<std::uint32_t>(
        std::lower_bound(ranks.begin(), ranks.end(), score, std::greater<>()) - ranks.begin());
    for (std::size_t at = 0; at < text.size();) {
      at += static_cast<std::size_t>(read_code_point(text.substr(at)).bytes);
      if (at == text.size()) break;
      const auto left = symbol(text.substr(0, at));
      const auto right = left ? symbol(text.substr(at)) : std::nullopt;
      if (right) merges_.add(*left, *right, rank, token);
    }
  }
}

std::vector<TokenId> SpmTokenizer::encode(std::string_view text) const {
  WordCache::Session cache(cache_);
  std::vector<TokenId> out;
  out.reserve(text.size() / 3);
  std::string spaced;
  if (adds_space_ && !text.empty()) {
    spaced.reserve(text.size() + 1);
    spaced.append(" ").append(text);
    text = spaced;
  }
  for (std::size_t at = 0; at < text.size();) {
    const auto match = user_defined_.find(text, at);
    encode_text(text.substr(at, match ? match->begin - at : std::string_view::npos), cache, out);
    if (!match) break;
    out.push_back(match->token);
    at = match->begin + match->length;
  }
  return out;
}

void SpmTokenizer::encode_text(std::string_view text, WordCache::Session& cache,
                               std::vector<TokenId>& out) const {
  const auto encode = [this](std::string_view word, std::vector<TokenId>& to) { encode_word(word, to); };
  std::size_t begin = 0;
  char32_t left = kNoCharacter;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = read_code_point(text.substr(at));
    const char32_t right = point.valid && point.value != kSpaceMarkValue ? point.value : kNoCharacter;
    if (at > begin && !joins(left, right)) {
      cache.append(text.substr(begin, at - begin), out, encode);
      begin = at;
    }
    left = right;
    at += static_cast<std::size_t>(point.bytes);
  }
  if (begin < text.size()) cache.append(text.substr(begin), out, encode);
}

void SpmTokenizer::encode_word(std::string_view word, std::vector<TokenId>& out) const {
  std::vector<TokenId> symbols;
  symbols.reserve(word.size());
  for (std::size_t at = 0; at < word.size();) {
    const CodePoint point = read_code_point(word.substr(at));
    const auto bytes = static_cast<std::size_t>(point.bytes);
    const bool known = point.valid && point.value != kSpaceMarkValue;
    const auto it =
        known ? characters_.find(point.value == U' ' ? kSpaceMarkValue : point.value) : characters_.end();
    if (it != characters_.end()) {
      symbols.push_back(it->second);
    } else {
      for (const char byte : word.substr(at, bytes)) symbols.push_back(symbol_of_byte(byte));
    }
    at += bytes;
  }
  merges_.apply(symbols);
  for (const TokenId symbol : symbols) {
    if (symbol < 0) {
      const char byte = byte_of_symbol(symbol);
      write({&byte, 1}, out);
    } else if (symbol >= size()) {
      write(bare_characters_[static_cast<std::size_t>(symbol - size())], out);
    } else {
      out.push_back(symbol);
    }
  }
}

void SpmTokenizer::write(std::string_view bytes, std::vector<TokenId>& out) const {
  for (const char c : bytes) {
    const TokenId token = byte_tokens_[static_cast<unsigned char>(c)];
    if (token >= 0) {
      out.push_back(token);
    } else if (special_.unknown) {
      out.push_back(*special_.unknown);
    }
  }
}

std::string SpmTokenizer::decode(std::span<const TokenId> tokens) const {
  std::string text = Tokenizer::decode(tokens);
  if (adds_space_ && text.starts_with(' ')) text.erase(0, 1);
  return text;
}

std::string_view SpmTokenizer::bytes(TokenId token) const {
  if (token < 0 || token >= size()) return {};
  return pieces_[static_cast<std::size_t>(token)];
}

bool SpmTokenizer::is_control(TokenId token) const {
  return token >= 0 && token < size() && !is_shown(types_[static_cast<std::size_t>(token)]);
}

}  // namespace hearth::engine
