#include "lsp/prompt_plan.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace hearth::lsp {
namespace {

using engine::Segment;
using engine::SegmentKind;

std::string lines(int from, int to, const std::string& end = "\n") {
  std::string text;
  for (int i = from; i < to; ++i)
    text += "    value_" + std::to_string(i) + " = compute(" + std::to_string(i) + ")" + end;
  return text;
}

// The document's text with `|` at the cursor.
CursorPlace place_at(const std::string& marked, std::string& storage) {
  const std::size_t cursor = marked.find('|');
  storage = marked.substr(0, cursor) + marked.substr(cursor + 1);
  return {storage, cursor, "src/a.py", "python"};
}

std::string joined(const Plan& plan, SegmentKind kind) {
  std::string text;
  for (const Segment& segment : plan.segments) {
    if (segment.kind == kind) text += segment.text;
  }
  return text;
}

std::string before_cursor(const Plan& plan) {
  return joined(plan, SegmentKind::kPrefix) + joined(plan, SegmentKind::kTyped);
}

std::size_t bytes(const Plan& plan, bool required_only) {
  std::size_t sum = 0;
  for (const Segment& segment : plan.segments)
    sum += segment.required || !required_only ? segment.text.size() : 0;
  return sum;
}

TEST(PromptPlan, LaysOutASmallFileWhole) {
  std::string text;
  const CursorPlace place = place_at("import os\n\ndef f(x):\n    return |\n\nf(1)\n", text);
  const Plan plan = plan_prompt(place, {});
  ASSERT_EQ(plan.segments.size(), 4u);
  EXPECT_EQ(plan.segments[0].kind, SegmentKind::kPath);
  EXPECT_EQ(plan.segments[0].text, "src/a.py");
  EXPECT_EQ(plan.segments[1].kind, SegmentKind::kSuffix);
  EXPECT_EQ(plan.segments[1].text, "\n\nf(1)\n");
  EXPECT_FALSE(plan.segments[1].required);
  EXPECT_EQ(plan.segments[2].kind, SegmentKind::kPrefix);
  EXPECT_EQ(plan.segments[2].text, "import os\n\ndef f(x):\n");
  EXPECT_TRUE(plan.segments[2].required);
  EXPECT_EQ(plan.segments[3].kind, SegmentKind::kTyped);
  EXPECT_EQ(plan.segments[3].text, "    return ");
  for (const Segment& segment : plan.segments)
    EXPECT_EQ(segment.hash, segment_hash(segment.kind, segment.text));
}

struct RestCase {
  const char* rest;
  bool in_suffix;
};

TEST(PromptPlan, OpensTheSuffixWithTheRestOfTheLineOnlyWhenItSaysSomething) {
  for (const RestCase& c : {RestCase{"", false},
                            {")", false},
                            {"\"):", false},
                            {"}]);  ", false},
                            {"', ", false},
                            {", other)", true},
                            {" + b", true},
                            {"(", true},
                            {"é", true}}) {
    std::string text;
    const CursorPlace place = place_at("a\nf(|" + std::string{c.rest} + "\nb\n", text);
    const std::string expected = (c.in_suffix ? c.rest : "") + std::string{"\nb\n"};
    EXPECT_EQ(joined(plan_prompt(place, {}), SegmentKind::kSuffix), expected) << c.rest;
  }
}

TEST(PromptPlan, GivesTheLastLineASuffixThatEndsIt) {
  std::string text;
  const CursorPlace place = place_at("a = 1\nb = |", text);
  EXPECT_EQ(joined(plan_prompt(place, {}), SegmentKind::kSuffix), "\n");
}

TEST(PromptPlan, HasNoCarriageReturns) {
  std::string text;
  const CursorPlace place = place_at(lines(0, 40, "\r\n") + "\rx = |1\r\n" + lines(0, 40, "\r\n"), text);
  const Plan plan = plan_prompt(place, {});
  for (const Segment& segment : plan.segments) EXPECT_EQ(segment.text.find('\r'), std::string::npos);
  EXPECT_EQ(before_cursor(plan), lines(0, 40) + "\nx = ");
}

TEST(PromptPlan, PutsFarTextInOptionalSegmentsBelowTheSuffix) {
  std::string text;
  const CursorPlace place = place_at(lines(0, 400) + "x = |\n" + lines(400, 800), text);
  for (const int context : {1024, 8192}) {
    const Plan plan = plan_prompt(place, {.context_tokens = context});
    ASSERT_GE(plan.segments.size(), 6u);
    ASSERT_LE(plan.segments.size(), 8u);
    const Segment& suffix = plan.segments[1];
    EXPECT_FALSE(suffix.required);
    EXPECT_TRUE(suffix.text.ends_with('\n'));
    int priority = 0;
    for (std::size_t i = 2; i + 2 < plan.segments.size(); ++i) {
      const Segment& far = plan.segments[i];
      EXPECT_EQ(far.kind, SegmentKind::kPrefix);
      EXPECT_FALSE(far.required);
      EXPECT_GT(far.priority, priority) << "the nearer goes first";
      EXPECT_LT(far.priority, suffix.priority);
      EXPECT_TRUE(far.text.ends_with('\n'));
      priority = far.priority;
    }
    EXPECT_TRUE(plan.segments[plan.segments.size() - 2].required);
    EXPECT_TRUE((lines(0, 400) + "x = ").ends_with(before_cursor(plan)));
  }
  const Plan plan = plan_prompt(place, {.context_tokens = 8192});
  const std::size_t aim = 3 * PlanLimits{}.prompt_tokens;  // bytes
  EXPECT_GT(plan.segments[1].text.size(), aim / 4 - 50);
  EXPECT_LE(plan.segments[1].text.size(), aim / 4);
  EXPECT_GT(bytes(plan, false), aim * 5 / 8);
  EXPECT_LE(bytes(plan, false), aim);
}

TEST(PromptPlan, ChangesOnlyItsTailWhileALineIsTyped) {
  const std::string before = lines(0, 300);
  const std::string after = "\n" + lines(300, 400);
  const std::string typed = "    result = compute(value_1, value_2)";
  PlanState state;
  std::vector<Segment> first;
  for (std::size_t i = 0; i <= typed.size(); ++i) {
    const std::string text = before + typed.substr(0, i) + after;
    const Plan plan = plan_prompt({text, before.size() + i, "a.py", "python"}, {}, state);
    std::vector<Segment> stable;
    for (const Segment& segment : plan.segments) {
      if (segment.kind != SegmentKind::kTyped) stable.push_back(segment);
    }
    if (i == 0) first = stable;
    EXPECT_EQ(stable, first) << i;
    EXPECT_EQ(joined(plan, SegmentKind::kTyped), typed.substr(0, i));
    state = plan.state;
  }
}

TEST(PromptPlan, KeepsItsHeadOverNewLinesAndRenewsItInIdleTime) {
  const std::string before = lines(0, 300);
  const std::string text = before + lines(300, 303) + "    x = ";
  const Plan old = plan_prompt({before, before.size(), "a.py", "python"}, {});
  const CursorPlace now{text, text.size(), "a.py", "python"};
  const Plan kept = plan_prompt(now, {}, old.state);
  EXPECT_EQ(kept.state, old.state);
  EXPECT_EQ(joined(kept, SegmentKind::kTyped), lines(300, 303) + "    x = ");
  const Plan renewed = plan_prompt(now, {}, old.state, Anchoring::kRenew);
  EXPECT_EQ(joined(renewed, SegmentKind::kTyped), "    x = ");
  EXPECT_TRUE(renewed.state.head.ends_with(lines(300, 303)));
  EXPECT_EQ(plan_prompt(now, {}, renewed.state).segments, renewed.segments);
}

TEST(PromptPlan, KeepsItsAnchorWhenTheHeadIsRenewed) {
  const std::string before = lines(0, 300);
  const Plan old = plan_prompt({before, before.size(), "a.py", "python"}, {.context_tokens = 8192});
  for (const Anchoring anchoring : {Anchoring::kKeep, Anchoring::kRenew}) {
    const std::string text = before + lines(300, 315);
    const Plan plan =
        plan_prompt({text, text.size(), "a.py", "python"}, {.context_tokens = 8192}, old.state, anchoring);
    EXPECT_NE(plan.state, old.state);
    EXPECT_TRUE(plan.state.head == old.state.head + lines(300, 315));
  }
}

TEST(PromptPlan, KeepsItsHeadWhenTextFarAboveChanges) {
  const std::string before = lines(0, 300);
  const Plan old = plan_prompt({before, before.size(), "a.py", "python"}, {});
  const std::string text = "# a new first line\n" + before + "y";
  const Plan plan = plan_prompt({text, text.size(), "a.py", "python"}, {}, old.state);
  EXPECT_EQ(plan.state, old.state);
}

TEST(PromptPlan, TakesANewHeadWhenTextInItChanged) {
  const std::string before = lines(0, 300);
  const Plan old = plan_prompt({before, before.size(), "a.py", "python"}, {});
  std::string text = before;
  text.replace(text.size() - 200, 5, "12345");
  const Plan plan = plan_prompt({text, text.size(), "a.py", "python"}, {}, old.state);
  EXPECT_NE(plan.state, old.state);
  EXPECT_TRUE(text.ends_with(before_cursor(plan)));
}

TEST(PromptPlan, MovesItsAnchorSeldomWhileLinesAreAdded) {
  std::string text = lines(0, 200);
  PlanState state;
  std::size_t anchors = 0;
  std::string anchor;
  for (int i = 0; i < 100; ++i) {
    text += lines(200 + i, 201 + i);
    const Plan plan = plan_prompt({text, text.size(), "a.py", "python"}, {}, state);
    const std::string first = before_cursor(plan).substr(0, 40);
    anchors += first != anchor;
    anchor = first;
    state = plan.state;
  }
  EXPECT_LE(anchors, 7u);
}

TEST(PromptPlan, LetsTypingOutgrowTheAimAndMovesTheAnchorInAPause) {
  const PlanLimits limits{.context_tokens = 8192};
  std::string text = lines(0, 400);
  const Plan first = plan_prompt({text, text.size(), "a.py", "python"}, limits);
  PlanState state = first.state;
  for (int i = 0; i < 70; ++i) {
    text += lines(400 + i, 401 + i);
    state = plan_prompt({text, text.size(), "a.py", "python"}, limits, state).state;
    EXPECT_TRUE(state.head.starts_with(first.state.head.substr(0, 1000))) << "line " << i;
  }
  const Plan renewed = plan_prompt({text, text.size(), "a.py", "python"}, limits, state, Anchoring::kRenew);
  EXPECT_FALSE(renewed.state.head.starts_with(first.state.head.substr(0, 1000)));
  EXPECT_LE(bytes(renewed, false), 3u * limits.prompt_tokens);
}

TEST(PromptPlan, TakesMoreTextWhereATokenHasMoreBytesButOnlyInAPause) {
  const std::string text = lines(0, 400);
  const CursorPlace place{text, text.size() / 2, "a.py", "python"};
  const Plan cautious = plan_prompt(place, {.context_tokens = 8192});
  const PlanLimits measured{.context_tokens = 8192, .bytes_per_token = 6.5};
  EXPECT_EQ(plan_prompt(place, measured, cautious.state).segments, cautious.segments);
  const Plan renewed = plan_prompt(place, measured, cautious.state, Anchoring::kRenew);
  EXPECT_GT(bytes(renewed, false), 3 * bytes(cautious, false) / 2);
  EXPECT_EQ(plan_prompt(place, {.context_tokens = 1024}, renewed.state).segments, renewed.segments);
  const PlanLimits nearly{.context_tokens = 8192, .bytes_per_token = 6.0};
  EXPECT_EQ(plan_prompt(place, nearly, renewed.state, Anchoring::kRenew).segments, renewed.segments);
}

TEST(PromptPlan, FitsAnyContextWhateverTheText) {
  const std::vector<std::string> texts{lines(0, 500), std::string(100'000, 'x'), std::string(5'000, '\n'),
                                       [] {
                                         std::string wide;
                                         for (int i = 0; i < 5'000; ++i) wide += "語";
                                         return wide;
                                       }()};
  for (const std::string& half : texts) {
    for (const int context : {0, 96, 128, 512, 1024, 2048, 8192}) {
      for (const int new_tokens : {16, 64}) {
        const std::string text = half + half;
        const Plan plan = plan_prompt({text, half.size(), std::string(500, 'p') + ".py", "python"},
                                      {.context_tokens = context, .new_tokens = new_tokens});
        const auto room = static_cast<std::size_t>(std::max((context == 0 ? 1024 : context) - new_tokens, 0));
        EXPECT_LE(bytes(plan, true), room) << context << ' ' << half.size();
        const auto most = context == 0 ? static_cast<std::size_t>(PlanLimits{}.prompt_tokens) : room;
        EXPECT_LE(bytes(plan, false), 3 * most) << context << ' ' << half.size();
        EXPECT_TRUE(half.ends_with(before_cursor(plan)));
        for (const Segment& segment : plan.segments) {
          EXPECT_TRUE(segment.text.empty() || (static_cast<unsigned char>(segment.text[0]) & 0xC0) != 0x80);
        }
      }
    }
  }
}

TEST(PromptPlan, StaysPutWhileAnEndlessLineGrows) {
  std::string text(20'000, 'x');
  PlanState state;
  std::size_t changes = 0;
  for (int i = 0; i < 500; ++i) {
    text += 'y';
    const Plan plan = plan_prompt({text, text.size(), "a.js", "javascript"}, {}, state);
    changes += plan.state != state;
    state = plan.state;
  }
  EXPECT_LE(changes, 6u);
}

}  // namespace
}  // namespace hearth::lsp
