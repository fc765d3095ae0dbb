// Messages of the base protocol (LSP, "Base Protocol": header lines with Content-Length, an empty line, a
// JSON body) cut out of a stream of bytes, however it is chopped up. After a broken header the decoder
// looks for the next line that says `Content-Length: N`, so that one bad message costs little. Not
// thread-safe: the reader's thread owns it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace hearth::lsp {

inline constexpr std::size_t kMaxBodyBytes = 64u << 20;
inline constexpr std::size_t kMaxHeaderBytes = 8u << 10;

struct FramingError {
  std::string message;  // names the header and the value; no more of the stream than that
};

// A body, or what was wrong where one should have been.
using Frame = std::variant<std::string, FramingError>;

class FrameDecoder {
 public:
  void feed(std::string_view bytes);

  // The next whole frame of what was fed, nullopt when more bytes are needed.
  std::optional<Frame> next();

  // A body that `next` gave turned out not to be JSON, so its length may have been wrong: the next
  // message is looked for inside it too.
  void reject(std::string_view body);

  // Whether the stream may end here without a message being cut.
  bool between_messages() const;

 private:
  enum class State { kHeader, kBody, kLost };

  std::optional<Frame> next_header();
  std::optional<Frame> lose(std::size_t consumed, std::string message);
  bool find_header();
  std::string_view pending() const { return std::string_view(buffer_).substr(begin_); }
  void consume(std::size_t bytes);

  std::string buffer_;
  std::size_t begin_ = 0;  // of buffer_, what has been consumed
  State state_ = State::kHeader;
  std::size_t body_bytes_ = 0;
};

// The body with its header.
std::string encode_frame(std::string_view body);

}  // namespace hearth::lsp
