#include "engine/model_verify.h"

#include <iostream>
#include <memory>
#include <thread>

#include "lsp/commands/interrupt.h"
#include "lsp/commands/model_commands.h"

namespace hearth::commands {
namespace {

int verify(const std::string& file) {
  const Interrupt interrupt;
  kernels::ThreadPool threads(static_cast<int>(std::thread::hardware_concurrency()));
  const engine::ModelReport report = engine::verify_model(file, threads, interrupt.token());
  if (interrupt.token().stop_requested()) return 1;
  if (!report.sha256.empty()) std::cout << "sha256 " << report.sha256 << '\n';
  if (report.description) {
    const engine::ModelDescription& model = *report.description;
    std::cout << "model " << model.name << " (" << model.architecture << ", " << model.shape.n_layers
              << " layers, " << model.shape.n_vocab << " tokens, fill-in order "
              << engine::name(model.fim_order) << ")\n";
  }
  for (const engine::Error& fault : report.faults) std::cout << "fault " << fault.message << '\n';
  std::cout << (report.faults.empty() ? "whole" : "faulty: " + std::to_string(report.faults.size())) << '\n';
  return report.faults.empty() ? 0 : 1;
}

}  // namespace

void add_model_verify(CLI::App& model, Context& context) {
  auto file = std::make_shared<std::string>();
  CLI::App* command = model.add_subcommand("verify", "Is a model file whole and sane? One line a fault");
  command->add_option("file", *file, "The model or adapter, GGUF")->required();
  command->callback([file, &context] { context.exit_code = verify(*file); });
}

}  // namespace hearth::commands
