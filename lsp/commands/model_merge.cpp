#include "engine/model_merge.h"

#include <iostream>
#include <memory>
#include <thread>

#include "lsp/commands/interrupt.h"
#include "lsp/commands/model_commands.h"
#include "lsp/commands/progress_bar.h"

namespace hearth::commands {
namespace {

struct MergeArguments {
  std::string base, adapter;
  std::string output;
  std::string name;
  kernels::WeightType type = kernels::WeightType::kQ8_0;
};

int merge(const MergeArguments& arguments) {
  const Interrupt interrupt;
  ProgressBar bar;
  kernels::ThreadPool threads(static_cast<int>(std::thread::hardware_concurrency()));
  engine::ModelOutput output;
  output.path = arguments.output;
  output.type = arguments.type;
  output.name = arguments.name;
  output.progress = [&bar](std::uint64_t done, std::uint64_t total) { bar.show("merging", done, total); };
  const auto merged =
      engine::merge_model(arguments.base, arguments.adapter, output, threads, interrupt.token());
  bar.clear();
  if (!merged) return report(merged.error());
  std::cout << arguments.output << '\n';
  return 0;
}

}  // namespace

void add_model_merge(CLI::App& model, Context& context) {
  auto arguments = std::make_shared<MergeArguments>();
  CLI::App* command = model.add_subcommand("merge", "Make a base model and an adapter one file");
  command->add_option("base", arguments->base, "The base model, GGUF")->required();
  command->add_option("adapter", arguments->adapter, "The LoRA adapter made for it, GGUF")->required();
  command->add_option("-o,--output", arguments->output, "The file to write")->required();
  command->add_option("--type", arguments->type, "Type of the matrices: q8_0, q5_0, q4_0 or f16")
      ->transform(CLI::CheckedTransformer(output_types(), CLI::ignore_case))
      ->default_str("q8_0");
  command->add_option("--name", arguments->name, "general.name of the merged model (the file's by default)");
  command->callback([arguments, &context] { context.exit_code = merge(*arguments); });
}

}  // namespace hearth::commands
