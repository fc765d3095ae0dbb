// Cases are data: cases/traffic/*.txt, each a document with the cursor at ▮, what client and model do, line
// by line, and the document at the end, which client and server must have alike. Lines:
//   type "TEXT", backspace N, delete line, move LINE:COLUMN, end of line   what the user does
//   send JSON                         content changes as they stand; the document is then that of `becomes`
//   ask, ask by hand                  a request at the cursor
//   says "TEXT"                       the model's raw text to the oldest job
//   offers "TEXT", nothing, refused, superseded   how the last request was answered (superseded: the one
//                                     before it)
//   waits                             the last request is not answered yet
//   waits for nobody                  no job is left with the engine
//   accept                            the first item of the last answer
//   rename NAME                       closed there, opened here
//   close, open                       the document, with the text that it has
//   spell URI                         the name by which requests and changes speak of the document
// The heading may say: language; uri or file, a name in the workspace; hearthignore, a line of the
// workspace's .hearthignore (the workspace is on the disk then); crlf; ends; dots, the text that each "…" of
// the documents stands for and how often it stands there: ["TEXT", TIMES].
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sstream>

#include "lsp/document.h"
#include "tests/support/case_files.h"
#include "tests/support/server_fixture.h"
#include "tests/support/temporary_folder.h"

namespace hearth::lsp {
namespace {

using tests::Case;
using tests::kMark;
using tests::ServerFixture;
namespace json = boost::json;

constexpr PositionEncoding kEncoding = PositionEncoding::kUtf16;

// The client of one case.
class Player {
 public:
  explicit Player(const Case& c) : case_(c), uri_(field("uri", in_workspace(field("file", "a.py")))) {
    if (on_disk()) folder_.file(".hearthignore", field("hearthignore", "") + "\n");
    fixture_.initialize({{"textDocument", {{"inlineCompletion", json::object()}}}}, nullptr,
                        in_workspace(""));
    set(section("document"));
    open();
  }

  // Empty, or what went wrong.
  std::string play() {
    std::istringstream lines(case_.fields.at("traffic"));
    for (std::string line; std::getline(lines, line);) {
      if (line.empty()) continue;
      const std::string problem = step(line);
      if (!problem.empty()) return line + ": " + problem;
    }
    return {};
  }

  // The text with the cursor, if the server has the same text.
  std::string text() {
    const auto id = fixture_.request("hearth/status", {{"textDocument", {{"uri", uri_}}}});
    const json::value server = fixture_.result(id).at("here").at("text");
    std::uint64_t hash = 14695981039346656037U;
    for (const char c : text_) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
    if (std::string_view(server.at("hash").as_string()) != fmt::format("{:016x}", hash)) {
      return "the server has another text: " + json::serialize(server);
    }
    std::string marked = text_;
    return marked.insert(cursor_, kMark);
  }

  std::string expected() const { return section("expected"); }

 private:
  std::string field(const std::string& name, const std::string& otherwise) const {
    const auto found = case_.fields.find(name);
    return found == case_.fields.end() ? otherwise : found->second;
  }

  bool on_disk() const { return case_.fields.contains("hearthignore"); }

  std::string in_workspace(const std::string& name) const {
    return (on_disk() ? "file://" + folder_.path().string() : "file:///project") +
           (name.empty() ? "" : "/" + name);
  }

  // Without its last line end: that belongs to the case's layout, and a blank line before the next case too.
  std::string section(const std::string& name) const {
    std::string text = case_.fields.at(name);
    while (text.ends_with("\n")) text.pop_back();
    if (field("ends", "with a line end") == "with a line end") text += '\n';
    if (case_.fields.contains("dots")) text = with_dots_written_out(text);
    if (field("crlf", "no") == "no") return text;
    std::string out;
    for (const char c : text) out += c == '\n' ? "\r\n" : std::string(1, c);
    return out;
  }

  std::string with_dots_written_out(std::string text) const {
    constexpr std::string_view kDots = "…";
    const json::value dots = json::parse(case_.fields.at("dots"));
    std::string written;
    for (std::int64_t i = 0; i < dots.at(1).as_int64(); ++i)
      written += std::string_view(dots.at(0).as_string());
    for (std::size_t at = 0; (at = text.find(kDots, at)) != std::string::npos; at += written.size()) {
      text.replace(at, kDots.size(), written);
    }
    return text;
  }

  void set(std::string marked) {
    cursor_ = marked.find(kMark);
    text_ = marked.erase(cursor_, kMark.size());
  }

  void open() { fixture_.open(text_, uri_, field("language", "python")); }

  void close() { fixture_.notify("textDocument/didClose", {{"textDocument", {{"uri", uri_}}}}); }

  json::object position(std::size_t offset) const {
    const Position at = Document(uri_, "", 0, text_).position(offset, kEncoding);
    return {{"line", at.line}, {"character", at.character}};
  }

  std::size_t offset(const json::value& at) const {
    return Document(uri_, "", 0, text_)
        .offset({static_cast<std::uint32_t>(at.at("line").to_number<std::int64_t>()),
                 static_cast<std::uint32_t>(at.at("character").to_number<std::int64_t>())},
                kEncoding);
  }

  void replace(std::size_t begin, std::size_t end, const std::string& text) {
    const json::object range{{"start", position(begin)}, {"end", position(end)}};
    send({json::object{{"range", range}, {"text", text}}});
    text_.replace(begin, end - begin, text);
    cursor_ = begin + text.size();
  }

  void send(json::array changes) {
    fixture_.notify("textDocument/didChange", {{"textDocument", {{"uri", uri_}, {"version", ++version_}}},
                                               {"contentChanges", std::move(changes)}});
  }

  void ask(int trigger) {
    asked_.push_back(
        fixture_.request("textDocument/inlineCompletion", {{"textDocument", {{"uri", uri_}}},
                                                           {"position", position(cursor_)},
                                                           {"context", {{"triggerKind", trigger}}}}));
  }

  std::string step(const std::string& line) {
    const auto starts = [&](std::string_view verb) { return line.starts_with(verb); };
    const auto rest = [&](std::string_view verb) { return line.substr(verb.size()); };
    const auto string_of = [&](std::string_view verb) {
      return std::string(json::parse(rest(verb)).as_string());
    };
    if (starts("type ")) {
      const std::string text = string_of("type ");
      replace(cursor_, cursor_, text);
    } else if (starts("backspace ")) {
      replace(cursor_ - static_cast<std::size_t>(std::stoi(rest("backspace "))), cursor_, "");
    } else if (line == "delete line") {
      const std::size_t start = text_.rfind('\n', cursor_ == 0 ? 0 : cursor_ - 1);
      const std::size_t begin = start == std::string::npos ? 0 : start + 1;
      replace(begin, std::min(text_.find('\n', cursor_) + 1, text_.size()), "");
    } else if (starts("move ")) {
      const std::size_t colon = line.find(':');
      cursor_ = offset(json::object{{"line", std::stoi(line.substr(5, colon - 5))},
                                    {"character", std::stoi(line.substr(colon + 1))}});
    } else if (line == "end of line") {
      cursor_ = std::min(text_.find_first_of("\r\n", cursor_), text_.size());
    } else if (starts("send ")) {
      send(json::parse(rest("send ")).as_array());
      set(section("becomes"));
    } else if (line == "ask") {
      ask(2);
    } else if (line == "ask by hand") {
      ask(0);
    } else if (starts("says ")) {
      if (fixture_.engine.open().empty()) return "no job waits for it";
      fixture_.engine_says({string_of("says ")});
    } else if (starts("offers ") || line == "nothing") {
      const std::vector<std::string> texts = fixture_.inline_texts(asked_.back());
      if (line == "nothing" ? !texts.empty() : texts.empty() || texts.front() != string_of("offers ")) {
        return texts.empty() ? "no item" : json::serialize(json::value_from(texts));
      }
    } else if (line == "superseded") {
      if (!fixture_.result(asked_.at(asked_.size() - 2)).is_null()) return "it was not";
    } else if (line == "waits for nobody") {
      if (!fixture_.engine.open().empty()) return "a job is left";
    } else if (line == "waits") {
      if (fixture_.answered(asked_.back())) return "it was answered";
    } else if (line == "accept") {
      const json::value result = fixture_.result(asked_.back());
      if (!result.is_object() || result.at("items").as_array().empty()) return "there is no item";
      const json::value item = result.at("items").at(0);
      replace(offset(item.at("range").at("start")), offset(item.at("range").at("end")),
              std::string(item.at("insertText").as_string()));
    } else if (line == "refused") {
      if (fixture_.error_code(asked_.back()) != static_cast<int>(RpcCode::kInvalidParams))
        return "it was not";
    } else if (line == "close") {
      close();
    } else if (line == "open") {
      open();
    } else if (starts("rename ")) {
      close();
      uri_ = in_workspace(rest("rename "));
      open();
    } else if (starts("spell ")) {
      uri_ = rest("spell ");
    } else {
      return "no such step";
    }
    return {};
  }

  const Case& case_;
  const hearth::testing::TemporaryFolder folder_;
  ServerFixture fixture_;
  std::string uri_, text_;
  std::size_t cursor_ = 0;
  std::int64_t version_ = 1;
  std::vector<std::int64_t> asked_;
};

TEST(Traffic, LeavesEachDocumentAsItsCaseExpects) {
  const std::vector<Case> cases = tests::read_cases("traffic");
  EXPECT_GT(cases.size(), 20u);
  for (const Case& c : cases) {
    Player player(c);
    ASSERT_EQ(player.play(), "") << c.file << ": " << c.name;
    EXPECT_EQ(player.text(), player.expected()) << c.file << ": " << c.name;
  }
}

}  // namespace
}  // namespace hearth::lsp
