// A client that edits, asks, cancels and configures at random, with a mirror of its own that knows nothing of
// UTF-8 or of line indexes: code points in a list, split into lines anew at each edit.
#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "lsp/position_encoding.h"
#include "tests/support/server_fixture.h"

namespace hearth::lsp {
namespace {

using tests::ServerFixture;
namespace json = boost::json;

constexpr char kUri[] = "file:///project/a.py";
constexpr std::size_t kLongLine = 20'000;  // characters

std::string utf8(const std::u32string& text) {
  std::string out;
  const auto byte = [&](unsigned value) { out += static_cast<char>(value); };
  for (const char32_t c : text) {
    const auto tail = [&](int shift) { byte(0x80U | ((c >> shift) & 0x3FU)); };
    if (c < 0x80) {
      byte(c);
    } else if (c < 0x800) {
      byte(0xC0U | (c >> 6)), tail(0);
    } else if (c < 0x10000) {
      byte(0xE0U | (c >> 12)), tail(6), tail(0);
    } else {
      byte(0xF0U | (c >> 18)), tail(12), tail(6), tail(0);
    }
  }
  return out;
}

std::uint64_t fnv1a(std::string_view bytes) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return hash;
}

std::uint32_t units(char32_t c, PositionEncoding encoding) {
  switch (encoding) {
    case PositionEncoding::kUtf8: return static_cast<std::uint32_t>(utf8({c}).size());
    case PositionEncoding::kUtf16: return c >= 0x10000 ? 2 : 1;
    case PositionEncoding::kUtf32: return 1;
  }
  return 0;
}

class Client {
 public:
  Client(PositionEncoding encoding, unsigned seed) : encoding_(encoding), random_(seed) {
    fixture_.initialize({{"general", {{"positionEncodings", {name_of(encoding)}}}}});
    open();
  }

  void edit() {
    json::array changes;
    for (int n = one_in(6) ? pick(2, 4) : 1; n > 0; --n) changes.push_back(change());
    fixture_.notify("textDocument/didChange", {{"textDocument", {{"uri", kUri}, {"version", ++version_}}},
                                               {"contentChanges", changes}});
  }

  void do_something_else() {
    switch (pick(0, 9)) {
      case 0:
      case 1:
      case 2: ask("textDocument/inlineCompletion", {{"context", {{"triggerKind", pick(0, 2)}}}}); break;
      case 3: ask("textDocument/completion", {{"context", {{"triggerKind", pick(1, 3)}}}}); break;
      case 4: ask(one_in(2) ? "hearth/why" : "no/such", {}); break;
      case 5: asked_.push_back(fixture_.request("textDocument/completion", {{"position", "nowhere"}})); break;
      case 6:
        if (!asked_.empty()) {
          const auto which = static_cast<std::size_t>(pick(0, static_cast<int>(asked_.size()) - 1));
          fixture_.notify("$/cancelRequest", {{"id", asked_[which]}});
        }
        break;
      case 7: configure(); break;
      case 8: fixture_.clock.advance(std::chrono::milliseconds(pick(1, 400))); break;
      case 9:
        if (one_in(20)) {
          fixture_.notify("textDocument/didClose", {{"textDocument", {{"uri", kUri}}}});
          open();
        }
        break;
    }
    if (one_in(2)) let_engine_answer();
    collect();
  }

  // Empty when the server's text is this client's.
  std::string difference() {
    const std::int64_t id = fixture_.request("hearth/status", {{"textDocument", {{"uri", kUri}}}});
    const json::value text = fixture_.result(id).at("here").at("text");
    collect();
    const std::string bytes = utf8(text_);
    if (std::string_view(text.at("hash").as_string()) == fmt::format("{:016x}", fnv1a(bytes)) &&
        text.at("version") == version_)
      return {};
    return "server: " + json::serialize(text) + ", client: version " + std::to_string(version_) + ", " +
           std::to_string(bytes.size()) + " bytes";
  }

  void end() {
    asked_.push_back(fixture_.request("shutdown", nullptr));
    fixture_.pump();
    collect();
  }

  // Requests that did not get exactly one answer.
  std::vector<std::string> badly_answered() const {
    std::vector<std::string> bad;
    for (const std::int64_t id : asked_) {
      const auto answers = answers_.find(id);
      const int n = answers == answers_.end() ? 0 : answers->second;
      if (n != 1) bad.push_back("request " + std::to_string(id) + ": " + std::to_string(n) + " answers");
    }
    return bad;
  }

  std::size_t asked() const { return asked_.size(); }

 private:
  struct Place {
    std::size_t offset = 0;
    json::object position;
  };

  int pick(int least, int most) { return std::uniform_int_distribution<>(least, most)(random_); }
  bool one_in(int n) { return pick(1, n) == 1; }

  void open() {
    version_ = 1;
    fixture_.open(utf8(text_), kUri);
  }

  std::u32string new_text() {
    static const std::vector<std::u32string> kPieces{U"a",
                                                     U"x = ",
                                                     U"(",
                                                     U")",
                                                     U"\"",
                                                     U"\t",
                                                     U" ",
                                                     U"é",
                                                     U"日本",
                                                     U"ш",
                                                     U"😀",
                                                     U"👩‍👩‍👧",
                                                     U"e\u0301",
                                                     U"\uFEFF",
                                                     U"\n",
                                                     U"\r\n",
                                                     U"\r",
                                                     U"\u2028",
                                                     U"    return\n",
                                                     U"{}\r\n"};
    std::u32string text;
    if (one_in(2000)) return std::u32string(kLongLine, one_in(2) ? U'y' : U'😀');
    for (int n = pick(0, 4); n > 0; --n) {
      text += kPieces[static_cast<std::size_t>(pick(0, static_cast<int>(kPieces.size()) - 1))];
    }
    return text;
  }

  // Starts of lines, as the protocol has them.
  std::vector<std::size_t> line_starts() const {
    std::vector<std::size_t> starts{0};
    for (std::size_t i = 0; i < text_.size(); ++i) {
      if (text_[i] == U'\n' || (text_[i] == U'\r' && (i + 1 == text_.size() || text_[i + 1] != U'\n')))
        starts.push_back(i + 1);
    }
    return starts;
  }

  Place place() {
    const std::vector<std::size_t> starts = line_starts();
    const auto line = static_cast<std::size_t>(pick(0, static_cast<int>(starts.size()) - 1));
    if (one_in(40)) return {text_.size(), {{"line", starts.size() + 3}, {"character", pick(0, 9)}}};
    std::size_t end = starts[line];
    while (end < text_.size() && text_[end] != U'\n' && text_[end] != U'\r') ++end;
    const std::size_t offset =
        starts[line] + static_cast<std::size_t>(pick(0, static_cast<int>(end - starts[line])));
    std::uint32_t character = 0;
    for (std::size_t i = starts[line]; i < offset; ++i) character += units(text_[i], encoding_);
    if (offset == end && one_in(10)) character += 7;
    return {offset, {{"line", line}, {"character", character}}};
  }

  json::object change() {
    const std::u32string text = new_text();
    if (one_in(60) || text_.size() > 2 * kLongLine) {
      text_ = text;
      return {{"text", utf8(text)}};
    }
    Place start = place();
    Place end = one_in(3) ? place() : start;
    // Mostly small: a random second place would empty the document again and again.
    if (start.offset > end.offset) std::swap(start, end);
    if (end.offset - start.offset > 40 && !one_in(30)) end = start;
    text_.replace(start.offset, end.offset - start.offset, text);
    json::object event{{"range", {{"start", start.position}, {"end", end.position}}}, {"text", utf8(text)}};
    if (one_in(4)) event["rangeLength"] = pick(0, 99);
    return event;
  }

  void ask(std::string_view method, json::object params) {
    params["textDocument"] = {{"uri", kUri}};
    params["position"] = place().position;
    asked_.push_back(fixture_.request(method, std::move(params)));
  }

  void configure() {
    static const std::vector<json::object> kConfigurations{{{"enable", false}},
                                                           {{"enable", true}},
                                                           {{"completion.softMs", 20}},
                                                           {{"completion.softMs", "soon"}},
                                                           {{"completion.multiLine", "always"}},
                                                           {{"no.such", 1}},
                                                           {{"completion.disabledLanguages", {"python"}}},
                                                           {{"completion.menu", false}}};
    const auto which = static_cast<std::size_t>(pick(0, static_cast<int>(kConfigurations.size()) - 1));
    fixture_.notify("workspace/didChangeConfiguration", {{"settings", {{"hearth", kConfigurations[which]}}}});
  }

  void let_engine_answer() {
    for (const engine::JobId job : fixture_.engine.open(engine::Priority::kWarm)) {
      const bool warm = fixture_.engine.job(job).priority == engine::Priority::kWarm;
      if (one_in(3)) continue;
      if (one_in(10)) {
        fixture_.engine.finish({.job = job, .reason = engine::FinishReason::kFailed, .error = "at random"});
      } else if (warm) {
        fixture_.engine.finish({.job = job, .reason = engine::FinishReason::kWarmed});
      } else {
        fixture_.engine.finish(job, {utf8(new_text()), "value)\n"});
      }
    }
    fixture_.pump();
  }

  void collect() {
    for (const json::object& message : fixture_.outgoing) {
      if (!message.contains("method") && message.at("id").is_int64()) ++answers_[message.at("id").as_int64()];
    }
    fixture_.outgoing.clear();
  }

  ServerFixture fixture_;
  PositionEncoding encoding_;
  std::mt19937 random_;
  std::u32string text_ = U"\uFEFFimport os\r\n\r\nprint(\"😀\")";
  std::int64_t version_ = 0;
  std::vector<std::int64_t> asked_;
  std::map<std::int64_t, int> answers_;
};

class FuzzingClient : public ::testing::TestWithParam<PositionEncoding> {};

INSTANTIATE_TEST_SUITE_P(Encodings, FuzzingClient,
                         ::testing::Values(PositionEncoding::kUtf8, PositionEncoding::kUtf16,
                                           PositionEncoding::kUtf32),
                         [](const auto& test) {
                           std::string name(name_of(test.param));
                           std::erase(name, '-');
                           return name;
                         });

// HEARTH_FUZZ_EDITS: how many, of all three encodings together.
TEST_P(FuzzingClient, NeverSeesTheServerWithAnotherTextOrARequestWithoutItsAnswer) {
  const char* const wanted = std::getenv("HEARTH_FUZZ_EDITS");
  const int edits = ((wanted ? std::atoi(wanted) : 100'000) + 2) / 3;
  Client client(GetParam(), 1 + static_cast<unsigned>(GetParam()));
  for (int i = 0; i < edits; ++i) {
    client.edit();
    ASSERT_EQ(client.difference(), "") << "edit " << i;
    client.do_something_else();
  }
  client.end();
  EXPECT_EQ(client.badly_answered(), std::vector<std::string>());
  std::cout << edits << " edits, " << client.asked() << " requests\n";
}

}  // namespace
}  // namespace hearth::lsp
