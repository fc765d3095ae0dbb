#include "indexer/symbol_text.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace hearth::indexer {
namespace {

constexpr int kMaxCommentLines = 100;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f'; }

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// Not in the middle of a UTF-8 sequence.
void cut(std::string& text, std::size_t limit) {
  if (text.size() <= limit) return;
  while (limit > 0 && (text[limit] & 0xc0) == 0x80) --limit;
  text.resize(limit);
}

bool starts_line_comment(std::string_view line, std::string_view line_comments) {
  while (!line_comments.empty()) {
    const std::size_t blank = std::min(line_comments.find(' '), line_comments.size());
    if (line.starts_with(line_comments.substr(0, blank))) return true;
    line_comments.remove_prefix(std::min(blank + 1, line_comments.size()));
  }
  return false;
}

// Lines between a comment and what it is about.
bool is_decoration(std::string_view line) {
  return line.starts_with('@') || line.starts_with("#[") || line.starts_with("[") ||
         line.starts_with("template");
}

// Marks around the text of a comment's line.
std::string_view without_marks(std::string_view line) {
  line = trim(line);
  for (const std::string_view mark :
       {"/**", "/*!", "/*", "///", "//!", "//", "--[[", "---", "--", "\"\"\"", "'''"}) {
    if (line.starts_with(mark)) {
      line.remove_prefix(mark.size());
      break;
    }
  }
  for (const std::string_view mark : {"*/", "\"\"\"", "'''", "]]"}) {
    if (line.ends_with(mark)) {
      line.remove_suffix(mark.size());
      break;
    }
  }
  while (!line.empty() && (line.front() == '*' || line.front() == '#' || line.front() == ';' ||
                           line.front() == '"' || line.front() == '\'' || is_blank(line.front())))
    line.remove_prefix(1);
  while (!line.empty() && (line.back() == '"' || line.back() == '\'')) line.remove_suffix(1);
  return trim(line);
}

// XML documentation without its tags.
std::string without_tags(std::string_view line) {
  std::string text;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t close = line[at] == '<' ? line.find('>', at) : std::string_view::npos;
    if (close != std::string_view::npos && at + 1 < line.size() &&
        (line[at + 1] == '/' || std::isalpha(static_cast<unsigned char>(line[at + 1])) != 0)) {
      at = close + 1;
    } else {
      text += line[at++];
    }
  }
  return text;
}

bool says_something(std::string_view line) {
  return std::ranges::any_of(line, [](unsigned char c) { return std::isalnum(c) != 0 || c >= 0x80; });
}

}  // namespace

std::string one_line(std::string_view text, std::size_t limit) {
  std::string line;
  for (const char c : trim(text)) {
    if (line.size() > limit) break;
    if (!is_blank(c)) {
      line += c;
    } else if (line.back() != ' ') {
      line += ' ';
    }
  }
  cut(line, limit);
  return line;
}

std::string signature_line(std::string_view text) {
  text = trim(text);
  for (bool shorter = true; shorter;) {
    shorter = false;
    for (const std::string_view end : {"{", ":", "=>", "=", ";", ",", "\\"}) {
      if (!text.ends_with(end)) continue;
      text = trim(text.substr(0, text.size() - end.size()));
      shorter = true;
    }
  }
  return one_line(text, kMaxSignature);
}

std::string documentation_line(std::string_view comment) {
  while (!comment.empty()) {
    const std::size_t end = std::min(comment.find('\n'), comment.size());
    const std::string line = without_tags(without_marks(comment.substr(0, end)));
    const std::string_view said = trim(line);
    if (says_something(said) && !said.starts_with('@') && !said.starts_with('\\'))
      return one_line(said, kMaxDocumentation);
    comment.remove_prefix(std::min(end + 1, comment.size()));
  }
  return "";
}

std::string_view comment_above(std::string_view text, std::size_t start, std::string_view line_comments) {
  const std::size_t own_line = text.substr(0, start).rfind('\n') + 1;
  if (text.substr(own_line, start - own_line).find_first_of(";{}") != std::string_view::npos) return {};
  // [line_start, line_end) is the line under examination, going up.
  std::size_t line_end = text.substr(0, start).rfind('\n');
  std::size_t comment_start = 0, comment_end = 0;
  bool in_block = false;
  for (int lines = 0; line_end != std::string_view::npos && lines < kMaxCommentLines; ++lines) {
    const std::size_t before = line_end == 0 ? std::string_view::npos : text.rfind('\n', line_end - 1);
    const std::size_t line_start = before == std::string_view::npos ? 0 : before + 1;
    const std::string_view line = trim(text.substr(line_start, line_end - line_start));
    const bool block_end = line.ends_with("*/") || (line.ends_with("]]") && comment_end == 0);
    if (in_block || (comment_end == 0 && block_end)) {
      if (comment_end == 0) comment_end = line_end;
      comment_start = line_start;
      if (line.starts_with("/*") || line.starts_with("--[["))
        return text.substr(line_start, comment_end - line_start);
      in_block = true;
    } else if (starts_line_comment(line, line_comments) && !line.starts_with("#[") &&
               !line.starts_with("#!")) {
      if (comment_end == 0) comment_end = line_end;
      comment_start = line_start;
    } else if (comment_end != 0 || !is_decoration(line)) {
      break;
    }
    line_end = before;
  }
  if (in_block) return {};  // the block's end closed something else
  return text.substr(comment_start, comment_end - comment_start);
}

}  // namespace hearth::indexer
