#include "engine/prompt_layout.h"

#include <gtest/gtest.h>

#include "tests/support/random_model.h"

namespace hearth::engine {
namespace {

using Choices = std::vector<std::vector<std::size_t>>;

// The prompt as text, markers by name.
std::string layout(FimOrder order, const std::vector<Segment>& segments, std::string* healed = nullptr) {
  static const std::string bytes = testing::random_model({.n_layers = 1});
  static const auto file = GgufFile::parse(std::as_bytes(std::span(bytes)), "random.gguf");
  static const auto tokenizer = std::move(*Tokenizer::from_gguf(*file));
  const auto choices = segment_choices(segments);
  const Prompt prompt = lay_out_prompt(*tokenizer, order, segments, choices.front(), Healing::kOn);
  if (healed != nullptr) *healed = prompt.healed;
  const char* markers[] = {"", "", "<pre>", "<suf>", "<mid>", "", "<sep>", "<repo>"};
  std::string text;
  for (const TokenId token : prompt.tokens) {
    text += tokenizer->is_control(token) ? std::string(markers[token]) : std::string(tokenizer->bytes(token));
  }
  return text;
}

const std::vector<Segment> kSegments = {
    {.kind = SegmentKind::kManifests, .text = "repo\n"},
    {.kind = SegmentKind::kRelated, .text = "lib.py\ndef f(): ...\n"},
    {.kind = SegmentKind::kPath, .text = "main.py"},
    {.kind = SegmentKind::kSuffix, .text = "\nprint(x)\n"},
    {.kind = SegmentKind::kPrefix, .text = "import lib\n"},
    {.kind = SegmentKind::kTyped, .text = "x = lib.f"},
};

TEST(PromptLayout, PutsTheSuffixFirst) {
  std::string healed;
  EXPECT_EQ(
      layout(FimOrder::kSuffixFirst, kSegments, &healed),
      "<repo>repo\n<sep>lib.py\ndef f(): ...\n<sep>main.py\n<pre><suf>\nprint(x)\n<mid>import lib\nx = lib.");
  EXPECT_EQ(healed, "f");
}

TEST(PromptLayout, PutsThePrefixFirstAndWhatWasTypedAfterTheMiddle) {
  EXPECT_EQ(
      layout(FimOrder::kPrefixFirst, kSegments),
      "<repo>repo\n<sep>lib.py\ndef f(): ...\n<sep>main.py\n<pre>import lib\n<suf>\nprint(x)\n<mid>x = lib.");
}

TEST(PromptLayout, IsPlainTextForAModelWithoutMarkers) {
  EXPECT_EQ(layout(FimOrder::kNone, kSegments), "import lib\nx = lib.");
}

TEST(PromptLayout, IsNeverEmpty) {
  std::string healed;
  EXPECT_EQ(layout(FimOrder::kSuffixFirst, {}), "<pre><suf><mid>");
  layout(FimOrder::kNone, {{.kind = SegmentKind::kPrefix, .text = "re"}}, &healed);
  EXPECT_EQ(healed, "re");
}

TEST(PromptLayout, DropsOptionalSegmentsFromTheWeakestOn) {
  std::vector<Segment> segments(4);
  segments[1] = {.priority = 5, .required = false};
  segments[2] = {.priority = 1, .required = false};
  EXPECT_EQ(segment_choices(segments), (Choices{{0, 1, 2, 3}, {0, 1, 3}, {0, 3}}));
  EXPECT_EQ(segment_choices({}), (Choices{{}}));
}

}  // namespace
}  // namespace hearth::engine
