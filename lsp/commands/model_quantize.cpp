#include <iostream>
#include <memory>
#include <thread>

#include "engine/model_merge.h"
#include "lsp/commands/interrupt.h"
#include "lsp/commands/model_commands.h"
#include "lsp/commands/progress_bar.h"

namespace hearth::commands {
namespace {

struct QuantizeArguments {
  std::string model;
  std::string output;
  std::string name;
  kernels::WeightType type = kernels::WeightType::kQ8_0;
  std::vector<std::string> metadata;
};

int quantize(const QuantizeArguments& arguments) {
  std::vector<std::pair<std::string, std::string>> metadata;
  for (const std::string& entry : arguments.metadata) {
    const std::size_t equals = entry.find('=');
    if (equals == std::string::npos)
      return report({engine::ErrorCode::kInvalid, "--set " + entry + ": no '=' in it"});
    metadata.emplace_back(entry.substr(0, equals), entry.substr(equals + 1));
  }
  const Interrupt interrupt;
  ProgressBar bar;
  kernels::ThreadPool threads(static_cast<int>(std::thread::hardware_concurrency()));
  engine::ModelOutput output;
  output.path = arguments.output;
  output.type = arguments.type;
  output.name = arguments.name;
  output.progress = [&bar](std::uint64_t done, std::uint64_t total) { bar.show("quantizing", done, total); };
  const auto written = engine::quantize_model(arguments.model, metadata, output, threads, interrupt.token());
  bar.clear();
  if (!written) return report(written.error());
  std::cout << arguments.output << '\n';
  return 0;
}

}  // namespace

void add_model_quantize(CLI::App& model, Context& context) {
  auto arguments = std::make_shared<QuantizeArguments>();
  CLI::App* command = model.add_subcommand("quantize", "Round a model's matrices to a smaller type");
  command->add_option("model", arguments->model, "The model, GGUF")->required();
  command->add_option("-o,--output", arguments->output, "The file to write")->required();
  command->add_option("--type", arguments->type, "Type of the matrices: q8_0, q5_0, q4_0 or f16")
      ->transform(CLI::CheckedTransformer(output_types(), CLI::ignore_case))
      ->default_str("q8_0");
  command->add_option("--name", arguments->name, "general.name of the new file (the model's by default)");
  command->add_option("--set", arguments->metadata, "Text metadata to add or replace: KEY=VALUE");
  command->callback([arguments, &context] { context.exit_code = quantize(*arguments); });
}

}  // namespace hearth::commands
