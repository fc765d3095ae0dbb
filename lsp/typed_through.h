// An earlier answer, reused while the user types its text (DESIGN.md section 3.2). Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lsp/post_process.h"

namespace hearth::lsp {

struct Answer {
  std::string text;                   // the document it was given for
  std::size_t cursor = 0;             // byte offset
  std::vector<Insertion> insertions;  // best first

  bool operator==(const Answer&) const = default;
};

// What is left of those insertions that start with what was typed since, best first; empty when
// anything else changed, before or after, or nothing is left. Closers an editor put right of the
// cursor for an opener just typed, and closers typed over, count as typed. An unchanged
// document gives the answer itself.
std::vector<Insertion> typed_through(const Answer& answer, std::string_view text, std::size_t cursor);

}  // namespace hearth::lsp
