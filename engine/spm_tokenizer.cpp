#include "engine/spm_tokenizer.h"

#include <queue>

#include "engine/unicode_category.h"

namespace hearth::engine {

namespace {

constexpr std::string_view kSpaceMark = "\xe2\x96\x81";  // ▁

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
  texts_ = std::move(vocabulary.texts);
  types_ = std::move(vocabulary.types);
  scores_ = std::move(vocabulary.scores);
  byte_tokens_.fill(-1);
  by_text_.reserve(texts_.size());
  pieces_.resize(texts_.size());
  for (std::size_t i = 0; i < texts_.size(); ++i) {
    const auto token = static_cast<TokenId>(i);
    if (types_[i] == TokenType::kByte) {
      const int byte = *byte_named(texts_[i]);
      pieces_[i] = std::string(1, static_cast<char>(byte));
      byte_tokens_[static_cast<std::size_t>(byte)] = token;
    } else if (types_[i] == TokenType::kUserDefined) {
      pieces_[i] = texts_[i];
    } else if (has_bytes(types_[i])) {
      pieces_[i] = with_spaces(texts_[i]);
      if (types_[i] == TokenType::kNormal) by_text_.emplace(texts_[i], token);
    }
  }
}

std::vector<TokenId> SpmTokenizer::encode(std::string_view text) const {
  std::vector<TokenId> out;
  out.reserve(text.size() / 3);
  std::size_t at = 0;
  while (at < text.size()) {
    const auto match = user_defined_.find(text, at);
    encode_text(text.substr(at, match ? match->begin - at : std::string_view::npos), adds_space_ && at == 0,
                out);
    if (!match) break;
    out.push_back(match->token);
    at = match->begin + match->length;
  }
  return out;
}

// A stretch of the escaped text that is, or may become, one token.
struct SpmTokenizer::Symbol {
  std::size_t begin = 0;
  std::size_t length = 0;  // 0 once it has been merged into the one before
  std::size_t previous = 0;
  std::size_t next = 0;
  bool literal_mark = false;  // a "▁" of the text's own
};

void SpmTokenizer::encode_text(std::string_view text, bool after_space, std::vector<TokenId>& out) const {
  std::string escaped;
  escaped.reserve(text.size() + text.size() / 4 + kSpaceMark.size());
  std::vector<Symbol> symbols;
  symbols.reserve(text.size() + 1);
  const auto add = [&](std::string_view character, bool literal_mark) {
    symbols.push_back({.begin = escaped.size(),
                       .length = character.size(),
                       .previous = symbols.size() - 1,
                       .next = symbols.size() + 1,
                       .literal_mark = literal_mark});
    escaped += character;
  };
  if (after_space) add(kSpaceMark, false);
  for (std::size_t at = 0; at < text.size();) {
    const auto bytes = static_cast<std::size_t>(read_code_point(text.substr(at)).bytes);
    const std::string_view character = text.substr(at, bytes);
    add(character == " " ? kSpaceMark : character, character == kSpaceMark);
    at += bytes;
  }

  struct Candidate {
    double score;
    std::size_t left, right;
    std::size_t length;  // of both, to know a stale one by
    bool operator<(const Candidate& other) const {
      return score != other.score ? score < other.score : left > other.left;
    }
  };
  std::priority_queue<Candidate> queue;
  const auto consider = [&](std::size_t left, std::size_t right) {
    const Symbol& a = symbols[left];
    const Symbol& b = symbols[right];
    if (a.literal_mark || b.literal_mark) return;
    const auto it = by_text_.find(std::string_view(escaped).substr(a.begin, a.length + b.length));
    if (it == by_text_.end()) return;
    queue.push({scores_[static_cast<std::size_t>(it->second)], left, right, a.length + b.length});
  };
  for (std::size_t i = 1; i < symbols.size(); ++i) consider(i - 1, i);
  while (!queue.empty()) {
    const Candidate best = queue.top();
    queue.pop();
    Symbol& left = symbols[best.left];
    Symbol& right = symbols[best.right];
    if (left.length == 0 || right.length == 0 || left.length + right.length != best.length) continue;
    left.length += right.length;
    right.length = 0;
    left.next = right.next;
    if (left.next < symbols.size()) {
      symbols[left.next].previous = best.left;
      consider(best.left, left.next);
    }
    if (best.left > 0) consider(left.previous, best.left);
  }
  for (std::size_t i = 0; i < symbols.size(); i = symbols[i].next) {
    const std::string_view piece = std::string_view(escaped).substr(symbols[i].begin, symbols[i].length);
    const auto it = symbols[i].literal_mark ? by_text_.end() : by_text_.find(piece);
    if (it != by_text_.end()) {
      out.push_back(it->second);
    } else {
      write(piece == kSpaceMark && !symbols[i].literal_mark ? " " : piece, out);
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
