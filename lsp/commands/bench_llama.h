// llama-bench as a rival in the same run: one test of one model file. Any thread; calls block.
#pragma once

#include <string>

namespace hearth::commands {

// What is measured, under llama-bench's own names: a prompt of some tokens, or some tokens generated one
// after another, after `depth` tokens of context.
struct SpeedTest {
  int prompt = 0;    // tokens; or
  int generate = 0;  // tokens
  int depth = 0;

  std::string name() const;  // "pp512", "tg32 @ d2048"
};

struct LlamaBench {
  std::string program;
  std::string model;
  int threads = 1;

  // Tokens a second of one repetition after llama-bench's own warm-up. Throws std::runtime_error, which
  // quotes what the program said.
  double tokens_per_s(const SpeedTest& test, bool flash_attention) const;
};

}  // namespace hearth::commands
