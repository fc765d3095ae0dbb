#include "lsp/completion_service.h"

#include <gtest/gtest.h>
#include <random>

#include "tests/support/server_fixture.h"

namespace hearth::lsp {
namespace {

using std::chrono::milliseconds;
using tests::ServerFixture;
namespace json = boost::json;
using Texts = std::vector<std::string>;

struct Opened : ServerFixture {
  explicit Opened(std::string_view text = "value = \n", json::object capabilities = {},
                  json::value options = nullptr) {
    initialize(std::move(capabilities), std::move(options));
    open(text);
  }
};

const json::object kInlineClient{{"textDocument", {{"inlineCompletion", json::object()}}}};

TEST(CompletionService, AnswersWhatTheEngineSays) {
  Opened fixture;
  const auto id = fixture.ask_inline(0, 8);
  EXPECT_FALSE(fixture.answered(id));
  fixture.engine_says({"compute()"});
  EXPECT_EQ(fixture.inline_texts(id), Texts{"compute()"});
  EXPECT_EQ(fixture.result(id).at("items").at(0).at("range"),
            json::parse(R"({"start":{"line":0,"character":8},"end":{"line":0,"character":8}})"));
}

TEST(CompletionService, AnswersFromAnEarlierAnswerWhileItIsTyped) {
  Opened fixture;
  fixture.ask_inline(0, 8);
  fixture.engine_says({"compute()"});
  fixture.insert(0, 8, "com");
  const auto id = fixture.ask_inline(0, 11);
  EXPECT_EQ(fixture.inline_texts(id), Texts{"pute()"});
  EXPECT_TRUE(fixture.engine.open().empty());
  fixture.insert(0, 11, "x");
  EXPECT_FALSE(fixture.answered(fixture.ask_inline(0, 12)));
  EXPECT_EQ(fixture.engine.open().size(), 1u);
}

engine::Final cut_short(engine::JobId job, std::string text) {
  engine::Final final{.job = job, .reason = engine::FinishReason::kDeadline};
  final.alternatives.push_back({std::move(text), -1, 0.9});
  return final;
}

TEST(CompletionService, LetsTheEngineGoOnWithAnAnswerThatADeadlineCutShort) {
  Opened fixture;
  fixture.ask_inline(0, 8);
  fixture.engine.finish(cut_short(fixture.engine.open().front(), "compute "));
  fixture.pump();
  ASSERT_EQ(fixture.engine.open().size(), 1u);
  const auto segments = fixture.engine.job(fixture.engine.open().front()).segments;
  EXPECT_TRUE(segments.back().text.ends_with("compute")) << segments.back().text;
  fixture.insert(0, 8, "c");
  const auto early = fixture.ask_inline(0, 9);
  EXPECT_EQ(fixture.inline_texts(early), Texts{"ompute"});
  EXPECT_EQ(fixture.engine.open().size(), 1u);  // it goes on with the same
  fixture.engine_says({" + other"});
  fixture.insert(0, 9, "o");
  const auto late = fixture.ask_inline(0, 10);
  EXPECT_EQ(fixture.inline_texts(late), Texts{"mpute + other"});
  EXPECT_TRUE(fixture.engine.open().empty());
}

TEST(CompletionService, GivesUpGoingOnWhenSomethingElseIsTyped) {
  Opened fixture;
  fixture.ask_inline(0, 8);
  fixture.engine.finish(cut_short(fixture.engine.open().front(), "compute "));
  fixture.pump();
  const auto extension = fixture.engine.open().front();
  fixture.insert(0, 8, "x");
  fixture.ask_inline(0, 9);
  EXPECT_EQ(fixture.engine.cancelled(), std::vector<engine::JobId>{extension});
}

TEST(CompletionService, AnswersInAPauseWhatIsAskedWhenTheSuggestionIsTaken) {
  Opened fixture;
  fixture.ask_inline(0, 8);
  fixture.engine_says({"compute()"});
  EXPECT_TRUE(fixture.engine.open(engine::Priority::kAhead).empty());
  fixture.clock.advance(milliseconds(250));
  const auto ahead = fixture.engine.open(engine::Priority::kAhead);
  ASSERT_EQ(ahead.size(), 1u);
  const engine::Job job = fixture.engine.job(ahead.front());
  EXPECT_EQ(job.priority, engine::Priority::kAhead);
  EXPECT_EQ(job.segments.back().text, "value = compute()");
  fixture.engine.finish(ahead.front(), {" + other"});
  fixture.pump();
  fixture.insert(0, 8, "compute()");
  const auto id = fixture.ask_inline(0, 17);
  EXPECT_EQ(fixture.inline_texts(id), Texts{" + other"});
  EXPECT_TRUE(fixture.engine.open().empty());
}

TEST(CompletionService, GivesUpAnsweringAheadWhenSomethingElseIsTyped) {
  Opened fixture;
  fixture.ask_inline(0, 8);
  fixture.engine_says({"compute()"});
  fixture.clock.advance(milliseconds(250));
  const auto ahead = fixture.engine.open(engine::Priority::kAhead);
  ASSERT_EQ(ahead.size(), 1u);
  fixture.insert(0, 8, "x");
  fixture.ask_inline(0, 9);
  const auto cancelled = fixture.engine.cancelled();
  EXPECT_NE(std::ranges::find(cancelled, ahead.front()), cancelled.end());
}

TEST(CompletionService, SupersedesAnOlderRequestOfTheSameMethodWithNull) {
  Opened fixture;
  const auto older = fixture.ask_inline(0, 8);
  const auto job = fixture.engine.open().front();
  fixture.insert(0, 8, "c");
  const auto newer = fixture.ask_inline(0, 9);
  EXPECT_EQ(fixture.result(older), nullptr);
  EXPECT_EQ(fixture.engine.cancelled(), std::vector<engine::JobId>{job});
  fixture.engine_says({"ompute()"});
  EXPECT_EQ(fixture.inline_texts(newer), Texts{"ompute()"});
  EXPECT_EQ(fixture.responses(older).size(), 1u);
}

TEST(CompletionService, KeepsTheJobWhenTheSameIsAskedAgain) {
  Opened fixture;
  const auto older = fixture.ask_inline(0, 8);
  const auto newer = fixture.ask_inline(0, 8);
  EXPECT_EQ(fixture.result(older), nullptr);
  EXPECT_TRUE(fixture.engine.cancelled().empty());
  EXPECT_EQ(fixture.engine.open().size(), 1u);
  fixture.engine_says({"1"});
  EXPECT_EQ(fixture.inline_texts(newer), Texts{"1"});
}

TEST(CompletionService, SharesOneJobBetweenTheTwoMethodsOfAKeystroke) {
  Opened fixture("value = \n", kInlineClient);
  const auto ghost = fixture.ask_inline(0, 8);
  const auto popup = fixture.ask_popup(0, 8);
  EXPECT_EQ(fixture.engine.open().size(), 1u);
  fixture.engine_says({"compute()"});
  EXPECT_EQ(fixture.inline_texts(ghost), Texts{"compute()"});
  EXPECT_EQ(fixture.result(popup).at("items").at(0).at("label"), "compute()");
}

TEST(CompletionService, CancelsASharedJobOnlyWhenNobodyWaitsForIt) {
  Opened fixture("value = \n", kInlineClient);
  const auto ghost = fixture.ask_inline(0, 8);
  const auto popup = fixture.ask_popup(0, 8);
  fixture.notify("$/cancelRequest", {{"id", ghost}});
  EXPECT_EQ(fixture.error_code(ghost), -32800);
  EXPECT_TRUE(fixture.engine.cancelled().empty());
  fixture.notify("$/cancelRequest", {{"id", popup}});
  EXPECT_EQ(fixture.error_code(popup), -32800);
  EXPECT_EQ(fixture.engine.cancelled().size(), 1u);
  fixture.pump();
  EXPECT_EQ(fixture.responses(ghost).size() + fixture.responses(popup).size(), 2u);
}

TEST(CompletionService, LetsDocumentsAndMethodsAlone) {
  Opened fixture;
  fixture.open("other = \n", "file:///project/b.py");
  const auto first = fixture.ask_inline(0, 8);
  fixture.ask_inline(0, 8, 1, "file:///project/b.py");
  fixture.ask_popup(0, 8);
  EXPECT_FALSE(fixture.answered(first));
  EXPECT_EQ(fixture.engine.open().size(), 3u);
}

TEST(CompletionService, GivesAutomaticRequestsBothDeadlinesAndThoseByHandTheHardOne) {
  Opened fixture;
  fixture.ask_inline(0, 8, 1);
  engine::Job job = fixture.engine.job(fixture.engine.open().back());
  EXPECT_EQ(job.priority, engine::Priority::kAutomatic);
  EXPECT_EQ(job.soft_ms, 180);
  EXPECT_EQ(job.hard_ms, 1500);
  EXPECT_EQ(job.alternatives, 1);
  fixture.ask_inline(0, 8, 0);
  job = fixture.engine.job(fixture.engine.open().back());
  EXPECT_EQ(job.priority, engine::Priority::kInvoked);
  EXPECT_EQ(job.soft_ms, std::nullopt);
  EXPECT_EQ(job.hard_ms, 1500);
  EXPECT_EQ(job.alternatives, 3);
}

engine::Priority priority_of_kind_1(Opened& fixture) {
  fixture.ask_inline(0, 8, 1);
  return fixture.engine.job(fixture.engine.open().back()).priority;
}

TEST(CompletionService, TakesTriggerKind1ForAutomaticUntilTheClientShowsOtherwise) {
  Opened drafts;
  EXPECT_EQ(priority_of_kind_1(drafts), engine::Priority::kAutomatic);
  drafts.ask_inline(0, 8, 2);
  EXPECT_EQ(drafts.engine.job(drafts.engine.open().back()).priority, engine::Priority::kAutomatic);
  EXPECT_EQ(priority_of_kind_1(drafts), engine::Priority::kInvoked);

  for (const char* options : {R"({"hearth": {"triggerKinds": "3.18"}})", R"({"hearth.triggerKinds": "3.18"})",
                              R"({"triggerKinds": "3.18"})"}) {
    Opened says("value = \n", {}, json::parse(options));
    EXPECT_EQ(priority_of_kind_1(says), engine::Priority::kInvoked) << options;
  }
}

TEST(CompletionService, OffersAlternativesToWhoAsksByHand) {
  Opened fixture;
  const auto id = fixture.ask_inline(0, 8, 0);
  fixture.engine_says({"one()", "two()", "three()"});
  EXPECT_EQ(fixture.inline_texts(id), (Texts{"one()", "two()", "three()"}));
}

TEST(CompletionService, AsksTheEngineAgainForWhoAsksByHandAfterGhostText) {
  Opened fixture;
  fixture.ask_inline(0, 8, 1);
  fixture.engine_says({"one()"});
  EXPECT_FALSE(fixture.answered(fixture.ask_inline(0, 8, 0)));
}

std::int64_t ask_for(Opened& fixture, std::uint32_t character, const json::value& extent) {
  return fixture.request("textDocument/inlineCompletion",
                         {{"textDocument", {{"uri", "file:///project/a.py"}}},
                          {"position", {{"line", 0}, {"character", character}}},
                          {"context", {{"triggerKind", 0}}},
                          {"extent", extent}});
}

TEST(CompletionService, EndsWhereTheClientAskedFor) {
  Opened fixture("def f(x):\n");
  ask_for(fixture, 9, "line");
  EXPECT_EQ(fixture.engine.job(fixture.engine.open().front()).stop.max_lines, 1);
  ask_for(fixture, 9, "block");
  EXPECT_GT(fixture.engine.job(fixture.engine.open().front()).stop.max_lines, 1);
  EXPECT_EQ(fixture.error_code(ask_for(fixture, 9, "page")), -32602);
}

TEST(CompletionService, KeepsABlockThatWasAskedForWhileItIsTyped) {
  Opened fixture("x = 1");
  ask_for(fixture, 5, "block");
  fixture.engine_says({" + 1\ny = 2"});
  fixture.insert(0, 5, " ");
  EXPECT_EQ(fixture.inline_texts(fixture.ask_inline(0, 6)), Texts{"+ 1\ny = 2"});
}

TEST(CompletionService, AnswersEmptyWhenTheEngineLetsADeadlinePass) {
  Opened fixture;
  const auto id = fixture.ask_inline(0, 8);
  fixture.clock.advance(milliseconds(1600));
  EXPECT_FALSE(fixture.answered(id));
  fixture.clock.advance(milliseconds(400));
  EXPECT_TRUE(fixture.inline_texts(id).empty());
  EXPECT_EQ(fixture.engine.cancelled().size(), 1u);
  fixture.pump();
  EXPECT_EQ(fixture.responses(id).size(), 1u);
}

TEST(CompletionService, AnswersEmptyWhenItIsSwitchedOff) {
  Opened off("value = \n", {}, {{"hearth", {{"enable", false}}}});
  EXPECT_TRUE(off.inline_texts(off.ask_inline(0, 8)).empty());
  Opened python_off("value = \n", {},
                    json::parse(R"({"hearth": {"completion.disabledLanguages": ["python"]}})"));
  EXPECT_TRUE(python_off.inline_texts(python_off.ask_inline(0, 8)).empty());
  EXPECT_TRUE(python_off.engine.open(engine::Priority::kWarm).empty());
}

TEST(CompletionService, SuggestsInCommentsOnlyWhenAsked) {
  Opened fixture("# a note on \nvalue = '# no comment'\n");
  EXPECT_TRUE(fixture.inline_texts(fixture.ask_inline(0, 12)).empty());
  const json::value why =
      fixture.result(fixture.request("hearth/why", {{"textDocument", {{"uri", "file:///project/a.py"}}},
                                                    {"position", {{"line", 0}, {"character", 12}}}}));
  EXPECT_EQ(why.at("setting"), "hearth.completion.comments");
  EXPECT_FALSE(fixture.answered(fixture.ask_inline(1, 22)));
  const auto by_hand = fixture.ask_inline(0, 12, 0);
  fixture.engine_says({"the value"});
  EXPECT_EQ(fixture.inline_texts(by_hand), Texts{"the value"});
  fixture.insert(0, 12, "the");
  EXPECT_EQ(fixture.inline_texts(fixture.ask_inline(0, 15)), Texts{" value"}) << "goes on while it is typed";
  Opened everywhere("# a note on \n", {}, {{"hearth", {{"completion.comments", true}}}});
  EXPECT_FALSE(everywhere.answered(everywhere.ask_inline(0, 12)));
}

std::vector<engine::JobId> warm_ups(Opened& fixture) { return fixture.engine.open(engine::Priority::kWarm); }

void finish_warm_up(Opened& fixture) {
  fixture.engine.finish({.job = warm_ups(fixture).front(), .reason = engine::FinishReason::kWarmed});
  fixture.pump();
}

TEST(CompletionService, WarmsWhatIsOpenedAtOnce) {
  Opened fixture;
  ASSERT_EQ(warm_ups(fixture).size(), 1u);
  EXPECT_FALSE(fixture.engine.job(warm_ups(fixture).front()).segments.empty());
}

TEST(CompletionService, WarmsTheDocumentAtHandOnly) {
  Opened fixture;
  const auto document = [&] { return fixture.engine.job(warm_ups(fixture).front()).document; };
  fixture.open("other = \n", "file:///project/b.py");
  ASSERT_EQ(warm_ups(fixture).size(), 1u);
  EXPECT_EQ(document(), "/project/b.py");
  fixture.notify("hearth/didFocus", {{"textDocument", {{"uri", "file:///project/a.py"}}}});
  ASSERT_EQ(warm_ups(fixture).size(), 1u);
  EXPECT_EQ(document(), "/project/a.py");
  fixture.ask_inline(0, 8, 1, "file:///project/b.py");  // of a client that tells nothing of focus
  ASSERT_EQ(warm_ups(fixture).size(), 2u);
  fixture.engine_says({"compute()"});
  ASSERT_EQ(warm_ups(fixture).size(), 1u);
  EXPECT_EQ(document(), "/project/b.py");
}

TEST(CompletionService, PlansNothingToWarmBeforeTheModelIsThere) {
  ServerFixture fixture;
  engine::EngineStatus status = fixture.engine.status();
  const int context_tokens = std::exchange(status.context_tokens, 0);
  fixture.engine.set_status(status);
  fixture.initialize();
  fixture.open("value = \n");
  const auto jobs = fixture.engine.open(engine::Priority::kWarm);
  ASSERT_EQ(jobs.size(), 1u);
  EXPECT_TRUE(fixture.engine.job(jobs.front()).segments.empty());
  status.context_tokens = context_tokens;
  fixture.engine.set_status(status);
  fixture.engine.finish({.job = jobs.front(), .reason = engine::FinishReason::kWarmed});
  fixture.pump();
  const auto next = fixture.engine.open(engine::Priority::kWarm);
  ASSERT_EQ(next.size(), 1u);
  EXPECT_FALSE(fixture.engine.job(next.front()).segments.empty());
}

TEST(CompletionService, WarmsAfterAPauseAndOnlyOnce) {
  Opened fixture;
  const auto warm = [&] { return warm_ups(fixture); };
  finish_warm_up(fixture);
  EXPECT_TRUE(warm().empty());
  fixture.insert(0, 8, "c");
  fixture.clock.advance(milliseconds(150));
  EXPECT_TRUE(warm().empty());
  fixture.clock.advance(milliseconds(60));
  ASSERT_EQ(warm().size(), 1u);
  const engine::Job job = fixture.engine.job(warm().front());
  EXPECT_EQ(job.priority, engine::Priority::kWarm);
  EXPECT_EQ(job.document, "/project/a.py");
  finish_warm_up(fixture);
  fixture.notify("hearth/didFocus", {{"textDocument", {{"uri", "file:///project/a.py"}}}});
  fixture.clock.advance(milliseconds(500));
  EXPECT_TRUE(warm().empty());
  fixture.notify("hearth/didFocus", {{"textDocument", {{"uri", "file:///project/a.py"}}},
                                     {"position", {{"line", 0}, {"character", 2}}}});
  fixture.clock.advance(milliseconds(500));
  EXPECT_EQ(warm().size(), 1u);
}

TEST(CompletionService, WarmsWhereTheCursorRestsSoThatTheFirstKeyThereFindsAll) {
  std::string text;
  for (int i = 0; i < 400; ++i) text += "value_" + std::to_string(i) + " = \n";
  Opened fixture(text);
  finish_warm_up(fixture);
  const auto rests_at = [&](int line) {
    fixture.notify("hearth/didFocus", {{"textDocument", {{"uri", "file:///project/a.py"}}},
                                       {"position", {{"line", line}, {"character", 12}}}});
  };
  const auto hashes = [&](engine::JobId job) { return segment_hashes(fixture.engine.job(job).segments); };
  rests_at(100);
  ASSERT_EQ(warm_ups(fixture).size(), 1u);
  const engine::JobId first = warm_ups(fixture).front();
  rests_at(300);
  ASSERT_EQ(warm_ups(fixture).size(), 1u) << "the place before is given up";
  EXPECT_NE(warm_ups(fixture).front(), first);
  const std::vector<std::uint64_t> warmed = hashes(warm_ups(fixture).front());
  rests_at(300);
  ASSERT_EQ(warm_ups(fixture).size(), 1u) << "and the same place is not warmed twice";
  finish_warm_up(fixture);
  rests_at(300);
  EXPECT_TRUE(warm_ups(fixture).empty());
  fixture.insert(300, 12, "c");
  fixture.ask_inline(300, 13);
  const std::vector<std::uint64_t> asked = hashes(fixture.engine.open().front());
  ASSERT_EQ(asked.size(), warmed.size());
  EXPECT_TRUE(std::equal(warmed.begin(), warmed.end() - 1, asked.begin())) << "all but the line's own text";
}

TEST(CompletionService, AnswersWithNothingWhoAskedInWhatWasClosed) {
  Opened fixture;
  fixture.open("other = \n", "file:///project/b.py");
  const auto asked = fixture.ask_inline(0, 8);
  const auto elsewhere = fixture.ask_inline(0, 8, 1, "file:///project/b.py");
  fixture.notify("textDocument/didClose", {{"textDocument", {{"uri", "file:///project/a.py"}}}});
  EXPECT_TRUE(fixture.inline_texts(asked).empty());
  EXPECT_FALSE(fixture.answered(elsewhere));
  fixture.engine_says({"1"});
  EXPECT_EQ(fixture.inline_texts(elsewhere), Texts{"1"});
}

TEST(CompletionService, StopsWarmingWhatWasClosed) {
  Opened fixture;
  fixture.clock.advance(milliseconds(500));
  ASSERT_EQ(fixture.engine.open(engine::Priority::kWarm).size(), 1u);
  fixture.notify("textDocument/didClose", {{"textDocument", {{"uri", "file:///project/a.py"}}}});
  EXPECT_TRUE(fixture.engine.open(engine::Priority::kWarm).empty());
  EXPECT_EQ(fixture.clock.pending(), 0u);
}

TEST(CompletionService, ReportsWhatAnAnswerCostToWhoWantsToKnow) {
  Opened fixture("value = \n", {}, json::parse(R"({"hearth": {"reportAnswers": true}})"));
  fixture.ask_inline(0, 8);
  engine::Final final{.job = fixture.engine.open().front()};
  final.alternatives.push_back({"compute()", -1, 0.5});
  final.usage = {.prompt_tokens = 90, .cached_tokens = 88, .generated_tokens = 4};
  fixture.engine.finish(final);
  fixture.pump();
  fixture.insert(0, 8, "c");
  fixture.ask_inline(0, 9);
  const auto reports = fixture.notifications("hearth/answer");
  ASSERT_EQ(reports.size(), 2u);
  EXPECT_EQ(reports[0].at("source"), "engine");
  EXPECT_EQ(reports[0].at("usage").at("cachedTokens"), 88);
  EXPECT_EQ(reports[1].at("source"), "typedThrough");
}

TEST(CompletionService, AnswersEveryRequestOfARandomSessionExactlyOnce) {
  for (unsigned seed = 0; seed < 8; ++seed) {
    std::mt19937 random(seed);
    Opened fixture("def f(x):\n    return x\n", seed % 2 ? kInlineClient : json::object());
    fixture.open("z = \n", "file:///project/b.py");
    std::vector<std::int64_t> ids;
    for (int step = 0; step < 200; ++step) {
      const char* const uri = random() % 3 ? "file:///project/a.py" : "file:///project/b.py";
      const std::uint32_t line = random() % 4, character = random() % 16;
      switch (random() % 8) {
        case 0: fixture.insert(line, character, random() % 2 ? "a" : "\n", uri); break;
        case 1: ids.push_back(fixture.ask_popup(line, character, uri)); break;
        case 2:
        case 3:
          ids.push_back(fixture.ask_inline(line, character, static_cast<int>(random() % 3), uri));
          break;
        case 4:
          if (!ids.empty()) fixture.notify("$/cancelRequest", {{"id", ids[random() % ids.size()]}});
          break;
        case 5:
          if (const auto jobs = fixture.engine.open(engine::Priority::kWarm); !jobs.empty()) {
            const auto job = jobs[random() % jobs.size()];
            if (fixture.engine.job(job).priority == engine::Priority::kWarm) {
              fixture.engine.finish({.job = job, .reason = engine::FinishReason::kWarmed});
            } else {
              fixture.engine.finish(job, {"abc(d)", "a"});
            }
          }
          break;
        case 6: fixture.pump(); break;
        case 7: fixture.clock.advance(milliseconds(random() % 900)); break;
      }
    }
    fixture.request("shutdown", nullptr);
    for (const std::int64_t id : ids)
      EXPECT_EQ(fixture.responses(id).size(), 1u) << "seed " << seed << " id " << id;
  }
}

}  // namespace
}  // namespace hearth::lsp
