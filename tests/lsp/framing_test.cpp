#include "lsp/framing.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace hearth::lsp {
namespace {

struct Decoded {
  std::vector<std::string> bodies;
  int errors = 0;

  bool operator==(const Decoded&) const = default;
};

// Bodies that start with '!' stand for text that is not JSON.
void drain(FrameDecoder& decoder, Decoded& decoded) {
  while (auto frame = decoder.next()) {
    if (const auto* body = std::get_if<std::string>(&*frame)) {
      decoded.bodies.push_back(*body);
      if (body->starts_with('!')) decoder.reject(*body);
    } else {
      EXPECT_FALSE(std::get<FramingError>(*frame).message.empty());
      ++decoded.errors;
    }
  }
}

Decoded decode(std::string_view stream, std::size_t chunk) {
  FrameDecoder decoder;
  Decoded decoded;
  for (std::size_t at = 0; at < stream.size(); at += chunk) {
    decoder.feed(stream.substr(at, chunk));
    drain(decoder, decoded);
  }
  return decoded;
}

struct Case {
  const char* name;
  std::string stream;
  std::vector<std::string> bodies;
  int errors;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> kCases{
      {"one message", encode_frame("{}"), {"{}"}, 0},
      {"two messages", encode_frame("{}") + encode_frame("[1]"), {"{}", "[1]"}, 0},
      {"an empty body", encode_frame("") + encode_frame("{}"), {"", "{}"}, 0},
      {"another header",
       "Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: 2\r\n\r\n{}",
       {"{}"},
       0},
      {"names in any case, no blank", "content-LENGTH:2\r\n\r\n{}", {"{}"}, 0},
      {"bare line feeds", "Content-Length: 2\n\n{}", {"{}"}, 0},
      {"blank lines between", encode_frame("{}") + "\r\n\n" + encode_frame("[]"), {"{}", "[]"}, 0},
      {"no length", "Content-Type: x\r\n\r\n{}" + encode_frame("[]"), {"[]"}, 1},
      {"a word for a length", "Content-Length: many\r\n\r\n{}" + encode_frame("[]"), {"[]"}, 1},
      {"a negative length", "Content-Length: -2\r\n\r\n{}" + encode_frame("[]"), {"[]"}, 1},
      {"a length with more behind it", "Content-Length: 2x\r\n\r\n{}" + encode_frame("[]"), {"[]"}, 1},
      {"an empty length", "Content-Length:\r\n\r\n{}" + encode_frame("[]"), {"[]"}, 1},
      {"two lengths", "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}" + encode_frame("[]"), {"[]"}, 1},
      {"a length above the limit", "Content-Length: 67108865\r\n\r\n{}" + encode_frame("[]"), {"[]"}, 1},
      {"a length beyond 64 bits",
       "Content-Length: 99999999999999999999999\r\n\r\n{}" + encode_frame("[]"),
       {"[]"},
       1},
      {"no header at all", "{\"a\": 1}" + encode_frame("[]"), {"[]"}, 1},
      {"a header line without a name", ": 2\r\n\r\n" + encode_frame("[]"), {"[]"}, 1},
      {"a header without an end", std::string(kMaxHeaderBytes + 1, 'x') + encode_frame("[]"), {"[]"}, 1},
      {"a length too short", "Content-Length: 3\r\n\r\n!{\"a\": 1}" + encode_frame("[]"), {"!{\"", "[]"}, 0},
      {"a length too long", "Content-Length: 9\r\n\r\n!{}" + encode_frame("[]"), {"!{}Conten", "[]"}, 0},
  };
  return kCases;
}

TEST(Framing, FindsTheMessagesHoweverTheStreamIsChopped) {
  for (const Case& item : cases()) {
    for (const std::size_t chunk : {std::size_t{1}, std::size_t{2}, std::size_t{7}, item.stream.size()}) {
      const Decoded decoded = decode(item.stream, chunk);
      EXPECT_EQ(decoded.bodies, item.bodies) << item.name << " by " << chunk;
      EXPECT_EQ(decoded.errors, item.errors) << item.name << " by " << chunk;
    }
  }
}

TEST(Framing, GivesNothingButWholeMessagesOfATruncatedStream) {
  const std::string stream = encode_frame("{\"a\": 1}") + encode_frame("[2]");
  for (std::size_t length = 0; length <= stream.size(); ++length) {
    FrameDecoder decoder;
    Decoded decoded;
    decoder.feed(std::string_view(stream).substr(0, length));
    drain(decoder, decoded);
    const std::size_t first = encode_frame("{\"a\": 1}").size();
    EXPECT_EQ(decoded.bodies.size(), length < first ? 0u : length < stream.size() ? 1u : 2u) << length;
    EXPECT_EQ(decoded.errors, 0) << length;
    EXPECT_EQ(decoder.between_messages(), length == 0 || length == first || length == stream.size())
        << length;
  }
}

TEST(Framing, TakesAMessageOfTheLargestSizeAndGoesOn) {
  const std::string body(kMaxBodyBytes, ' ');
  const Decoded decoded = decode(encode_frame(body) + encode_frame("[]"), 1u << 20);
  ASSERT_EQ(decoded.bodies.size(), 2u);
  EXPECT_EQ(decoded.bodies[0].size(), kMaxBodyBytes);
  EXPECT_EQ(decoded.bodies[1], "[]");
}

TEST(Framing, SkipsAMessageAboveTheLimitWithoutKeepingIt) {
  const std::string body(kMaxBodyBytes + 1, ' ');
  const Decoded decoded = decode(encode_frame(body) + encode_frame("[]"), 1u << 20);
  EXPECT_EQ(decoded.bodies, std::vector<std::string>{"[]"});
  EXPECT_EQ(decoded.errors, 1);
}

TEST(Framing, ShowsNothingOfTheStreamButTheHeadersValue) {
  FrameDecoder decoder;
  decoder.feed("Content-Length: \x01secret-and-much-longer-than-that\r\n\r\n");
  const auto frame = decoder.next();
  ASSERT_TRUE(frame);
  const std::string& message = std::get<FramingError>(*frame).message;
  EXPECT_EQ(message, "Content-Length: `?secret-and-much-longer-...` is not a number of bytes");
}

}  // namespace
}  // namespace hearth::lsp
