// The prompt as a plan (DESIGN.md section 4): the document's text around the cursor as segments, cut and
// anchored so that typing changes only the tail. Pure functions; any thread.
#pragma once

#include <cstddef>
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

struct PlanLimits {
  int context_tokens = 0;  // the model's; 0: unknown, a small one is assumed
  int new_tokens = 64;     // that the answer may have
  int prefix_bytes = 4500;
  int suffix_bytes = 1500;
};

// What a plan leaves for the next one of the same document, so that it changes as little as can be.
struct PlanState {
  std::string head;               // the text of D, all parts together, as it was sent; empty at first
  std::vector<std::size_t> cuts;  // where its second, third ... part begins

  bool operator==(const PlanState&) const = default;
};

enum class Anchoring {
  kKeep,   // D stays where it was while it still precedes the cursor (a keystroke)
  kRenew,  // D ends at the current statement's start (idle time: a warm job, whose state is kept then)
};

struct Plan {
  // kPath, kSuffix, kPrefix (optional parts, the farthest first, then the required one), kTyped; line ends
  // are '\n'. The joined text of prefix and typed is the document's before the cursor, from an anchor
  // on. Required segments together fit the limits at one byte a token; all together at three.
  std::vector<engine::Segment> segments;
  PlanState state;
};

Plan plan_prompt(const CursorPlace& place, const PlanLimits& limits, const PlanState& previous = {},
                 Anchoring anchoring = Anchoring::kKeep);

// The hash that Segment::hash holds.
std::uint64_t segment_hash(engine::SegmentKind kind, std::string_view text);

}  // namespace hearth::lsp
