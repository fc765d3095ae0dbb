// Segments to the one token sequence a model was trained to see (DESIGN.md section 4): suffix-first,
// prefix-first with what has been typed after the middle marker, or plain text. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/job.h"
#include "engine/model_shape.h"
#include "engine/tokenizer.h"

namespace hearth::engine {

struct Prompt {
  std::vector<TokenId> tokens;         // never empty
  std::string healed;                  // cut from the end: the completion must begin with it
  std::vector<TokenId> before, after;  // the file's text to the cursor, less what is healed, and behind it
};

enum class Healing : std::uint8_t { kOff, kOn };

// `taken`: indices into `segments`, ascending.
Prompt lay_out_prompt(const Tokenizer& tokenizer, FimOrder order, std::span<const Segment> segments,
                      std::span<const std::size_t> taken, Healing healing);

// The choices an engine has, the fullest first: all segments, then without the optional ones one by one,
// lowest priority first, down to the required ones alone.
std::vector<std::vector<std::size_t>> segment_choices(std::span<const Segment> segments);

}  // namespace hearth::engine
