#include "lsp/commands/model_output.h"

#include <iostream>
#include <thread>

#include "lsp/commands/interrupt.h"
#include "lsp/commands/model_commands.h"
#include "lsp/commands/progress_bar.h"

namespace hearth::commands {

void add_output_options(CLI::App& command, OutputArguments& arguments, const std::string& named_after) {
  command.add_option("-o,--output", arguments.path, "The file to write")->required();
  command.add_option("--type", arguments.type, "Type of the matrices: q8_0, q5_0, q4_0 or f16")
      ->transform(CLI::CheckedTransformer(output_types(), CLI::ignore_case))
      ->default_str("q8_0");
  command.add_option("--name", arguments.name,
                     "general.name of the new file (" + named_after + " by default)");
}

int write_model(const OutputArguments& arguments, const std::string& doing, const WriteModel& write) {
  const Interrupt interrupt;
  ProgressBar bar;
  kernels::ThreadPool threads(static_cast<int>(std::thread::hardware_concurrency()));
  engine::ModelOutput output;
  output.path = arguments.path;
  output.type = arguments.type;
  output.name = arguments.name;
  output.progress = [&](std::uint64_t done, std::uint64_t total) { bar.show(doing, done, total); };
  const auto written = write(output, threads, interrupt.token());
  bar.clear();
  if (!written) return report(written.error());
  std::cout << arguments.path << '\n';
  return 0;
}

}  // namespace hearth::commands
