#include "lsp/completion.h"

#include <gtest/gtest.h>

namespace hearth::lsp {
namespace {

const std::string kText = "def f(x):\n    return \n";
const CursorPlace kPlace{kText, kText.size() - 1, "a.py", "python"};

PlannedCompletion plan(engine::Priority priority) {
  CompletionRequest request;
  request.place = kPlace;
  request.priority = priority;
  return plan_completion(request, Settings{});
}

TEST(Completion, HasBothDeadlinesWhenAutomatic) {
  const engine::Job job = plan(engine::Priority::kAutomatic).job;
  EXPECT_EQ(job.soft_ms, 180);
  EXPECT_EQ(job.hard_ms, 1500);
  EXPECT_EQ(job.alternatives, 1);
}

TEST(Completion, HasOneDeadlineAndAlternativesWhenInvoked) {
  const engine::Job job = plan(engine::Priority::kInvoked).job;
  EXPECT_EQ(job.soft_ms, std::nullopt);
  EXPECT_EQ(job.hard_ms, 1500);
  EXPECT_EQ(job.alternatives, 3);
}

TEST(Completion, WarmsTheSamePromptWithoutDeadlines) {
  const engine::Job job = plan(engine::Priority::kWarm).job;
  EXPECT_EQ(job.soft_ms, std::nullopt);
  EXPECT_EQ(job.hard_ms, std::nullopt);
  EXPECT_EQ(job.segments, plan(engine::Priority::kAutomatic).job.segments);
}

TEST(Completion, GivesDistinctInsertionsBestFirst) {
  engine::Final final;
  final.alternatives = {{"x", -1, 0.5}, {"x  ", -2, 0.5}, {"", -3, 0.5}, {"y + 1", -4, 0.5}};
  const auto insertions =
      finish_completion(kPlace, plan(engine::Priority::kInvoked).job.stop, final, nullptr);
  ASSERT_EQ(insertions.size(), 2u);
  EXPECT_EQ(insertions[0].text, "x");
  EXPECT_EQ(insertions[1].text, "y + 1");
}

TEST(Completion, DropsATornWordAtTheDeadline) {
  engine::Final final;
  final.alternatives = {{"compute(first, seco", -1, 0.5}};
  final.reason = engine::FinishReason::kDeadline;
  const auto stop = plan(engine::Priority::kAutomatic).job.stop;
  ASSERT_EQ(finish_completion(kPlace, stop, final, nullptr).size(), 1u);
  EXPECT_EQ(finish_completion(kPlace, stop, final, nullptr)[0].text, "compute(first,");
}

TEST(Completion, InsertsOnlyWhereTheRestOfTheLineStays) {
  const std::string text = "def f()\n";
  const CursorPlace place{text, 6, "a.py", "python"};
  engine::Final final;
  final.alternatives = {{"a, b):", -1, 0.5}};
  const engine::StopRules stop = request_stop_rules(place, Settings{});
  EXPECT_EQ(finish_completion(place, stop, final, nullptr), (std::vector<Insertion>{{"a, b):", 1}}));
  EXPECT_EQ(finish_completion(place, stop, final, nullptr, RestOfLine::kStays),
            (std::vector<Insertion>{{"a, b", 0}}));
}

}  // namespace
}  // namespace hearth::lsp
