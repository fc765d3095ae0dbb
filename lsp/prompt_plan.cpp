#include "lsp/prompt_plan.h"

#define XXH_INLINE_ALL
#include <algorithm>
#include <cmath>
#include <optional>
#include <xxhash.h>

#include "lsp/prompt_context.h"
#include "lsp/secret_mask.h"
#include "lsp/text_shape.h"

namespace hearth::lsp {
namespace {

constexpr int kAssumedContext = 1024;  // of a model that has not said: what is required fits it
constexpr int kMarkerTokens = 16;      // markers, newlines between segments, BOS
constexpr std::size_t kLongestPath = 256;
constexpr std::size_t kNearBytes = 1200;
constexpr std::size_t kTypedBytes = 400;
constexpr std::size_t kLongLineStep = 256;  // where a line too long is cut: stays while it grows
constexpr std::size_t kFarBytes = 600;      // an optional part of D has at least so many
constexpr int kMostFarParts = 4;
constexpr double kRatioTolerance = 0.15;            // of bytes a token, before a window is measured anew
constexpr int kSuffixPriority = kMostFarParts + 1;  // the parts of D have lower ones, the farthest the lowest

struct Budget {
  std::size_t path = 0;
  std::size_t typed = 0;         // T; past it the head is renewed
  std::size_t near = 0;          // the required part of D
  std::size_t prefix = 0;        // D of a new anchor
  std::size_t prefix_limit = 0;  // D and T while the anchor stays
  std::size_t suffix = 0;
};

std::size_t to_size(int value) { return static_cast<std::size_t>(std::max(value, 0)); }

Budget budget_of(const PlanLimits& limits, const std::string& path) {
  const int context = limits.context_tokens > 0 ? limits.context_tokens : kAssumedContext;
  const std::size_t tokens = to_size(context - limits.new_tokens - kMarkerTokens);
  const std::size_t wanted = to_size(limits.prompt_tokens);
  const std::size_t room = limits.context_tokens > 0 ? tokens : wanted + wanted / 2;
  const std::size_t aim = std::min(wanted, room);
  const auto bytes = [&](std::size_t n) {
    return static_cast<std::size_t>(static_cast<double>(n) * limits.bytes_per_token);
  };
  Budget budget;
  budget.path = std::min(kLongestPath, tokens / 8);
  budget.typed = std::min(kTypedBytes, tokens / 4);
  budget.near = std::min(kNearBytes, tokens / 2);
  budget.suffix = bytes(aim) / 4;
  const std::size_t others = budget.suffix + std::min(budget.path, path.size());
  const auto less_others = [&](std::size_t all) { return all - std::min(all, others); };
  budget.prefix_limit = less_others(bytes(std::min(aim + aim / 2, room)));
  budget.prefix = std::min(less_others(bytes(aim)), budget.prefix_limit - budget.prefix_limit / 16);
  return budget;
}

// What is left for the file itself.
PlanLimits without(PlanLimits limits, int tokens) {
  limits.prompt_tokens = std::max(limits.prompt_tokens - tokens, 0);
  if (limits.context_tokens > 0) limits.context_tokens = std::max(limits.context_tokens - tokens, 1);
  return limits;
}

engine::Segment make_segment(engine::SegmentKind kind, std::string text) {
  engine::Segment segment;
  segment.kind = kind;
  segment.hash = segment_hash(kind, text);
  segment.text = std::move(text);
  return segment;
}

engine::Segment make_optional(engine::SegmentKind kind, std::string text, int priority) {
  engine::Segment segment = make_segment(kind, std::move(text));
  segment.required = false;
  segment.priority = priority;
  return segment;
}

class LineStarts {
 public:
  explicit LineStarts(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
      starts_.push_back(at);
      const std::size_t end = text.find('\n', at);
      at = end == std::string_view::npos ? text.size() : end + 1;
    }
  }

  // The first start of a line whose number is a multiple of `step` with at most `budget` bytes from there
  // to `end`; `end` when there is none.
  std::size_t first_within(std::size_t end, std::size_t budget, std::size_t step) const {
    for (std::size_t line = 0; line < starts_.size(); line += step) {
      if (end - starts_[line] <= budget) return starts_[line];
    }
    return end;
  }

 private:
  std::vector<std::size_t> starts_;
};

// Steps as large as leave at least seven eighths of the budget used: an anchor that moves seldom.
std::size_t anchor_of(const LineStarts& lines, std::size_t end, std::size_t budget) {
  if (end <= budget) return 0;
  std::size_t best = end;
  for (const std::size_t step : {32, 16, 8, 4, 1}) {
    best = lines.first_within(end, budget, step);
    if (end - best >= budget - budget / 8) break;
  }
  return best;
}

struct Head {
  std::vector<std::size_t> parts;  // offsets where the parts of D begin, at least one; the last is required
  std::size_t end = 0;             // where D ends and T begins
};

// Where T begins on the cursor's line: at its start unless it is too long.
std::size_t statement_start(std::string_view before, std::size_t typed_limit) {
  const std::size_t start = line_start(before, before.size());
  const std::size_t length = before.size() - start;
  if (length <= typed_limit) return start;
  const std::size_t keep = std::max<std::size_t>(typed_limit / 2, 1);
  const std::size_t step = std::min(kLongLineStep, keep);
  return floor_to_character(before, start + (length - keep) / step * step);
}

// The required part of D.
std::size_t near_start(std::string_view before, const LineStarts& lines, std::size_t end,
                       const Budget& budget) {
  const std::size_t start = anchor_of(lines, end, budget.near);
  if (start < end || end == 0) return start;
  // Not even one line fits: a part of it.
  const std::size_t step = std::max<std::size_t>(std::min(kLongLineStep, budget.near / 2), 1);
  const std::size_t over = end - std::min(end, budget.near);
  const std::size_t in_line = std::min(floor_to_character(before, (over + step - 1) / step * step), end);
  return end - in_line <= budget.near ? in_line : end;
}

// D up to the current statement, from `anchor` where there is one.
Head new_head(std::string_view before, const Budget& budget, std::optional<std::size_t> anchor) {
  Head head;
  head.end = statement_start(before, budget.typed);
  const std::string_view text = before.substr(0, head.end);
  const LineStarts lines{text.substr(0, line_start(text, text.size()))};
  const std::size_t near = near_start(before, lines, head.end, budget);
  const std::size_t far = std::min(anchor ? *anchor : anchor_of(lines, head.end, budget.prefix), near);
  head.parts = {near};
  const std::size_t part_bytes = std::max(budget.near, kFarBytes);
  for (std::size_t part = 1; part < kMostFarParts && head.parts.front() > far; ++part) {
    const std::size_t start = std::max(anchor_of(lines, head.end, budget.near + part * part_bytes), far);
    if (start < head.parts.front()) head.parts.insert(head.parts.begin(), start);
  }
  if (head.parts.front() > far) head.parts.insert(head.parts.begin(), far);
  return head;
}

// Where the previous head stands now, at most `window` bytes before the cursor.
std::optional<std::size_t> find_head(std::string_view before, const std::string& head, std::size_t window) {
  if (head.empty()) return std::nullopt;
  const std::size_t earliest = before.size() - std::min(before.size(), window);
  const std::size_t found = before.substr(earliest).rfind(head);
  if (found == std::string_view::npos) return std::nullopt;
  return earliest + found;
}

Head choose_head(std::string_view before, const PlanState& previous, const Budget& budget,
                 Anchoring anchoring) {
  const bool keep = anchoring == Anchoring::kKeep;
  // In idle time the anchor moves before typing makes it move.
  const std::size_t window = keep ? budget.prefix_limit : (budget.prefix + budget.prefix_limit) / 2;
  const auto found = find_head(before, previous.head, window);
  const bool small = found && *found > 0 && before.size() - *found < budget.prefix / 2;
  if (!found || (small && !keep)) return new_head(before, budget, std::nullopt);
  const std::size_t end = *found + previous.head.size();
  const std::size_t near_bytes = previous.head.size() - (previous.cuts.empty() ? 0 : previous.cuts.back());
  if (!keep || before.size() - end > budget.typed || near_bytes > budget.near) {
    return new_head(before, budget, found);
  }
  Head head{.parts = {*found}, .end = end};
  for (const std::size_t cut : previous.cuts) head.parts.push_back(*found + cut);
  return head;
}

// The limits of a plan that follows another one: the same ones while its head stays where it is.
PlanLimits follow(std::string_view before, const std::string& path, const PlanState& previous,
                  PlanLimits wanted, Anchoring anchoring) {
  if (previous.head.empty()) return wanted;
  if (anchoring == Anchoring::kKeep &&
      find_head(before, previous.head, budget_of(previous.limits, path).prefix_limit)) {
    return previous.limits;
  }
  const double ratio = previous.limits.bytes_per_token;
  if (std::abs(ratio - wanted.bytes_per_token) <= kRatioTolerance * wanted.bytes_per_token) {
    wanted.bytes_per_token = ratio;
  }
  return wanted;
}

std::string suffix_of(std::string_view text, std::size_t cursor, std::size_t budget) {
  const std::size_t end = line_end(text, cursor);
  const std::string_view rest = text.substr(cursor, end - cursor);
  std::string suffix;
  if (!is_closers_only(rest))
    suffix = rest.substr(0, floor_to_character(rest, std::min(rest.size(), budget)));
  // Twice the budget of raw text holds it whatever the line ends.
  const std::string below = with_lf(text.substr(end, 2 * budget + 2));
  if (below.empty()) return suffix + "\n";
  if (below.size() <= budget) return suffix + below;
  const std::size_t last = below.rfind('\n', budget == 0 ? 0 : budget - 1);
  const bool has_line = last != std::string::npos && last > 0;
  return suffix +
         below.substr(0, has_line ? last + 1 : floor_to_character(below, std::max<std::size_t>(budget, 1)));
}

}  // namespace

std::uint64_t segment_hash(engine::SegmentKind kind, std::string_view text) {
  return XXH3_64bits_withSeed(text.data(), text.size(), static_cast<XXH64_hash_t>(kind));
}

std::vector<std::uint64_t> segment_hashes(const std::vector<engine::Segment>& segments) {
  std::vector<std::uint64_t> hashes;
  for (const engine::Segment& segment : segments) hashes.push_back(segment.hash);
  return hashes;
}

Plan plan_prompt(const CursorPlace& place, const PlanLimits& wanted, const PlanState& previous,
                 Anchoring anchoring, std::shared_ptr<const PromptContext> context) {
  if (!context) context = previous.context;
  const std::string before = with_lf(place.text.substr(0, place.cursor));
  const PlanLimits left = without(wanted, context ? context->tokens() : 0);
  const PlanLimits limits = follow(before, place.path, previous, left, anchoring);
  const Budget budget = budget_of(limits, place.path);
  const Head head = choose_head(before, previous, budget, anchoring);

  Plan plan;
  if (context) plan.segments = context->segments();
  std::string path = place.path;
  if (path.size() > budget.path) path = path.substr(floor_to_character(path, path.size() - budget.path));
  plan.segments.push_back(make_segment(engine::SegmentKind::kPath, std::move(path)));
  plan.segments.push_back(make_optional(
      engine::SegmentKind::kSuffix, with_secrets_masked(suffix_of(place.text, place.cursor, budget.suffix)),
      kSuffixPriority));
  // Masked before it is cut: a part may hold the middle of a secret only.
  const std::size_t from = head.parts.front();
  const std::string masked = with_secrets_masked(std::string_view(before).substr(from));
  for (std::size_t i = 0; i < head.parts.size(); ++i) {
    const bool last = i + 1 == head.parts.size();
    const std::size_t end = last ? head.end : head.parts[i + 1];
    std::string text = masked.substr(head.parts[i] - from, end - head.parts[i]);
    if (text.empty()) continue;
    if (last) {
      plan.segments.push_back(make_segment(engine::SegmentKind::kPrefix, std::move(text)));
    } else {
      const int nearness = kMostFarParts - static_cast<int>(head.parts.size() - 2 - i);
      plan.segments.push_back(make_optional(engine::SegmentKind::kPrefix, std::move(text), nearness));
    }
  }
  if (before.size() > head.end) {
    plan.segments.push_back(make_segment(engine::SegmentKind::kTyped, masked.substr(head.end - from)));
  }
  plan.state.context = std::move(context);
  plan.state.limits = limits;
  plan.state.head = before.substr(head.parts.front(), head.end - head.parts.front());
  for (std::size_t i = 1; i < head.parts.size(); ++i) {
    plan.state.cuts.push_back(head.parts[i] - head.parts.front());
  }
  return plan;
}

}  // namespace hearth::lsp
