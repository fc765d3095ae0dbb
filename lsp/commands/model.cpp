#include <iostream>

#include "lsp/commands/model_commands.h"

namespace hearth::commands {

const std::map<std::string, kernels::WeightType>& output_types() {
  static const std::map<std::string, kernels::WeightType> kTypes = {{"q8_0", kernels::WeightType::kQ8_0},
                                                                    {"q5_0", kernels::WeightType::kQ5_0},
                                                                    {"q4_0", kernels::WeightType::kQ4_0},
                                                                    {"f16", kernels::WeightType::kF16}};
  return kTypes;
}

int report(const engine::Error& error) {
  std::cerr << "hearth: " << error.message << '\n';
  return 1;
}

void add_model(CLI::App& app, Context& context) {
  CLI::App* model = app.add_subcommand("model", "Model files: fetch, merge, inspect, verify, calibrate");
  model->require_subcommand(1);
  add_model_fetch(*model, context);
  add_model_merge(*model, context);
  add_model_quantize(*model, context);
  add_model_inspect(*model, context);
  add_model_verify(*model, context);
  add_model_calibrate(*model, context);
}

}  // namespace hearth::commands
