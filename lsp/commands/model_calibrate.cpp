#include <algorithm>
#include <fmt/format.h>
#include <iostream>
#include <memory>
#include <random>

#include "engine/memory_calibration.h"
#include "engine/sidecar.h"
#include "lsp/commands/bench_forward.h"
#include "lsp/commands/bench_quality.h"
#include "lsp/commands/model_commands.h"
#include "lsp/commands/progress_bar.h"
#include "lsp/text_shape.h"

namespace hearth::commands {
namespace {

constexpr std::size_t kBeforeBytes = 1600;  // with what is after, less than the smallest context holds
constexpr std::size_t kAfterBytes = 450;
constexpr int kScoredTokens = 192;  // of a text
constexpr int kHeldOutEvery = 4;    // files
constexpr std::uint64_t kMemoryBytes = 512 << 20;

struct Arguments {
  BenchOptions common;
  std::string projects;
  bool memory = false;
  bool dry = false;
  int texts = 160;
  std::uint64_t seed = 1;
};

struct Samples {
  std::vector<engine::MixtureSample> seen, held_out;
};

// The text around the place's line, and what the rest of its file is without it.
struct Window {
  engine::CalibrationText text;
  std::string others;
};

Window window_at(const QualityProject& project, const QualityPlace& place) {
  const QualityFile& file = project.files[place.file];
  const std::string_view text = file.text;
  const std::size_t end = lsp::line_end(text, place.offset);
  const std::size_t begin = lsp::line_start(text, end - std::min(end, kBeforeBytes));
  const std::size_t stop = lsp::floor_to_character(text, std::min(text.size(), end + kAfterBytes));
  return {{file.path, project.paths(file.twins), std::string(text.substr(begin, end - begin)),
           std::string(text.substr(end, stop - end))},
          std::string(text.substr(0, begin)) + std::string(text.substr(stop))};
}

// A project as the memory holds it.
class ProjectMemory {
 public:
  ProjectMemory(const engine::Model& model, const QualityProject& project)
      : memory_(model.tokenizer(), kMemoryBytes), sampler_(model, memory_) {
    for (const QualityFile& file : project.files) hold(file.path, file.text);
  }

  std::vector<engine::MixtureSample> sample(const QualityProject& project, const QualityPlace& place) {
    const Window window = window_at(project, place);
    hold(window.text.document, window.others);
    auto samples = sampler_.sample(window.text, kScoredTokens);
    hold(window.text.document, project.files[place.file].text);
    return samples;
  }

 private:
  void hold(const std::string& document, const std::string& text) {
    memory_.remember({document, ++version_, {{0, engine::kToTheEnd, text}}});
    while (memory_.work(engine::WorkspaceMemory::Urgency::kAll)) {
    }
  }

  engine::WorkspaceMemory memory_;
  engine::MixtureSampler sampler_;
  std::int64_t version_ = 0;
};

Samples collect(const engine::Model& model, const std::vector<QualityProject>& projects,
                const Arguments& arguments) {
  auto places = draw_places(projects, PlaceKind::kLine, arguments.texts, arguments.seed);
  std::ranges::stable_sort(places, {}, &QualityPlace::project);  // one workspace at a time
  ProgressBar bar;
  Samples samples;
  std::unique_ptr<ProjectMemory> memory;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const QualityProject& project = projects[places[i].project];
    if (i == 0 || places[i].project != places[i - 1].project)
      memory = std::make_unique<ProjectMemory>(model, project);
    const auto found = memory->sample(project, places[i]);
    // Whole files are held out: what repeats itself in one would be on both sides.
    auto& into = places[i].file % kHeldOutEvery == 0 ? samples.held_out : samples.seen;
    into.insert(into.end(), found.begin(), found.end());
    bar.show("reading", i + 1, places.size());
  }
  bar.clear();
  return samples;
}

int calibrate(const Arguments& arguments, const Context& context) {
  if (!arguments.memory) throw CLI::ValidationError("--memory", "nothing else is calibrated yet");
  const std::string path = bench_model(arguments.common, context);
  const auto projects = read_quality_projects(arguments.projects);
  const BenchModel model(path, thread_count(arguments.common));
  const Samples samples = collect(model.model(), projects, arguments);
  if (samples.seen.empty() || samples.held_out.empty())
    throw std::runtime_error(arguments.projects + ": too little text that repeats itself to calibrate by");
  const engine::MixtureWeights start = engine::default_mixture_weights(model.model().description().name);
  engine::MixtureWeights fitted = engine::fit_mixture(samples.seen, start);
  const double alone = engine::mean_log_likelihood_of_model(samples.held_out);
  const double before = engine::mean_log_likelihood(samples.held_out, start);
  double after = engine::mean_log_likelihood(samples.held_out, fitted);
  if (after < before) {
    fitted = start;
    after = before;
  }
  if (after <= alone) {
    fitted = engine::no_mixture();
    after = alone;
  }
  if (!arguments.dry) {
    const auto written = engine::write_sidecar(path, {fitted});
    if (!written) return report(written.error());
  }
  if (arguments.common.json) {
    std::cout << boost::json::serialize(boost::json::object{
                     {"samples", samples.seen.size()},
                     {"held_out", samples.held_out.size()},
                     {"nats", {{"model", -alone}, {"defaults", -before}, {"calibrated", -after}}},
                     {"weights", boost::json::array(fitted.begin(), fitted.end())}})
              << '\n';
    return 0;
  }
  std::cout << fmt::format("held-out nats a token, of {} where the memory has something to say (after {}):\n",
                           samples.held_out.size(), samples.seen.size())
            << fmt::format("  model alone {:.4f}, with the memory by default {:.4f}, calibrated {:.4f}\n",
                           -alone, -before, -after);
  if (!arguments.dry) std::cout << engine::sidecar_path(path).string() << '\n';
  return 0;
}

}  // namespace

void add_model_calibrate(CLI::App& model, Context& context) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = model.add_subcommand("calibrate", "Measure a model on code and write its sidecar");
  add_common_options(*command, arguments->common);
  command->add_flag("--memory", arguments->memory, "How much weight the workspace memory gets");
  command
      ->add_option("--projects", arguments->projects,
                   "A folder of projects, none of which the model has seen")
      ->required();
  command->add_option("--texts", arguments->texts, "Pieces of text to read")->check(CLI::Range(8, 100000));
  command->add_option("--seed", arguments->seed, "Of the texts");
  command->add_flag("--dry-run", arguments->dry, "Print what would be written, and write nothing");
  command->callback(
      bench_callback(context, [arguments, &context] { return calibrate(*arguments, context); }));
}

}  // namespace hearth::commands
