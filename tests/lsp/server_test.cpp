#include "lsp/server.h"

#include <gtest/gtest.h>

#include "tests/support/server_fixture.h"

namespace hearth::lsp {
namespace {

using tests::ServerFixture;
namespace json = boost::json;

TEST(Server, RefusesEverythingBeforeInitialize) {
  ServerFixture fixture;
  for (const char* method : {"shutdown", "textDocument/completion", "hearth/status", "no/such"}) {
    EXPECT_EQ(fixture.error_code(fixture.request(method, json::object())), -32002) << method;
  }
  const std::size_t answers = fixture.outgoing.size();
  fixture.open("a");
  fixture.notify("initialized", json::object());
  EXPECT_EQ(fixture.outgoing.size(), answers);
}

TEST(Server, InitializesOnce) {
  ServerFixture fixture;
  const json::object result = fixture.initialize();
  EXPECT_EQ(result.at("serverInfo").at("name"), "hearth");
  EXPECT_EQ(result.at("serverInfo").at("version"), "1.2.3");
  const json::value& capabilities = result.at("capabilities");
  EXPECT_EQ(capabilities.at("textDocumentSync").at("change"), 2);
  EXPECT_TRUE(capabilities.at("inlineCompletionProvider").is_object());
  EXPECT_TRUE(capabilities.at("completionProvider").is_object());
  EXPECT_EQ(fixture.error_code(fixture.request("initialize", {{"capabilities", json::object()}})), -32600);
}

TEST(Server, StaysFreshAfterAnInitializeThatWasWrong) {
  ServerFixture fixture;
  EXPECT_EQ(fixture.error_code(
                fixture.request("initialize", {{"processId", "me"}, {"capabilities", json::object()}})),
            -32602);
  EXPECT_EQ(fixture.error_code(fixture.request("initialize", json::object())), -32602);
  EXPECT_EQ(fixture.error_code(fixture.request("hearth/status", nullptr)), -32002);
  EXPECT_FALSE(fixture.initialize().empty());
}

TEST(Server, AgreesOnThePositionEncoding) {
  struct Case {
    const char* offered;
    const char* agreed;
  };
  for (const auto& [offered, agreed] : std::initializer_list<Case>{{"null", "utf-16"},
                                                                   {"[]", "utf-16"},
                                                                   {"[\"utf-16\"]", "utf-16"},
                                                                   {"[\"utf-8\"]", "utf-8"},
                                                                   {"[\"utf-32\"]", "utf-32"},
                                                                   {"[\"utf-32\", \"utf-8\"]", "utf-8"},
                                                                   {"[\"utf-8\", \"utf-16\"]", "utf-16"},
                                                                   {"[\"ebcdic\"]", "utf-16"}}) {
    ServerFixture fixture;
    const json::object result =
        fixture.initialize({{"general", {{"positionEncodings", json::parse(offered)}}}});
    EXPECT_EQ(result.at("capabilities").at("positionEncoding"), agreed) << offered;
  }
}

TEST(Server, EndsInOrder) {
  ServerFixture fixture;
  fixture.initialize();
  EXPECT_EQ(fixture.server.exit_code(), 1);
  EXPECT_EQ(fixture.result(fixture.request("shutdown", nullptr)), nullptr);
  EXPECT_EQ(fixture.error_code(fixture.request("shutdown", nullptr)), -32600);
  EXPECT_EQ(fixture.error_code(fixture.request("textDocument/completion", json::object())), -32600);
  EXPECT_EQ(fixture.error_code(fixture.request("initialize", {{"capabilities", json::object()}})), -32600);
  fixture.open("a");
  EXPECT_EQ(fixture.exits, 0);
  fixture.notify("exit", nullptr);
  EXPECT_EQ(fixture.exits, 1);
  EXPECT_EQ(fixture.server.exit_code(), 0);
}

TEST(Server, ExitsWithAnErrorWhenItWasNotShutDown) {
  ServerFixture fixture;
  fixture.notify("exit", nullptr);
  EXPECT_EQ(fixture.exits, 1);
  EXPECT_EQ(fixture.server.exit_code(), 1);
}

TEST(Server, AnswersWhatWaitsBeforeItShutsDown) {
  ServerFixture fixture;
  fixture.initialize();
  fixture.open("x = \n");
  const auto waiting = fixture.ask_inline(0, 4);
  EXPECT_FALSE(fixture.answered(waiting));
  fixture.request("shutdown", nullptr);
  EXPECT_TRUE(fixture.inline_texts(waiting).empty());
  EXPECT_TRUE(fixture.engine.open().empty());
}

TEST(Server, WatchesTheClientsProcess) {
  ServerFixture fixture;
  fixture.request("initialize", {{"processId", 4711}, {"capabilities", json::object()}});
  EXPECT_EQ(fixture.watched, 4711);
}

TEST(Server, HandsTheSettingsItWasInitializedWithToTheEngine) {
  ServerFixture fixture;
  fixture.initialize({}, {{"hearth", {{"engine", {{"threads", 3}}}, {"model.path", "tiny"}}}});
  ASSERT_TRUE(fixture.engine_settings);
  EXPECT_EQ(fixture.engine_settings->engine_threads, 3);
  EXPECT_EQ(fixture.engine_settings->model_path, "tiny");
}

TEST(Server, TakesNewSettingsOnTopOfTheFirst) {
  ServerFixture fixture;
  fixture.initialize({}, {{"hearth", {{"completion", {{"hardMs", 700}, {"softMs", 70}}}}}});
  fixture.notify("workspace/didChangeConfiguration",
                 {{"settings", {{"hearth", {{"completion.softMs", 50}}}}}});
  fixture.open("x = \n");
  fixture.ask_inline(0, 4);
  const engine::Job job = fixture.engine.job(fixture.engine.open().front());
  EXPECT_EQ(job.soft_ms, 50);
  EXPECT_EQ(job.hard_ms, 700);
  EXPECT_TRUE(fixture.notifications("window/showMessage").empty());
}

TEST(Server, GivesASettingItsDefaultThatTheClientTakesOutAgain) {
  const json::object all{{"hearth", {{"completion", {{"hardMs", 700}, {"softMs", 70}}}}}};
  const json::object fewer{{"hearth", {{"completion", {{"hardMs", 700}}}}}};
  ServerFixture fixture;
  fixture.initialize({}, all);
  fixture.notify("workspace/didChangeConfiguration", {{"settings", all}});
  fixture.notify("workspace/didChangeConfiguration", {{"settings", fewer}});
  fixture.open("x = \n");
  fixture.ask_inline(0, 4);
  const engine::Job job = fixture.engine.job(fixture.engine.open().front());
  EXPECT_EQ(job.soft_ms, Settings{}.completion_soft_ms);
  EXPECT_EQ(job.hard_ms, 700);
}

TEST(Server, SaysWhichSettingIsWrongAndAppliesTheRest) {
  ServerFixture fixture;
  fixture.initialize();
  const json::object settings{{"hearth", {{"completion.softMs", "soon"}, {"completion.hardMs", 900}}}};
  fixture.notify("workspace/didChangeConfiguration", {{"settings", settings}});
  fixture.notify("workspace/didChangeConfiguration", {{"settings", settings}});
  const auto messages = fixture.notifications("window/showMessage");
  ASSERT_EQ(messages.size(), 1u) << "once";
  EXPECT_NE(messages[0].at("message").as_string().find("completion.softMs"), json::string::npos);
  const auto problems = [&] {
    return fixture.result(fixture.request("hearth/status", json::object())).as_object()["problems"];
  };
  ASSERT_TRUE(problems().is_array());
  EXPECT_NE(problems().at(0).as_string().find("completion.softMs"), json::string::npos);
  EXPECT_EQ(fixture.notifications("hearth/status").back().at("problems"), problems());
  fixture.open("x = \n");
  fixture.ask_inline(0, 4);
  EXPECT_EQ(fixture.engine.job(fixture.engine.open().front()).hard_ms, 900);
  fixture.notify("workspace/didChangeConfiguration", {{"settings", {{"hearth", json::object()}}}});
  EXPECT_TRUE(problems().is_null());
}

TEST(Server, AsksForItsConfigurationWhereTheClientOffersIt) {
  ServerFixture fixture;
  fixture.request("initialize", {{"capabilities", {{"workspace", {{"configuration", true}}}}}});
  fixture.outgoing.clear();
  fixture.notify("initialized", json::object());
  json::object question;
  for (const json::object& message : fixture.outgoing) {
    if (message.at("method") == "workspace/configuration") question = message;
  }
  ASSERT_FALSE(question.empty());
  EXPECT_EQ(question.at("params"), json::parse(R"({"items":[{"section":"hearth"}]})"));
  fixture.server.receive(json::serialize(json::object{
      {"jsonrpc", "2.0"}, {"id", question.at("id")}, {"result", {{{"completion.hardMs", 800}}}}}));
  fixture.open("x = \n");
  fixture.ask_inline(0, 4);
  EXPECT_EQ(fixture.engine.job(fixture.engine.open().front()).hard_ms, 800);
}

TEST(Server, ShowsProgressWhileTheModelLoads) {
  ServerFixture fixture;
  fixture.engine.set_state("loading");
  fixture.request("initialize", {{"capabilities", {{"window", {{"workDoneProgress", true}}}}}});
  fixture.outgoing.clear();
  fixture.notify("initialized", json::object());
  ASSERT_EQ(fixture.notifications("window/workDoneProgress/create").size(), 1u);
  EXPECT_TRUE(fixture.notifications("$/progress").empty());
  for (const json::object& message : fixture.outgoing) {
    if (message.at("method") != "window/workDoneProgress/create") continue;
    fixture.server.receive(
        json::serialize(json::object{{"jsonrpc", "2.0"}, {"id", message.at("id")}, {"result", nullptr}}));
    break;
  }
  ASSERT_EQ(fixture.notifications("$/progress").size(), 1u);
  EXPECT_EQ(fixture.notifications("$/progress")[0].at("value").at("kind"), "begin");
  EXPECT_EQ(fixture.notifications("hearth/status").back().at("state"), "loading");

  fixture.engine.set_state("ready");
  for (const auto job : fixture.engine.open(engine::Priority::kWarm)) fixture.engine.finish({.job = job});
  fixture.pump();
  ASSERT_EQ(fixture.notifications("$/progress").size(), 2u);
  EXPECT_EQ(fixture.notifications("$/progress")[1].at("value").at("kind"), "end");
  EXPECT_EQ(fixture.notifications("hearth/status").back().at("state"), "ready");
}

TEST(Server, StaysUpWithoutAModelAndSaysSoOnce) {
  ServerFixture fixture;
  fixture.engine.set_state("loading");
  fixture.initialize();
  fixture.engine.set_state("failed", "no-such.gguf: not there");
  for (const auto job : fixture.engine.open(engine::Priority::kWarm)) {
    fixture.engine.finish(
        {.job = job, .reason = engine::FinishReason::kFailed, .error = "no-such.gguf: not there"});
  }
  fixture.pump();
  fixture.open("x = \n");
  for (int round = 0; round < 3; ++round) {
    const auto id = fixture.ask_inline(0, 4);
    fixture.engine.finish({.job = fixture.engine.open().front(),
                           .reason = engine::FinishReason::kFailed,
                           .error = "no-such.gguf: not there"});
    fixture.pump();
    EXPECT_TRUE(fixture.inline_texts(id).empty());
  }
  const auto messages = fixture.notifications("window/showMessage");
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_NE(messages[0].at("message").as_string().find("no-such.gguf: not there"), json::string::npos);
  EXPECT_EQ(fixture.result(fixture.request("hearth/status", nullptr)).at("state"), "failed");
}

TEST(Server, SaysHowItIs) {
  ServerFixture fixture;
  fixture.initialize();
  fixture.open("x = \n");
  fixture.ask_inline(0, 4);
  fixture.engine_says({"1"});
  const json::value status = fixture.result(fixture.request("hearth/status", nullptr));
  EXPECT_EQ(status.at("state"), "ready");
  EXPECT_EQ(status.at("model"), "fake");
  EXPECT_EQ(status.at("documents"), 1);
  EXPECT_EQ(status.at("completions").at("queries"), 1);
  EXPECT_EQ(status.at("completions").at("engineAnswers"), 1);
  EXPECT_EQ(status.at("suggestions").at("shown"), 1);
}

TEST(Server, SaysOfADocumentWhetherSuggestionsComeThere) {
  ServerFixture fixture;
  fixture.initialize(
      {}, {{"hearth", {{"completion", {{"disabledLanguages", {"markdown", "gitcommit", "vcs-commit"}}}}}}});
  fixture.open("# Title\n", "file:///project/a.md", "markdown");
  fixture.open("Fix\n", "file:///project/COMMIT_EDITMSG", "git-commit");
  fixture.open("x = 1\n");
  const auto here = [&](const char* uri) {
    return fixture.result(fixture.request("hearth/status", {{"textDocument", {{"uri", uri}}}}))
        .as_object()["here"];
  };
  EXPECT_EQ(here("file:///project/a.py").at("suggests"), true);
  EXPECT_EQ(here("file:///project/a.md").at("code"), "languageOff");
  EXPECT_EQ(here("file:///project/COMMIT_EDITMSG").at("code"), "languageOff");
  EXPECT_EQ(here("file:///project/a.py").at("disabledAs"), json::array());
  EXPECT_EQ(here("file:///project/COMMIT_EDITMSG").at("disabledAs"),
            json::array({"gitcommit", "vcs-commit"}));
  EXPECT_EQ(here("file:///project/a.md").at("setting"), "hearth.completion.disabledLanguages");
  EXPECT_TRUE(here("file:///project/not-open.py").is_null());
}

TEST(Server, SaysWhyThereIsNoSuggestion) {
  ServerFixture fixture;
  fixture.initialize();
  fixture.open("value = \n");
  const auto ask = [&] {
    return fixture.request("hearth/why", {{"textDocument", {{"uri", "file:///project/a.py"}}},
                                          {"position", {{"line", 0}, {"character", 8}}}});
  };
  const auto code_when_engine_says = [&](const std::vector<std::string>& texts) {
    const auto id = ask();
    fixture.engine_says(texts);
    return fixture.result(id).at("code");
  };
  EXPECT_EQ(code_when_engine_says({""}), "saidNothing");
  EXPECT_EQ(code_when_engine_says({"))"}), "nothingFits");
  const auto late = ask();
  fixture.clock.advance(std::chrono::seconds(10));
  EXPECT_EQ(fixture.result(late).at("code"), "late");
  EXPECT_EQ(code_when_engine_says({"compute()"}), "suggests");
  fixture.notify("workspace/didChangeConfiguration", {{"settings", {{"hearth", {{"enable", false}}}}}});
  EXPECT_EQ(fixture.result(ask()).at("code"), "off");
  EXPECT_EQ(
      fixture.error_code(fixture.request("hearth/why", {{"textDocument", {{"uri", "file:///project/b.py"}}},
                                                        {"position", {{"line", 0}, {"character", 0}}}})),
      -32602);
}

TEST(Server, SaysThatAModelThatLoadsOrFailedIsTheReason) {
  for (const auto& [state, code] : {std::pair{"loading", "loading"}, {"failed", "failed"}}) {
    ServerFixture fixture;
    fixture.initialize();
    fixture.open("value = \n");
    fixture.engine.set_state(state);
    const auto id = fixture.request("hearth/why", {{"textDocument", {{"uri", "file:///project/a.py"}}},
                                                   {"position", {{"line", 0}, {"character", 8}}}});
    EXPECT_EQ(fixture.result(id).at("code"), code);
  }
}

TEST(Server, CountsWhatItsItemsCommandSaysWasAccepted) {
  ServerFixture fixture;
  const json::object initialized = fixture.initialize();
  EXPECT_EQ(initialized.at("capabilities").at("executeCommandProvider").at("commands"),
            json::array{"hearth.accepted"});
  fixture.open("value = \n");
  const auto asked = fixture.ask_inline(0, 8);
  fixture.engine_says({"compute()"});
  const json::value command = fixture.result(asked).at("items").at(0).at("command").at("command");
  EXPECT_TRUE(fixture.result(fixture.request("workspace/executeCommand", {{"command", command}})).is_null());
  EXPECT_EQ(fixture.result(fixture.request("hearth/status", nullptr)).at("suggestions").at("accepted"), 1);
  EXPECT_EQ(fixture.error_code(fixture.request("workspace/executeCommand", {{"command", "other"}})), -32602);
}

TEST(Server, LeavesTheMenuEmptyWhereItIsSwitchedOff) {
  ServerFixture fixture;
  fixture.initialize({}, {{"hearth", {{"completion", {{"menu", false}}}}}});
  fixture.open("value = \n");
  EXPECT_EQ(fixture.result(fixture.ask_popup(0, 8)), json::parse(R"({"isIncomplete":false,"items":[]})"));
  EXPECT_TRUE(fixture.engine.open().empty());
}

TEST(Server, TracesWhenAskedTo) {
  ServerFixture fixture;
  fixture.initialize();
  fixture.open("x = \n");
  fixture.notify("$/setTrace", {{"value", "messages"}});
  fixture.ask_inline(0, 4);
  fixture.engine_says({"secret"});
  ASSERT_EQ(fixture.notifications("$/logTrace").size(), 1u);
  EXPECT_EQ(fixture.notifications("$/logTrace")[0].at("message").as_string().find("secret"),
            json::string::npos);
  fixture.notify("$/setTrace", {{"value", "off"}});
  fixture.ask_inline(0, 4);
  EXPECT_EQ(fixture.notifications("$/logTrace").size(), 1u);
}

TEST(Server, RefusesCompletionsOfDocumentsThatAreNotOpen) {
  ServerFixture fixture;
  fixture.initialize();
  EXPECT_EQ(fixture.error_code(fixture.ask_inline(0, 0)), -32602);
  EXPECT_EQ(fixture.error_code(fixture.ask_popup(0, 0)), -32602);
  fixture.open("x = \n");
  fixture.notify("textDocument/didClose", {{"textDocument", {{"uri", "file:///project/a.py"}}}});
  EXPECT_EQ(fixture.error_code(fixture.ask_inline(0, 0)), -32602);
  fixture.insert(0, 0, "a");  // of a closed document: a line in the log, nothing else
}

}  // namespace
}  // namespace hearth::lsp
