#include "lsp/prompt_context.h"

#include <gtest/gtest.h>

#include "lsp/prompt_plan.h"
#include "tests/support/indexed_workspace.h"

namespace hearth::lsp {
namespace {

std::vector<int> count_bytes(const std::vector<std::string>& texts) {
  std::vector<int> counts;
  for (const std::string& text : texts) counts.push_back(static_cast<int>(text.size()));
  return counts;
}

class PromptContextOf : public ::testing::Test {
 protected:
  PromptContextOf() {
    workspace_.write("requirements.txt", "requests==2.31.0\n");
    workspace_.write("cart.py",
                     "import requests\n\nclass Cart:\n    def add(self, item):\n        return item\n");
    workspace_.write("prices.py", "def price_of(item):\n    \"\"\"What it costs.\"\"\"\n    return 1\n");
    workspace_.index();
  }

  PromptContext at(const std::string& text, const PromptContext* previous = nullptr) {
    limits_.manifest_tokens = 80;
    indexer::WorkspaceView view = workspace_.view();
    auto context = make_context(view, outliner_, {.path = "main.py", .text = text, .cursor = text.size()},
                                limits_, count_bytes, previous);
    EXPECT_TRUE(context) << context.error().message;
    return std::move(*context);
  }

  testing::IndexedWorkspace workspace_;
  indexer::DocumentOutliner outliner_;
  ContextLimits limits_{.manifest_tokens = 80, .file_tokens = 400};
};

TEST_F(PromptContextOf, APlaceSaysWhatTheWorkspaceIsAndWhatItsFilesDefine) {
  const PromptContext context = at("from cart import Cart\nfrom prices import price_of\nprice_of(");
  EXPECT_EQ("shop\nlanguages: python\npypi: requests 2.31.0\n", context.manifests);
  ASSERT_EQ(2u, context.files.size());
  EXPECT_EQ("prices.py\ndef price_of(item):  # What it costs.\n", context.files[0].text);
  EXPECT_EQ("cart.py\nimport requests  # 2.31.0\nclass Cart:\n    def add(self, item):\n",
            context.files[1].text);
  const std::vector<engine::Segment> segments = context.segments();
  ASSERT_EQ(3u, segments.size());
  EXPECT_EQ(engine::SegmentKind::kManifests, segments[0].kind);
  EXPECT_EQ(engine::SegmentKind::kRelated, segments[1].kind);
  EXPECT_GT(segments[1].priority, segments[2].priority);
  EXPECT_FALSE(segments[0].required || segments[1].required || segments[2].required);
}

TEST_F(PromptContextOf, APlaceKeepsItsOrderWhileItIsStillTrue) {
  const PromptContext before = at("from cart import Cart\nCart(");
  ASSERT_EQ(1u, before.files.size());
  const std::string text = "from cart import Cart\nfrom prices import price_of\nprice_of(";
  PromptContext after = at(text, &before);
  ASSERT_EQ(2u, after.files.size());
  EXPECT_EQ("cart.py", after.files[0].path);
  EXPECT_EQ("prices.py", after.files[1].path);
  EXPECT_EQ(after, at(text, &after));
  EXPECT_EQ(after, at("from cart import Cart\nfrom prices import price_of\nCart(", &after));
  workspace_.write("cart.py", "class Cart:\n    def remove(self):\n        pass\n");
  workspace_.index();
  after = at(text, &after);
  ASSERT_EQ(2u, after.files.size());
  EXPECT_NE(std::string::npos, after.files[1].text.find("remove"));  // said anew, and so at the end
}

TEST_F(PromptContextOf, APlaceStaysWithinItsBudget) {
  for (int tokens = 0; tokens < 200; tokens += 7) {
    limits_.file_tokens = tokens;
    const PromptContext context = at("from cart import Cart\nfrom prices import price_of\nprice_of(");
    EXPECT_LE(context.tokens() - context.manifest_tokens, tokens) << tokens;
  }
}

TEST(ContextLimits, LeaveTheFileItselfHalfOfThePrompt) {
  EXPECT_EQ(0, context_limits(0, 1700, 8192).file_tokens);
  EXPECT_EQ(0, context_limits(0, 1700, 8192).manifest_tokens);
  EXPECT_EQ(340, context_limits(400, 1700, 8192).file_tokens);
  EXPECT_EQ(60, context_limits(400, 1700, 8192).manifest_tokens);
  EXPECT_EQ(75, context_limits(100, 1700, 8192).file_tokens);
  EXPECT_EQ(512 - 60, context_limits(4000, 1700, 1024).file_tokens);
}

TEST_F(PromptContextOf, APlaceShowsNoSecretsOfOtherFiles) {
  workspace_.write("settings.py", "API_KEY = 'q8Zr!42kLp0w'\n");
  workspace_.write(".env", "TOKEN_OF_ENV=1\n");
  workspace_.index();
  const PromptContext context = at("from settings import API_KEY\nTOKEN_OF_ENV\nAPI_KEY(");
  ASSERT_EQ(1u, context.files.size());
  EXPECT_EQ("settings.py\nAPI_KEY = 'xxxxxxxxxxxx'\n", context.files[0].text);
}

TEST_F(PromptContextOf, APlaceIsPartOfThePlanAndStaysThereWhileTyping) {
  const auto context = std::make_shared<const PromptContext>(at("from cart import Cart\nCart("));
  const std::string text = "from cart import Cart\nCart(";
  CursorPlace place{text, text.size(), "main.py", "python"};
  const PlanLimits limits{.context_tokens = 4096};
  const Plan plan = plan_prompt(place, limits, {}, Anchoring::kRenew, context);
  ASSERT_GE(plan.segments.size(), 3u);
  EXPECT_EQ(engine::SegmentKind::kManifests, plan.segments[0].kind);
  EXPECT_EQ(engine::SegmentKind::kRelated, plan.segments[1].kind);
  EXPECT_EQ(engine::SegmentKind::kPath, plan.segments[2].kind);
  const std::string typed = text + "x";
  place.text = typed;
  place.cursor = typed.size();
  const Plan next = plan_prompt(place, limits, plan.state);
  for (std::size_t i = 0; i + 1 < next.segments.size(); ++i)
    EXPECT_EQ(plan.segments[i], next.segments[i]) << i;
}

}  // namespace
}  // namespace hearth::lsp
