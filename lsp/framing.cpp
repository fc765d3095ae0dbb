#include "lsp/framing.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace hearth::lsp {
namespace {

constexpr std::string_view kContentLength = "content-length";
constexpr std::size_t kMaxShownBytes = 24;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_name_char(char c) {
  return (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9') || c == '-';
}

bool equals_ignoring_case(std::string_view a, std::string_view lowered) {
  return std::equal(a.begin(), a.end(), lowered.begin(), lowered.end(),
                    [](char x, char y) { return lower(x) == y; });
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r'))
    text.remove_suffix(1);
  return text;
}

// What a message may show of a header: printable ASCII, cut short.
std::string shown(std::string_view value) {
  std::string text;
  for (char c : value.substr(0, kMaxShownBytes)) text += c >= 0x20 && c < 0x7f ? c : '?';
  if (value.size() > kMaxShownBytes) text += "...";
  return text;
}

enum class Match { kNo, kPartial, kYes };

// Whether `text` starts with a whole line "Content-Length: N".
Match match_length_line(std::string_view text) {
  std::size_t i = 0;
  for (; i < kContentLength.size(); ++i) {
    if (i == text.size()) return Match::kPartial;
    if (lower(text[i]) != kContentLength[i]) return Match::kNo;
  }
  const auto skip = [&](auto accepts, std::size_t most) {
    const std::size_t from = i;
    while (i < text.size() && i - from < most && accepts(text[i])) ++i;
    return i - from;
  };
  const auto is = [](char wanted) { return [wanted](char c) { return c == wanted; }; };
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (skip(is(':'), 1) == 0) return i == text.size() ? Match::kPartial : Match::kNo;
  skip(is_blank, 8);
  if (skip(is_digit, 20) == 0) return i == text.size() ? Match::kPartial : Match::kNo;
  skip(is_blank, 8);
  skip(is('\r'), 1);
  if (skip(is('\n'), 1) == 0) return i == text.size() ? Match::kPartial : Match::kNo;
  return Match::kYes;
}

}  // namespace

void FrameDecoder::feed(std::string_view bytes) {
  if (begin_ > 0 && begin_ >= buffer_.size() / 2) {
    buffer_.erase(0, begin_);
    begin_ = 0;
  }
  buffer_ += bytes;
}

void FrameDecoder::consume(std::size_t bytes) {
  begin_ += bytes;
  if (begin_ == buffer_.size()) {
    begin_ = 0;
    buffer_.clear();
    if (buffer_.capacity() > kMaxHeaderBytes * 128) buffer_.shrink_to_fit();
  }
}

std::optional<Frame> FrameDecoder::lose(std::size_t consumed, std::string message) {
  consume(consumed);
  state_ = State::kLost;
  return Frame(FramingError{std::move(message)});
}

bool FrameDecoder::find_header() {
  const std::string_view text = pending();
  for (std::size_t colon = text.find(':'); colon != std::string_view::npos;
       colon = text.find(':', colon + 1)) {
    if (colon < kContentLength.size()) continue;
    const std::size_t begin = colon - kContentLength.size();
    const Match match = match_length_line(text.substr(begin));
    if (match == Match::kNo) continue;
    consume(begin);
    if (match == Match::kYes) state_ = State::kHeader;
    return match == Match::kYes;
  }
  std::size_t kept = std::min(text.size(), kContentLength.size());
  while (kept > 0 && match_length_line(text.substr(text.size() - kept)) == Match::kNo) --kept;
  consume(text.size() - kept);
  return false;
}

std::optional<Frame> FrameDecoder::next_header() {
  // Blank lines between messages do no harm.
  std::size_t blank = 0;
  while (pending().substr(blank).starts_with("\n") || pending().substr(blank).starts_with("\r\n")) {
    blank += pending()[blank] == '\n' ? 1 : 2;
  }
  consume(blank);
  const std::string_view text = pending();
  std::optional<std::size_t> length;
  std::size_t line_begin = 0;
  while (line_begin < text.size()) {
    const std::size_t end = text.find('\n', line_begin);
    const bool whole = end != std::string_view::npos;
    if ((whole ? end : text.size()) > kMaxHeaderBytes) {
      return lose(1, fmt::format("a message's header is longer than {} bytes", kMaxHeaderBytes));
    }
    const std::string_view raw = text.substr(line_begin, whole ? end - line_begin : end);
    if (whole && (raw.empty() || raw == "\r")) {
      if (!length) return lose(end + 1, "a message's header has no Content-Length");
      if (*length > kMaxBodyBytes) {
        return lose(end + 1, fmt::format("Content-Length: {} is more than the {} bytes allowed", *length,
                                         kMaxBodyBytes));
      }
      consume(end + 1);
      state_ = State::kBody;
      body_bytes_ = *length;
      return std::nullopt;
    }
    if (raw == "\r") break;
    std::size_t colon = 0;
    while (colon < raw.size() && is_name_char(raw[colon])) ++colon;
    const bool broken = colon < raw.size() ? raw[colon] != ':' || colon == 0 : whole;
    if (broken) {
      return lose(std::min(line_begin + colon + 1, text.size()),
                  "a message's header line is not `Name: value`");
    }
    if (whole && equals_ignoring_case(raw.substr(0, colon), kContentLength)) {
      const std::string_view value = trimmed(raw.substr(colon + 1));
      std::size_t parsed = 0;
      const auto [stop, error] = std::from_chars(value.data(), value.data() + value.size(), parsed);
      if (error != std::errc() || stop != value.data() + value.size()) {
        return lose(end + 1, fmt::format("Content-Length: `{}` is not a number of bytes", shown(value)));
      }
      if (length && *length != parsed) {
        return lose(end + 1, fmt::format("Content-Length is given twice, {} and {}", *length, parsed));
      }
      length = parsed;
    }
    if (!whole) break;
    line_begin = end + 1;
  }
  return std::nullopt;
}

std::optional<Frame> FrameDecoder::next() {
  if (state_ == State::kLost && !find_header()) return std::nullopt;
  if (state_ == State::kHeader) {
    if (std::optional<Frame> error = next_header()) return error;
  }
  if (state_ != State::kBody || pending().size() < body_bytes_) return std::nullopt;
  std::string body(pending().substr(0, body_bytes_));
  consume(body_bytes_);
  state_ = State::kHeader;
  return Frame(std::move(body));
}

void FrameDecoder::reject(std::string_view body) {
  std::string rest(pending());
  buffer_.assign(body);
  buffer_ += rest;
  begin_ = 0;
  state_ = State::kLost;
}

bool FrameDecoder::between_messages() const {
  return state_ != State::kBody && pending().find_first_not_of("\r\n") == std::string_view::npos;
}

std::string encode_frame(std::string_view body) {
  return fmt::format("Content-Length: {}\r\n\r\n{}", body.size(), body);
}

}  // namespace hearth::lsp
