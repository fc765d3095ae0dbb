// The subcommands of `hearth`. Each adds itself to the command line; its callback runs the command and
// sets the process's exit code. One file a subcommand; they construct and wire.
#pragma once

#include <CLI/CLI.hpp>

#include "engine/model_catalog.h"

namespace hearth::commands {

// What every command may need of its surroundings, filled by main.
struct Context {
  engine::ModelFolders models;
  int exit_code = 0;
};

void add_bench(CLI::App& app, Context& context);
void add_complete(CLI::App& app, Context& context);
void add_doctor(CLI::App& app, Context& context);
void add_index(CLI::App& app, Context& context);
void add_lsp(CLI::App& app, Context& context);
void add_model(CLI::App& app, Context& context);
void add_stats(CLI::App& app, Context& context);
void add_search(CLI::App& app, Context& context);
void add_tokenize(CLI::App& app, Context& context);

}  // namespace hearth::commands
