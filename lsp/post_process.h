// From the model's raw text to what is inserted (DESIGN.md section 3.5). Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "engine/job.h"
#include "lsp/prompt_plan.h"

namespace hearth::lsp {

class SyntaxFaults;

struct Insertion {
  std::string text;  // never empty; the document's line ends and indentation; no trailing blanks
  // Bytes right of the cursor, on its line, that the text replaces because it holds them too, with
  // more between or behind: `f(|)` and "a, b):" is text "a, b):" over the ')'. They are a subsequence
  // of the text. Mostly 0.
  std::size_t replaces_after = 0;

  bool operator==(const Insertion&) const = default;
};

enum class RawEnd {
  kStopped,   // by a stop rule or the model
  kCutShort,  // by the token limit or a deadline: the last word or line may be half
};

enum class RestOfLine {
  kMayBeReplaced,  // closers right of the cursor (see Insertion::replaces_after)
  kStays,          // insertions only
};

struct PostProcessing {
  engine::StopRules stop;  // the rules the text was made under
  RawEnd end = RawEnd::kStopped;
  RestOfLine rest = RestOfLine::kMayBeReplaced;
};

// Nothing when nothing worth showing is left. Where `syntax` is nullptr or cannot tell, brackets
// are balanced by a rough scan.
std::optional<Insertion> post_process(const CursorPlace& place, std::string_view raw,
                                      const PostProcessing& how, SyntaxFaults* syntax);

}  // namespace hearth::lsp
