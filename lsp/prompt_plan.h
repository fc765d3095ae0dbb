// The prompt as a plan (DESIGN.md section 4): the document's text around the cursor as segments, cut and
// anchored so that typing changes only the tail. Pure functions; any thread.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/job.h"
#include "lsp/settings.h"

namespace hearth::lsp {

struct CursorPlace {
  std::string_view text;   // the whole document, UTF-8, with its own line ends
  std::size_t cursor = 0;  // byte offset into it
  std::string path;        // as the model should see it: relative to the workspace, '/' between
  std::string language;    // LSP identifier
};

// Code has more, as a rule; where it has fewer, optional segments are left out.
inline constexpr double kCautiousBytesPerToken = 3;

struct PlanLimits {
  int context_tokens = 0;    // the model's; 0: unknown, what is required fits a small one
  int new_tokens = 64;       // that the answer may have
  int prompt_tokens = 1700;  // to aim at; typing may take a plan past them, up to the model's context
  double bytes_per_token = kCautiousBytesPerToken;  // of this document, as the model's tokenizer cuts it

  bool operator==(const PlanLimits&) const = default;
};

struct PromptContext;

// What a plan leaves for the next one of the same document, so that it changes as little as can be.
struct PlanState {
  std::shared_ptr<const PromptContext> context;  // of the workspace, as it was sent; none: nothing
  std::string head;               // the text of D, all parts together, as it was sent; empty at first
  std::vector<std::size_t> cuts;  // where its second, third ... part begins
  PlanLimits limits;              // that its window was made for: others would move C, too

  bool operator==(const PlanState&) const = default;
};

enum class Anchoring {
  kKeep,   // D stays where it was while it still precedes the cursor, the window has its old limits (a
           // keystroke)
  kRenew,  // D ends at the current statement's start, from another anchor where the window has too much or
           // has room for much more (idle time: a warm job, whose state is kept then)
};

struct Plan {
  // What the workspace says (prompt_context.h), then kPath, kSuffix, kPrefix (optional parts, the farthest
  // first, then the required one), kTyped; line ends are '\n'. The joined text of prefix and typed is the
  // document's before the cursor, from an anchor on. Required segments together fit the context at one byte a
  // token; all together as measured.
  std::vector<engine::Segment> segments;
  PlanState state;
};

// `limits` are for everything; `context` has its part of them. Secrets in the text are masked.
Plan plan_prompt(const CursorPlace& place, const PlanLimits& limits, const PlanState& previous = {},
                 Anchoring anchoring = Anchoring::kKeep,
                 std::shared_ptr<const PromptContext> context = nullptr);

// The hash that Segment::hash holds.
std::uint64_t segment_hash(engine::SegmentKind kind, std::string_view text);

std::vector<std::uint64_t> segment_hashes(const std::vector<engine::Segment>& segments);

}  // namespace hearth::lsp
