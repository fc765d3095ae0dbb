// Scheduler::weigh: what follows the cursor as a judge of lines that could stand before it. The prompt shows
// it to the model, but a model has learnt to read on far better than to fill in: read behind a line, it says
// more. (InCoder, arXiv 2204.05999, ranks samples of a left-to-right model so.)
#include <algorithm>
#include <cctype>

#include "engine/scheduler.h"

namespace hearth::engine {

namespace {

constexpr std::size_t kWindow = 300;  // bytes before the cursor that are read at least, if there are so many
constexpr std::size_t kWindowStep = 200;  // its begin moves by, so that what is read serves many keystrokes
constexpr std::size_t kHead = 56;         // bytes behind the cursor, at most
constexpr int kHeadLines = 2;             // and so many lines that are not blank
constexpr double kBytesPerToken = 3;

std::string text_of(const Job& job, SegmentKind kind) {
  std::string text;
  for (const Segment& segment : job.segments) {
    if (segment.kind == kind) text += segment.text;
  }
  return text;
}

// From the beginning of a line, if one begins within a step.
std::string window_before(const std::string& text) {
  if (text.size() <= kWindow) return text;
  const std::size_t from = (text.size() - kWindow) / kWindowStep * kWindowStep;
  const std::size_t line = text.find('\n', from);
  std::size_t begin = line < from + kWindowStep ? line + 1 : from;
  while (begin < text.size() && (static_cast<unsigned char>(text[begin]) & 0xc0U) == 0x80U) ++begin;
  return text.substr(begin);
}

// The next lines, cut between words where they are long; nothing where no word follows.
std::string head_of(const std::string& text) {
  std::size_t end = 0;
  bool blank = true;
  for (int lines = 0; end < text.size() && end < kHead; ++end) {
    if (text[end] == '\n') {
      if (!blank && ++lines == kHeadLines) break;
      blank = true;
    } else if (text[end] != ' ' && text[end] != '\t') {
      blank = false;
    }
  }
  if (end == kHead) {
    const std::size_t gap = text.find_last_of(" \t\n", end);
    end = gap == std::string::npos ? 0 : gap;
  }
  std::string head = text.substr(0, end);
  const bool says_something = std::ranges::any_of(
      head, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c >= 0x80; });
  return says_something ? head : std::string();
}

}  // namespace

std::optional<std::vector<double>> Scheduler::weigh(const Job& job, std::span<const std::string> lines,
                                                    std::optional<double> budget_ms,
                                                    const std::function<bool()>& interrupted) {
  if (job.stop.max_lines != 1) return std::nullopt;
  const std::string head = head_of(text_of(job, SegmentKind::kSuffix));
  if (head.empty()) return std::nullopt;
  const std::string before = text_of(job, SegmentKind::kPrefix) + text_of(job, SegmentKind::kTyped);
  const Segment window{.kind = SegmentKind::kPrefix, .text = window_before(before)};
  const std::size_t taken = 0;
  const Prompt prompt = lay_out_prompt(model_.tokenizer(), FimOrder::kNone, {&window, 1}, {&taken, 1},
                                       job.switches.healing ? Healing::kOn : Healing::kOff);
  std::vector<std::string> texts;
  double tokens = static_cast<double>(prompt.tokens.size()) - tree_->match(prompt.tokens);
  for (const std::string& line : lines) {
    texts.push_back(line + head);
    tokens += static_cast<double>(prompt.healed.size() + texts.back().size()) / kBytesPerToken;
  }
  if (budget_ms && 1e3 * tokens > *budget_ms * std::max(speed_.prefill_tokens_per_s, kLeastSpeed))
    return std::nullopt;
  auto scores = score_texts(prompt, texts, interrupted);
  if (!scores || !*scores) return std::nullopt;
  return std::move(**scores);
}

}  // namespace hearth::engine
