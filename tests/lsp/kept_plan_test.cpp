#include "lsp/kept_plan.h"

#include <gtest/gtest.h>
#include <map>

#include "tests/support/server_fixture.h"

namespace hearth::lsp {
namespace {

using tests::ServerFixture;
namespace json = boost::json;

std::string code(int lines) {
  std::string text;
  for (int i = 0; i < lines; ++i)
    text += "value_" + std::to_string(i) + " = compute(" + std::to_string(i) + ")\r\n";
  return text;
}

CursorPlace place_in(std::string_view text) { return {text, text.size() - 40, "a.py", "python"}; }

TEST(KeptPlan, LaysOutTheSamePromptAgain) {
  const std::string text = code(600);
  const CursorPlace place = place_in(text);
  const PlanLimits limits{.context_tokens = 2048, .bytes_per_token = 3.5};
  // An anchor that has stayed while more was typed.
  Plan plan = plan_prompt(place, limits);
  const auto fresh = plan.segments;
  for (std::size_t back = 100; plan.segments == fresh && back < 2000; back += 100) {
    const CursorPlace earlier{text, text.size() - back, "a.py", "python"};
    plan = plan_prompt(place, limits, plan_prompt(earlier, limits).state, Anchoring::kRenew);
  }
  ASSERT_FALSE(plan.segments == fresh);
  const std::string kept = write_plan({plan.state, "model", place.cursor}, text);
  const auto read = read_plan(kept, "model", text);
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, (KeptPlan{plan.state, "model", place.cursor}));
  EXPECT_EQ(plan_prompt(place, limits, read->state, Anchoring::kRenew).segments, plan.segments);
  EXPECT_EQ(kept.find("compute"), std::string::npos) << "no text";
}

TEST(KeptPlan, IsNothingForAnotherTextOrModelNorWhereItIsBroken) {
  const std::string text = code(60);
  const Plan plan = plan_prompt(place_in(text), {});
  const std::string kept = write_plan({plan.state, "model", 0}, text);
  EXPECT_TRUE(read_plan(kept, "model", text + "more\n"));
  EXPECT_FALSE(read_plan(kept, "another", text));
  EXPECT_FALSE(read_plan(kept, "model", "import os\n" + text));
  EXPECT_FALSE(read_plan(kept, "model", ""));
  for (std::size_t size = 0; size < kept.size(); ++size)
    EXPECT_FALSE(read_plan(kept.substr(0, size), "model", text)) << size;
  for (const char* broken : {"[]", "{}", R"({"model":"model","begin":-1,"bytes":4,"hash":"x","cuts":[]})"})
    EXPECT_FALSE(read_plan(broken, "model", text)) << broken;
  EXPECT_TRUE(write_plan({plan.state, "model", 0}, "other").empty());
}

// A store in memory.
class Plans final : public PlanStore {
 public:
  std::optional<std::string> plan_of(const std::string& workspace, const std::string& document) override {
    const auto kept = plans.find({workspace, document});
    return kept == plans.end() ? std::nullopt : std::optional(kept->second);
  }
  void keep(const std::string& workspace, const std::string& document, std::string plan) override {
    plans[{workspace, document}] = std::move(plan);
  }
  std::map<std::pair<std::string, std::string>, std::string> plans;
};

TEST(KeptPlan, ComesBackWithTheDocument) {
  Plans plans;
  const std::string text = code(600);
  const auto uri = "file:///project/a.py";
  const json::value at_end{{"textDocument", {{"uri", uri}}}, {"position", {{"line", 590}, {"character", 0}}}};
  std::vector<engine::Segment> segments;
  {
    ServerFixture first(&plans);
    first.initialize();
    first.open(text);
    first.notify("hearth/didFocus",
                 {{"textDocument", {{"uri", uri}}}, {"position", {{"line", 560}, {"character", 0}}}});
    first.warm_all();
    first.notify("hearth/didFocus", at_end);
    segments = first.engine.job(first.engine.open(engine::Priority::kWarm).back()).segments;
    first.warm_all();
    EXPECT_TRUE(plans.plans.empty());
  }
  ASSERT_EQ(plans.plans.size(), 1u);
  EXPECT_EQ(plans.plans.begin()->first, std::pair(std::string("/project"), std::string("/project/a.py")));
  ServerFixture again(&plans);
  again.initialize();
  again.open(text);  // where the cursor will be is not said yet
  EXPECT_EQ(again.engine.job(again.engine.open(engine::Priority::kWarm).back()).segments, segments);
  const auto warmed_at = [&](int line) {
    again.notify("hearth/didFocus",
                 {{"textDocument", {{"uri", uri}}}, {"position", {{"line", line}, {"character", 0}}}});
    const auto jobs = again.engine.open(engine::Priority::kWarm);
    return jobs.size() == 1 ? again.engine.job(jobs.front()).segments : std::vector<engine::Segment>();
  };
  EXPECT_EQ(warmed_at(0), segments) << "the start says nothing";
  EXPECT_NE(warmed_at(300), segments);
  EXPECT_NE(warmed_at(0), segments) << "but to who comes back to it";
  again.notify("textDocument/didClose", {{"textDocument", {{"uri", uri}}}});
}

}  // namespace
}  // namespace hearth::lsp
