#include <memory>

#include "lsp/commands/model_commands.h"
#include "lsp/commands/model_output.h"

namespace hearth::commands {
namespace {

struct MergeArguments {
  std::string base, adapter;
  OutputArguments output;
};

int merge(const MergeArguments& arguments) {
  return write_model(arguments.output, "merging",
                     [&](const auto& output, kernels::ThreadPool& threads, std::stop_token stop) {
                       return engine::merge_model(arguments.base, arguments.adapter, output, threads, stop);
                     });
}

}  // namespace

void add_model_merge(CLI::App& model, Context& context) {
  auto arguments = std::make_shared<MergeArguments>();
  CLI::App* command = model.add_subcommand("merge", "Make a base model and an adapter one file");
  command->add_option("base", arguments->base, "The base model, GGUF")->required();
  command->add_option("adapter", arguments->adapter, "The LoRA adapter made for it, GGUF")->required();
  add_output_options(*command, arguments->output, "the file's");
  command->callback([arguments, &context] { context.exit_code = merge(*arguments); });
}

}  // namespace hearth::commands
