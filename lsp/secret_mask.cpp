#include "lsp/secret_mask.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "lsp/text_shape.h"

namespace hearth::lsp {
namespace {

// A token in a shape that its service gives it: a prefix, then at least so many characters of its alphabet.
struct TokenShape {
  std::string_view prefix;
  std::size_t least;
};
constexpr std::array<TokenShape, 22> kShapes = {{
    {"AKIA", 16},     {"ASIA", 16},        {"ghp_", 30},     {"gho_", 30},   {"ghu_", 30},  {"ghs_", 30},
    {"ghr_", 30},     {"github_pat_", 30}, {"glpat-", 18},   {"AIza", 30},   {"ya29.", 20}, {"sk-", 20},
    {"sk_live_", 16}, {"rk_live_", 16},    {"pk_live_", 16}, {"whsec_", 16}, {"xoxb-", 10}, {"xoxp-", 10},
    {"xoxa-", 10},    {"npm_", 30},        {"pypi-", 30},    {"eyJ", 40},
}};

constexpr std::array<std::string_view, 11> kSecretWords = {
    "password", "passwd",     "secret",   "token",       "api_key",   "apikey",
    "api-key",  "access_key", "auth_key", "private_key", "credential"};

// How a name ends that is about a secret, and not one's.
constexpr std::array<std::string_view, 11> kAboutWords = {
    "type", "kind", "name", "field", "header", "label", "message", "count", "limit", "size", "length"};

constexpr std::size_t kShortestValue = 8;
constexpr double kRandomBits = 3.0;  // a character, of a value that no person made up as an example

bool is_token_byte(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.' || c == '/' ||
         c == '+' || c == '=';
}

double bits_a_character(std::string_view text) {
  std::array<int, 256> counts{};
  for (const char c : text) ++counts[static_cast<unsigned char>(c)];
  double bits = 0;
  for (const int count : counts) {
    if (count == 0) continue;
    const double share = static_cast<double>(count) / static_cast<double>(text.size());
    bits -= share * std::log2(share);
  }
  return bits;
}

// The characters that code has in an expression, and hardly a secret.
constexpr std::string_view kCodeBytes = "()[]{}<>$\"'`,;|&*%";

// Of a value without quotes, as in YAML, INI files and shells, where it might as well be an expression.
bool looks_random(std::string_view value) {
  const auto digits = static_cast<std::size_t>(
      std::ranges::count_if(value, [](unsigned char c) { return std::isdigit(c) != 0; }));
  const bool has_letter = std::ranges::any_of(value, [](unsigned char c) { return std::isalpha(c) != 0; });
  const bool is_path = value.find("://") != std::string_view::npos || value.starts_with('/') ||
                       value.starts_with("./") || value.starts_with('~');
  if (value.size() < kShortestValue || digits == 0 || !has_letter || is_path) return false;
  if (value.find_first_of(kCodeBytes) != std::string_view::npos) return false;
  const bool is_name = std::isdigit(static_cast<unsigned char>(value.front())) == 0 &&
                       std::ranges::all_of(value, [](char c) { return is_word_byte(c) || c == '.'; });
  const bool is_dense = value.size() >= 2 * kShortestValue && digits * 6 >= value.size();
  return (!is_name || is_dense) && bits_a_character(value) > kRandomBits;
}

bool equals_ignoring_case(std::string_view a, std::string_view lower) {
  return std::ranges::equal(a, lower, {}, [](unsigned char c) { return std::tolower(c); });
}

bool is_about(std::string_view rest_of_name) {
  return std::ranges::any_of(kAboutWords, [&](std::string_view word) {
    if (rest_of_name.size() < word.size()) return false;
    const std::size_t at = rest_of_name.size() - word.size();
    if (!equals_ignoring_case(rest_of_name.substr(at), word)) return false;
    const auto is_lower = [](unsigned char c) { return std::islower(c) != 0; };
    return at == 0 || rest_of_name[at - 1] == '_' || rest_of_name[at - 1] == '-' ||
           (is_lower(rest_of_name[at - 1]) && !is_lower(rest_of_name[at]));
  });
}

class Masker {
 public:
  explicit Masker(std::string_view text) : text_(text), masked_(text) {}

  std::string masked() {
    mask_key_blocks();
    mask_shapes();
    mask_addresses();
    mask_values();
    return std::move(masked_);
  }

 private:
  void hide(std::size_t start, std::size_t end) {
    for (std::size_t i = start; i < end; ++i) {
      if (masked_[i] != '\n' && masked_[i] != '\r') masked_[i] = 'x';
    }
  }

  void mask_key_blocks() {
    constexpr std::string_view kBegin = "-----BEGIN ", kClose = "-----", kEnd = "-----END ";
    hide(0, end_of_cut_block(kBegin, kEnd));
    for (std::size_t at = text_.find(kBegin); at != std::string_view::npos; at = text_.find(kBegin, at + 1)) {
      const std::size_t head = text_.find(kClose, at + kBegin.size());
      if (head == std::string_view::npos) return;
      if (text_.substr(at, head - at).find("PRIVATE KEY") == std::string_view::npos) continue;
      hide(head + kClose.size(), std::min(text_.find(kEnd, head), text_.size()));
    }
  }

  // Where a key block ends whose beginning was cut off; 0: there is none.
  std::size_t end_of_cut_block(std::string_view begin, std::string_view end) const {
    const std::size_t at = text_.find(end);
    if (at == std::string_view::npos || text_.substr(0, at).find(begin) != std::string_view::npos) return 0;
    return text_.substr(at, text_.find('\n', at) - at).find("PRIVATE KEY") == std::string_view::npos ? 0 : at;
  }

  void mask_shapes() {
    for (const TokenShape& shape : kShapes) {
      for (std::size_t at = text_.find(shape.prefix); at != std::string_view::npos;
           at = text_.find(shape.prefix, at + 1)) {
        if (at > 0 && is_word_byte(text_[at - 1])) continue;
        const std::size_t body = at + shape.prefix.size();
        std::size_t end = body;
        while (end < text_.size() && is_token_byte(text_[end])) ++end;
        const std::string_view token = text_.substr(body, end - body);
        const bool has_digit =
            std::ranges::any_of(token, [](unsigned char c) { return std::isdigit(c) != 0; });
        if (token.size() >= shape.least && has_digit) hide(body, end);
      }
    }
  }

  // scheme://user:password@host
  void mask_addresses() {
    for (std::size_t at = text_.find("://"); at != std::string_view::npos; at = text_.find("://", at + 1)) {
      const std::size_t start = at + 3;
      const std::size_t end = std::min(text_.find_first_of(" \t\r\n\"'`/<>(){}", start), text_.size());
      const std::string_view authority = text_.substr(start, end - start);
      const std::size_t host = authority.rfind('@');
      const std::size_t colon = authority.find(':');
      if (host != std::string_view::npos && colon < host) hide(start + colon + 1, start + host);
    }
  }

  void mask_values() {
    std::string lower{text_};
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
    for (const std::string_view word : kSecretWords) {
      for (std::size_t at = lower.find(word); at != std::string::npos; at = lower.find(word, at + 1))
        mask_value(at + word.size());
    }
  }

  // After a name that may go on, a quote of its own, `:` or `=` and blanks; blanks alone where it is defined,
  // and a comma where it is quoted.
  void mask_value(std::size_t at) {
    const std::size_t word_end = at;
    while (at < text_.size() && (is_word_byte(text_[at]) || text_[at] == '-')) ++at;
    const std::string_view rest_of_name = text_.substr(word_end, at - word_end);
    const bool is_quoted = at < text_.size() && (text_[at] == '"' || text_[at] == '\'');
    if (at < text_.size() && (is_quoted || text_[at] == ']')) ++at;
    if (at < text_.size() && text_[at] == ']') ++at;
    const bool is_listed = is_quoted && at < text_.size() && text_[at] == ',';
    if (is_listed) ++at;
    const bool is_defined = text_.substr(line_start(text_, word_end)).starts_with("#define ");
    bool given = is_listed || is_defined;
    while (at < text_.size() && std::string_view(" \t:=>").find(text_[at]) != std::string_view::npos)
      given |= text_[at++] != ' ';
    if (!given || at >= text_.size() || is_about(rest_of_name)) return;
    const char quote = text_[at];
    if (quote != '"' && quote != '\'' && quote != '`') {
      const std::size_t end = std::min(text_.find_first_of(" \t\r\n", at), text_.size());
      const bool names_it = rest_of_name.empty() || equals_ignoring_case(rest_of_name, "_key");
      if (names_it && looks_random(text_.substr(at, end - at))) hide(at, end);
      return;
    }
    const std::size_t end = text_.find_first_of(std::string{quote, '\n'}, at + 1);
    if (end == std::string_view::npos) return;
    const std::string_view value = text_.substr(at + 1, end - at - 1);
    const bool plain = std::ranges::all_of(value, [](char c) { return c > ' ' && c != '{' && c != '<'; });
    const bool mixed = std::ranges::any_of(value, [](unsigned char c) { return std::isalpha(c) == 0; });
    if (value.size() < kShortestValue || !plain || !mixed || bits_a_character(value) <= kRandomBits) return;
    const bool has_digit = std::ranges::any_of(value, [](unsigned char c) { return std::isdigit(c) != 0; });
    if (has_digit || !(is_listed || is_defined)) hide(at + 1, end);
  }

  std::string_view text_;
  std::string masked_;
};

}  // namespace

std::string with_secrets_masked(std::string_view text) { return Masker(text).masked(); }

}  // namespace hearth::lsp
