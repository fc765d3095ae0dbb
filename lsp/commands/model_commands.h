// The subcommands of `hearth model`, one file each, and what they share.
#pragma once

#include <map>
#include <string>

#include "engine/error.h"
#include "kernels/weight_type.h"
#include "lsp/commands/commands.h"

namespace hearth::commands {

void add_model_fetch(CLI::App& model, Context& context);
void add_model_merge(CLI::App& model, Context& context);
void add_model_quantize(CLI::App& model, Context& context);
void add_model_inspect(CLI::App& model, Context& context);
void add_model_calibrate(CLI::App& model, Context& context);
void add_model_verify(CLI::App& model, Context& context);

// The types a model can be written in, by the name on the command line.
const std::map<std::string, kernels::WeightType>& output_types();

// Says the error on standard error; the exit code to leave with.
int report(const engine::Error& error);

}  // namespace hearth::commands
