// What follows the cursor as a judge of lines that could stand before it. The prompt shows it to the model,
// but a model has learnt to read on far better than to fill in: read behind a line, it says more. (InCoder,
// arXiv 2204.05999, ranks samples of a left-to-right model so.) Here the text that is read; Scheduler::weigh
// reads it. Pure.
#pragma once

#include <string>

#include "engine/job.h"
#include "kernels/device.h"

namespace hearth::engine {

struct WeighingText {
  std::string window;  // the last lines before the cursor; it begins at the same place for many keystrokes
  std::string head;    // the next words behind it; empty: nothing to judge by
};

WeighingText weighing_text(const Job& job);

// A small model reads too badly to judge. Measured: with 20 million parameters the lines it picks so are
// worse than the likeliest (0.238 right against 0.252), with 135 million better (0.375 against 0.359).
bool is_good_reader(const kernels::ModelShape& shape);

}  // namespace hearth::engine
