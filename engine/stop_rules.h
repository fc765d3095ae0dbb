// Watches a completion grow and says where it ends (StopRules in engine/job.h).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "engine/job.h"

namespace hearth::engine {

// Columns of the blanks that open `line`; a tab reaches to the next multiple of four.
int indentation_columns(std::string_view line);

class StopMonitor {
 public:
  explicit StopMonitor(StopRules rules);

  // Adds generated text. True once a rule has ended the completion; further text is ignored.
  bool add(std::string_view text);

  // No more text will come: what was held back counts now.
  void finish();

  // What may be shown: never anything that a rule could still take back, nor part of a code point.
  // Only ever grows.
  std::string_view safe() const { return std::string_view(text_).substr(0, safe_); }

 private:
  bool scan();
  bool end_at(std::size_t end);

  StopRules rules_;
  std::string text_;
  std::size_t scanned_ = 0;
  std::size_t safe_ = 0;
  bool ended_ = false;
  int lines_ = 1;
  std::size_t line_start_ = 0;
  bool line_is_blank_ = true;
  int closers_left_ = 0;
  int openers_ = 0;
  char quote_ = 0;
};

}  // namespace hearth::engine
