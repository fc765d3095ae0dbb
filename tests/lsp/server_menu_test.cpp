// Classic completion, through the server.
#include <gtest/gtest.h>

#include "tests/support/server_fixture.h"

namespace hearth::lsp {
namespace {

using tests::ServerFixture;
namespace json = boost::json;
using Labels = std::vector<std::string>;

MenuWord word(std::string name) { return {std::move(name), "function", "def it()", "Does it.", "it.py", 2}; }

// The items' labels in the order of their sortText.
Labels labels(const json::value& list) {
  std::map<std::string, std::string> sorted;
  for (const json::value& item : list.at("items").as_array()) {
    sorted[std::string(item.at("sortText").as_string())] = item.at("label").as_string();
  }
  Labels labels;
  for (const auto& [key, label] : sorted) labels.push_back(label);
  return labels;
}

class ServerMenu : public ::testing::Test {
 protected:
  void start(json::object capabilities = {}, json::value options = nullptr) {
    fixture_.initialize(std::move(capabilities), std::move(options));
    fixture_.contexts->words.words = {word("compare"), word("computed")};
    fixture_.open("value = comp\nother, \n");
  }

  std::int64_t ask(std::uint32_t line, std::uint32_t character, int trigger) {
    return fixture_.request("textDocument/completion",
                            {{"textDocument", {{"uri", "file:///project/a.py"}}},
                             {"position", {{"line", line}, {"character", character}}},
                             {"context", {{"triggerKind", trigger}}}});
  }

  ServerFixture fixture_;
};

TEST_F(ServerMenu, HoldsTheSuggestionAndThenNames) {
  start();
  const auto asked = ask(0, 12, 1);
  fixture_.engine_says({"ute()"});
  EXPECT_EQ(labels(fixture_.result(asked)), (Labels{"compute()", "compare", "computed"}));
  ASSERT_EQ(fixture_.contexts->asked_words.size(), 1u);
  std::string prompt;
  for (const engine::Segment& segment : fixture_.contexts->asked_words[0].before) {
    if (segment.kind == engine::SegmentKind::kPrefix || segment.kind == engine::SegmentKind::kTyped)
      prompt += segment.text;
  }
  EXPECT_EQ(prompt, "value = ") << "names are ranked behind what stands before the word";
}

TEST_F(ServerMenu, SaysMoreOfAnItemWhenItIsLookedAt) {
  start();
  const auto asked = ask(0, 12, 1);
  fixture_.engine_says({""});
  const json::object item = fixture_.result(asked).at("items").at(0).as_object();
  EXPECT_EQ(item.at("detail"), "def it()");
  EXPECT_FALSE(item.contains("documentation"));
  const json::value resolved = fixture_.result(fixture_.request("completionItem/resolve", item));
  EXPECT_EQ(resolved.at("label"), "compare");
  EXPECT_EQ(resolved.at("documentation").at("value"), "Does it.\n\nit.py, line 3");
  EXPECT_EQ(fixture_.error_code(fixture_.request("completionItem/resolve", json::array())), -32602);
}

TEST_F(ServerMenu, IsIncompleteOnlyWhereTypingOnMayBringOthers) {
  start({{"textDocument", {{"inlineCompletion", json::object()}}}});
  const auto whole = ask(0, 12, 1);
  fixture_.engine_says({"ute()"});
  EXPECT_EQ(fixture_.result(whole).at("isIncomplete"), false);
  fixture_.contexts->words.whole = false;
  fixture_.insert(0, 0, " ");
  const auto cut = ask(0, 13, 1);
  fixture_.engine_says({"ute()"});
  EXPECT_EQ(fixture_.result(cut).at("isIncomplete"), true);

  ServerFixture without_ghost_text;
  without_ghost_text.initialize();
  without_ghost_text.open("value = comp\n");
  const auto only = without_ghost_text.ask_popup(0, 12);
  without_ghost_text.engine_says({"ute()"});
  EXPECT_EQ(without_ghost_text.result(only).at("isIncomplete"), true);
}

TEST_F(ServerMenu, OffersNoNamesBehindACommaUnlessAskedByHand) {
  start();
  constexpr int kInvoked = 1, kCharacter = 2;
  const auto by_comma = ask(1, 6, kCharacter);
  fixture_.engine_says({""});
  EXPECT_TRUE(labels(fixture_.result(by_comma)).empty());
  const auto by_hand = ask(1, 6, kInvoked);
  fixture_.engine_says({""});
  EXPECT_EQ(labels(fixture_.result(by_hand)), (Labels{"compare", "computed"}));
  fixture_.insert(1, 5, ".");
  const auto by_dot = ask(1, 6, kCharacter);
  fixture_.engine_says({""});
  EXPECT_EQ(labels(fixture_.result(by_dot)), (Labels{"compare", "computed"}));
}

TEST_F(ServerMenu, OffersNoNamesWhereNothingIsSuggested) {
  start({}, {{"hearth", {{"completion", {{"disabledLanguages", {"python"}}}}}}});
  EXPECT_TRUE(labels(fixture_.result(ask(0, 12, 1))).empty());
  fixture_.open("TOKEN=ab", "file:///project/.env", "shellscript");
  EXPECT_TRUE(labels(fixture_.result(fixture_.ask_popup(0, 8, "file:///project/.env"))).empty());
  EXPECT_TRUE(fixture_.contexts->asked_words.empty());
}

TEST_F(ServerMenu, OffersNamesWhenTheModelIsLate) {
  start();
  const auto asked = ask(0, 12, 1);
  fixture_.clock.advance(std::chrono::seconds(10));
  EXPECT_EQ(labels(fixture_.result(asked)), (Labels{"compare", "computed"}));
}

TEST_F(ServerMenu, IsAnsweredOnceThoughItsClientCancelsOrLeaves) {
  start();
  fixture_.contexts->at_once = false;
  const auto cancelled = ask(0, 12, 1);
  fixture_.engine_says({"ute()"});
  EXPECT_FALSE(fixture_.answered(cancelled));
  fixture_.notify("$/cancelRequest", {{"id", cancelled}});
  EXPECT_EQ(fixture_.error_code(cancelled), -32800);
  fixture_.contexts->waiting_for_words.front()(fixture_.contexts->words);
  EXPECT_EQ(fixture_.responses(cancelled).size(), 1u);
}

}  // namespace
}  // namespace hearth::lsp
