#include "lsp/stop_rules.h"

#include <algorithm>

#include "lsp/cursor_scope.h"
#include "lsp/text_shape.h"

namespace hearth::lsp {
namespace {

constexpr int kTabColumns = 4;

bool wants_block(const CursorText& text, const std::optional<BlockStart>& block, const Settings& settings,
                 Extent extent) {
  if (!is_closers_only(text.rest) || extent == Extent::kLine) return false;
  if (extent == Extent::kBlock) return true;
  switch (settings.completion_multi_line) {
    case MultiLine::kNever: return false;
    case MultiLine::kAlways: return true;
    case MultiLine::kAuto: break;
  }
  return block && block->empty;
}

}  // namespace

engine::StopRules request_stop_rules(const CursorPlace& place, const Settings& settings, Extent extent) {
  const CursorText text{place};
  const auto block = block_start(text, place.language);
  engine::StopRules stop;
  stop.max_tokens = settings.completion_max_tokens;
  stop.skip_blank_lines = is_blank(text.line_before);
  stop.bracket_depth = closable_brackets(text, place.language);
  if (!wants_block(text, block, settings, extent)) return stop;
  stop.max_lines = settings.completion_max_lines;
  const int here = columns(indentation(text.line_before), kTabColumns);
  if (block) {
    stop.block_indentation = std::max(block->columns + 1, is_blank(text.line_before) ? here : 0);
  } else if (here > 0) {
    stop.block_indentation = here;
  }
  return stop;
}

}  // namespace hearth::lsp
