// How a session uses its workspaces: what it asks them, when, and what a prompt makes of their answers.

#include "lsp/workspace_contexts.h"

#include <gtest/gtest.h>

#include "tests/support/server_fixture.h"

namespace hearth::lsp {
namespace {

using engine::SegmentKind;
using std::chrono::milliseconds;
using tests::ServerFixture;
namespace json = boost::json;

constexpr milliseconds kPause{200};

std::shared_ptr<const PromptContext> context_of(const std::string& path) {
  PromptContext context;
  context.manifests = "project\n";
  context.manifest_tokens = 3;
  context.files = {{path, "", 1, path + "\ndef f():\n", 9}};
  return std::make_shared<const PromptContext>(std::move(context));
}

struct WithWorkspace : ServerFixture {
  explicit WithWorkspace(std::shared_ptr<const PromptContext> answer = nullptr) {
    initialize();
    contexts->answer = std::move(answer);
    notify("workspace/didChangeConfiguration",
           {{"settings", {{"hearth", {{"completion", {{"relatedTokens", 400}}}}}}}});
    open("value = \n");
  }

  // The kinds and texts of what stands before the file in the newest open job.
  std::vector<std::string> said(engine::JobId job) {
    std::vector<std::string> texts;
    for (const engine::Segment& segment : engine.job(job).segments) {
      if (segment.kind == SegmentKind::kManifests || segment.kind == SegmentKind::kRelated)
        texts.push_back(segment.text);
    }
    return texts;
  }

  engine::JobId newest(engine::Priority priority = engine::Priority::kWarm) {
    const auto jobs = engine.open(priority);
    return jobs.empty() ? 0 : jobs.back();
  }

  void warmed(engine::JobId job) {
    engine.finish({.job = job, .reason = engine::FinishReason::kWarmed});
    pump();
  }
};

const std::vector<std::string> kNothing;
const std::vector<std::string> kSaid{"project\n", "b.py\ndef f():\n"};

TEST(WorkspaceContexts, ServeTheClientsFoldersAsTheSettingsAllow) {
  WithWorkspace fixture;
  EXPECT_EQ(fixture.contexts->served, std::vector<std::string>{"/project"});
  fixture.notify(
      "workspace/didChangeWorkspaceFolders",
      {{"event", {{"added", {{{"uri", "file:///other"}, {"name", "other"}}}}, {"removed", json::array()}}}});
  EXPECT_EQ(fixture.contexts->served, (std::vector<std::string>{"/project", "/other"}));
  fixture.notify("workspace/didChangeConfiguration",
                 {{"settings", {{"hearth", {{"index", {{"enabled", false}}}}}}}});
  EXPECT_EQ(fixture.contexts->served, kNothing);
}

TEST(WorkspaceContexts, BecomePartOfThePromptWhenTheyAreWarm) {
  WithWorkspace fixture;
  fixture.contexts->answer = context_of("b.py");
  fixture.ask_inline(0, 8);
  EXPECT_EQ(fixture.said(fixture.newest()), kNothing);  // a keystroke waits for nothing
  fixture.engine_says({"compute()"});
  fixture.clock.advance(kPause);
  const auto warming = fixture.newest();
  EXPECT_EQ(fixture.said(warming), kSaid);
  fixture.insert(0, 8, "x");
  fixture.ask_inline(0, 9);
  EXPECT_EQ(fixture.said(fixture.newest()), kNothing);  // not warm yet
  fixture.engine_says({"y"});
  fixture.warmed(warming);
  fixture.insert(0, 9, "z");
  fixture.ask_inline(0, 10);
  EXPECT_EQ(fixture.said(fixture.newest()), kSaid);
}

TEST(WorkspaceContexts, AreAskedAtOnceOfWhatIsOpenedAndThenOnlyInAPause) {
  WithWorkspace fixture;
  EXPECT_EQ(fixture.contexts->asked.size(), 1u);
  fixture.contexts->asked.clear();
  for (std::uint32_t i = 0; i < 5; ++i) {
    fixture.insert(0, 8 + i, "x");
    fixture.clock.advance(kPause / 2);
  }
  EXPECT_TRUE(fixture.contexts->asked.empty());
  fixture.clock.advance(kPause);
  ASSERT_EQ(fixture.contexts->asked.size(), 1u);
  EXPECT_EQ(fixture.contexts->asked[0].document->text(), "value = xxxxx\n");
  EXPECT_EQ(fixture.contexts->asked[0].cursor, 13u);
}

TEST(WorkspaceContexts, AreToldWhatWasSaidBefore) {
  WithWorkspace fixture(context_of("b.py"));
  fixture.warmed(fixture.newest());
  fixture.insert(0, 8, "x");
  fixture.clock.advance(kPause);
  EXPECT_EQ(fixture.contexts->asked.back().previous, fixture.contexts->answer);
}

TEST(WorkspaceContexts, ThatAnswerLateChangeNothingWhileOneTypes) {
  WithWorkspace fixture;
  fixture.contexts->at_once = false;
  fixture.notify("hearth/didFocus", {{"textDocument", {{"uri", "file:///project/a.py"}}}});
  ASSERT_EQ(fixture.contexts->waiting.size(), 1u);
  fixture.insert(0, 8, "x");
  const auto before = fixture.newest();
  fixture.contexts->waiting[0](context_of("b.py"));
  EXPECT_EQ(fixture.newest(), before);
  fixture.notify("textDocument/didClose", {{"textDocument", {{"uri", "file:///project/a.py"}}}});
  fixture.contexts->waiting[0](context_of("b.py"));
  EXPECT_EQ(fixture.newest(), 0u);
}

TEST(WorkspaceContexts, AreForgottenWhenTheIndexIsSwitchedOff) {
  WithWorkspace fixture(context_of("b.py"));
  fixture.warmed(fixture.newest());
  fixture.notify("workspace/didChangeConfiguration",
                 {{"settings", {{"hearth", {{"index", {{"enabled", false}}}}}}}});
  fixture.insert(0, 8, "x");
  fixture.ask_inline(0, 9);
  EXPECT_EQ(fixture.said(fixture.newest()), kNothing);
}

TEST(WorkspaceContexts, SayNothingOfSecretsAndCompleteNoneOfThem) {
  WithWorkspace fixture;
  fixture.open("TOKEN=", "file:///project/.env", "dotenv");
  const auto id = fixture.ask_inline(0, 6, 1, "file:///project/.env");
  EXPECT_TRUE(fixture.inline_texts(id).empty());
  const auto why = fixture.request("hearth/why", {{"textDocument", {{"uri", "file:///project/.env"}}},
                                                  {"position", {{"line", 0}, {"character", 6}}}});
  EXPECT_EQ(fixture.result(why).at("code"), "secret");
}

TEST(WorkspaceContexts, ShowHowFarTheirIndexIs) {
  ServerFixture fixture;
  fixture.initialize({{"window", {{"workDoneProgress", true}}}});
  using Kind = IndexNews::Kind;
  fixture.tell_of_index({Kind::kBegun, "/project", "", 0});
  EXPECT_TRUE(fixture.notifications("$/progress").empty());
  fixture.tell_of_index({Kind::kProgress, "/project", "", 10});
  const auto created = fixture.outgoing.back();
  EXPECT_EQ(created.at("method"), "window/workDoneProgress/create");
  fixture.server.receive(
      json::serialize(json::object{{"jsonrpc", "2.0"}, {"id", created.at("id")}, {"result", nullptr}}));
  fixture.tell_of_index({Kind::kProgress, "/project", "3 of 5 files", 60});
  fixture.tell_of_index({Kind::kDone, "/project", "5 files", 0});
  const auto told = fixture.notifications("$/progress");
  ASSERT_EQ(told.size(), 3u);
  EXPECT_EQ(told[0].at("value").at("kind"), "begin");
  EXPECT_EQ(told[1].at("value").at("percentage"), 60);
  EXPECT_EQ(told[1].at("value").at("message"), "3 of 5 files");
  EXPECT_EQ(told[2].at("value").at("kind"), "end");
  const auto status = fixture.result(fixture.request("hearth/status", json::object()));
  EXPECT_EQ(status.at("index").at(0).at("state"), "indexed");
}

}  // namespace
}  // namespace hearth::lsp
