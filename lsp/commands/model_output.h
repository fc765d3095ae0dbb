// What `hearth model` commands that write a model share: the file, its type and name, and a bar while it is
// written.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <stop_token>
#include <string>

#include "engine/model_merge.h"
#include "kernels/thread_pool.h"

namespace hearth::commands {

struct OutputArguments {
  std::string path, name;
  kernels::WeightType type = kernels::WeightType::kQ8_0;
};

// `-o,--output`, `--type` and `--name`. `named_after`: whose name the file has by default.
void add_output_options(CLI::App& command, OutputArguments& arguments, const std::string& named_after);

using WriteModel =
    std::function<engine::Result<void>(const engine::ModelOutput&, kernels::ThreadPool&, std::stop_token)>;

// The exit code. `doing`: a word for the bar.
int write_model(const OutputArguments& arguments, const std::string& doing, const WriteModel& write);

}  // namespace hearth::commands
