// A document's plan (prompt_plan.h) as it outlives a session: where cursor and window stood and how wide it
// was, but no text, so that the same prompt is laid out again and what was kept of it is found. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "lsp/prompt_plan.h"

namespace hearth::lsp {

struct KeptPlan {
  PlanState state;         // without the workspace's context, which the workspace says again
  std::string model;       // that it was made for
  std::size_t cursor = 0;  // byte offset into the document

  bool operator==(const KeptPlan&) const = default;
};

// `text`: the document now. Empty where the plan's head does not stand in it.
std::string write_plan(const KeptPlan& plan, std::string_view text);

// Nothing where it is malformed or for another model, or the document's head is another now.
std::optional<KeptPlan> read_plan(std::string_view kept, std::string_view model, std::string_view text);

}  // namespace hearth::lsp
