#include "engine/weighing.h"

#include <algorithm>
#include <cctype>

namespace hearth::engine {

namespace {

constexpr std::size_t kWindow = 300;  // bytes before the cursor that are read at least, if there are so many
constexpr std::size_t kWindowStep = 200;  // its begin moves by, so that what is read serves many keystrokes
constexpr std::size_t kHead = 56;         // bytes behind the cursor, at most
constexpr int kHeadLines = 2;             // and so many lines that are not blank
// Layers times width squared, about a tenth of a model's parameters: 1.5 and 10 million in the two measured.
constexpr std::int64_t kLeastReader = 5'000'000;

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

bool is_good_reader(const kernels::ModelShape& shape) {
  return static_cast<std::int64_t>(shape.n_layers) * shape.d_model * shape.d_model >= kLeastReader;
}

WeighingText weighing_text(const Job& job) {
  if (job.stop.max_lines != 1) return {};
  return {window_before(text_of(job, SegmentKind::kPrefix) + text_of(job, SegmentKind::kTyped)),
          head_of(text_of(job, SegmentKind::kSuffix))};
}

}  // namespace hearth::engine
