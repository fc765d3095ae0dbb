// Runs another program to its end and keeps what it says, with a watch against stalls. Blocks; any
// thread may call it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/error.h"

namespace hearth::engine {

struct ChildCommand {
  std::vector<std::string> arguments;    // the program, looked up in PATH, first
  std::vector<std::string> environment;  // "NAME=value", beside this process's own
  // How long the program may say nothing while `activity` does not change, before it is killed.
  std::chrono::milliseconds stall{60'000};
  std::function<std::uint64_t()> activity;  // a growing number, such as bytes on disk; may be empty
};

struct ChildOutcome {
  enum class End : std::uint8_t { kExited, kStalled, kStopped } end = End::kExited;
  int exit_code = 0;   // 128 + the signal's number where one ended it
  std::string output;  // standard output and error, interleaved
};

// The program has a process group of its own, which is killed as a whole. kNotFound when there is no
// such program. Its standard input is empty.
Result<ChildOutcome> run_child(const ChildCommand& command, std::stop_token stop);

}  // namespace hearth::engine
