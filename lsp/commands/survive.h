// A command that goes on when it crashes: its work is done by a child process, and when that dies of a fault
// in the program, another one takes over.
#pragma once

#include <functional>

namespace hearth::commands {

// The exit code of `work`, which runs in a child process: call it before any thread is started. `crashed` is
// told here each time before the next child begins; after several crashes it is over, with the code 1.
// SIGINT and SIGTERM reach the child, which ends with this process.
int survive(const std::function<int()>& work, const std::function<void()>& crashed);

}  // namespace hearth::commands
