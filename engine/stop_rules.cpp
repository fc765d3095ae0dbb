#include "engine/stop_rules.h"

#include <algorithm>
#include <utility>

namespace hearth::engine {

namespace {

constexpr int kTabColumns = 4;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// The length of `text` without a code point that is not whole yet.
std::size_t whole_code_points(std::string_view text) {
  for (std::size_t back = 1; back <= std::min<std::size_t>(4, text.size()); ++back) {
    const auto byte = static_cast<unsigned char>(text[text.size() - back]);
    if ((byte & 0xC0) == 0x80) continue;
    const std::size_t length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
    return length > back ? text.size() - back : text.size();
  }
  return text.size();
}

}  // namespace

int indentation_columns(std::string_view line) {
  int columns = 0;
  for (const char c : line) {
    if (c == ' ') {
      ++columns;
    } else if (c == '\t') {
      columns = (columns / kTabColumns + 1) * kTabColumns;
    } else {
      break;
    }
  }
  return columns;
}

StopMonitor::StopMonitor(StopRules rules) : rules_(std::move(rules)) {
  closers_left_ = rules_.bracket_depth.value_or(0);
}

bool StopMonitor::add(std::string_view text) {
  if (ended_) return true;
  text_ += text;
  return scan();
}

bool StopMonitor::scan() {
  for (; scanned_ < text_.size(); ++scanned_) {
    const char c = text_[scanned_];
    if (c == '\n') {
      const bool nothing_yet = lines_ == 1 && line_is_blank_;
      if (rules_.skip_blank_lines && nothing_yet) continue;
      if (rules_.max_lines > 0 && lines_ == rules_.max_lines) return end_at(scanned_);
      ++lines_;
      line_start_ = scanned_ + 1;
      line_is_blank_ = true;
      quote_ = 0;
      continue;
    }
    if (line_is_blank_ && !is_blank(c)) {
      line_is_blank_ = false;
      if (rules_.block_indentation && lines_ > 1 &&
          indentation_columns(std::string_view(text_).substr(line_start_)) < *rules_.block_indentation) {
        return end_at(line_start_ - 1);
      }
    }
    if (!rules_.bracket_depth) continue;
    if (quote_ != 0) {
      if (c == quote_ && text_[scanned_ - 1] != '\\') quote_ = 0;
    } else if (c == '"' || c == '\'') {
      quote_ = c;
    } else if (c == '(' || c == '[' || c == '{') {
      ++openers_;
    } else if (c == ')' || c == ']' || c == '}') {
      if (openers_ > 0) {
        --openers_;
      } else if (closers_left_-- == 0) {
        return end_at(scanned_);
      }
    }
  }
  for (const auto& stop : rules_.strings) {
    if (stop.empty()) continue;
    const auto found = text_.find(stop, safe_);
    if (found != std::string::npos) return end_at(found);
  }
  std::size_t safe = whole_code_points(text_);
  const auto blank_tail = text_.find_last_not_of(" \t\r\n");
  const std::size_t solid = blank_tail == std::string::npos ? 0 : blank_tail + 1;
  const auto held_line_end = text_.find('\n', solid);
  if (held_line_end != std::string::npos) safe = std::min(safe, held_line_end);
  for (const auto& stop : rules_.strings) {
    for (std::size_t n = std::min(stop.size() - 1, text_.size() - safe_); n > 0 && n < stop.size(); --n) {
      if (std::string_view(text_).ends_with(std::string_view(stop).substr(0, n))) {
        safe = std::min(safe, text_.size() - n);
        break;
      }
    }
  }
  safe_ = std::max(safe_, safe);
  return false;
}

bool StopMonitor::end_at(std::size_t end) {
  for (const auto& stop : rules_.strings) {
    if (stop.empty()) continue;
    const auto found = text_.find(stop, safe_);
    if (found != std::string::npos) end = std::min(end, found);
  }
  ended_ = true;
  text_.resize(end);
  while (text_.size() > safe_ && text_.ends_with('\n')) text_.pop_back();
  safe_ = text_.size();
  return true;
}

void StopMonitor::finish() {
  if (ended_) return;
  ended_ = true;
  text_.resize(std::max(safe_, whole_code_points(text_)));
  const auto last = text_.find_last_not_of(" \t\r\n");
  const auto line_end = text_.find('\n', last == std::string::npos ? 0 : last + 1);
  if (line_end != std::string::npos) text_.resize(std::max(safe_, line_end));
  safe_ = text_.size();
}

}  // namespace hearth::engine
