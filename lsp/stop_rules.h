// Where a suggestion should end, from where the cursor stands: the rest of the line, or a block. Pure.
#pragma once

#include "engine/job.h"
#include "lsp/prompt_plan.h"
#include "lsp/settings.h"

namespace hearth::lsp {

enum class Extent {
  kAuto,   // several lines only where the cursor's place calls for it
  kLine,   // the rest of the line
  kBlock,  // up to the scope's end
};

engine::StopRules request_stop_rules(const CursorPlace& place, const Settings& settings,
                                     Extent extent = Extent::kAuto);

}  // namespace hearth::lsp
