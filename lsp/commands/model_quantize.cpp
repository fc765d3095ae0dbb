#include <memory>

#include "lsp/commands/model_commands.h"
#include "lsp/commands/model_output.h"

namespace hearth::commands {
namespace {

struct QuantizeArguments {
  std::string model;
  OutputArguments output;
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
  return write_model(arguments.output, "quantizing",
                     [&](const auto& output, kernels::ThreadPool& threads, std::stop_token stop) {
                       return engine::quantize_model(arguments.model, metadata, output, threads, stop);
                     });
}

}  // namespace

void add_model_quantize(CLI::App& model, Context& context) {
  auto arguments = std::make_shared<QuantizeArguments>();
  CLI::App* command = model.add_subcommand("quantize", "Round a model's matrices to a smaller type");
  command->add_option("model", arguments->model, "The model, GGUF")->required();
  add_output_options(*command, arguments->output, "the model's");
  command->add_option("--set", arguments->metadata, "Text metadata to add or replace: KEY=VALUE");
  command->callback([arguments, &context] { context.exit_code = quantize(*arguments); });
}

}  // namespace hearth::commands
