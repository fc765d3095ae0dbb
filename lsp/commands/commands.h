// The subcommands of `hearth`. Each adds itself to the command line; its callback runs the command and
// sets the process's exit code. One file a subcommand; they construct and wire.
#pragma once

#include <CLI/CLI.hpp>

namespace hearth::commands {

// What every command may need of its surroundings, filled by main.
struct Context {
  int exit_code = 0;
};

}  // namespace hearth::commands
