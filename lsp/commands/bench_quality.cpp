#include "lsp/commands/bench_quality.h"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <iostream>

#include "indexer/find_workspace.h"
#include "lsp/commands/bench.h"
#include "lsp/commands/complete_run.h"
#include "lsp/commands/environment.h"
#include "lsp/commands/kv_type_option.h"
#include "lsp/commands/on_or_off.h"
#include "lsp/commands/workspace.h"

namespace hearth::commands {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

constexpr int kBlockTokens = 192;
constexpr int kRelatedTokens = 400;  // of the row `workspace`

struct Options {
  BenchOptions common;
  std::string projects, workspace, places;
  int lines = 200;
  int blocks = 0;
  int context = lsp::Settings().completion_context_tokens;
  std::optional<int> related_tokens;
  std::uint64_t seed = 1;
  bool memory = true, index = true;

  int row_related_tokens() const { return related_tokens.value_or(kRelatedTokens); }
  int all_related_tokens() const {
    return index ? related_tokens.value_or(lsp::Settings().completion_related_tokens) : 0;
  }
};

// Plays places of one project after the other: asks each row for its answer.
class Player {
 public:
  Player(const Options& options, CompletionRunner& runner) : options_(options), runner_(runner) {
    if (options.index) report_.recall.emplace();
    for (const char* name : {"copy", "model", "workspace", "memory", "all"}) {
      const bool is_on = (options.memory || name != std::string_view("memory")) &&
                         (options.index || name != std::string_view("workspace"));
      if (is_on) report_.rows.push_back({name});
    }
  }

  void enter(const QualityProject& project) {
    project_ = &project;
    if (options_.memory) {
      std::map<std::string, std::string> documents;
      for (const QualityFile& file : project.files) documents.emplace(file.path, file.text);
      runner_.remember_all(std::move(documents));
    }
    if (options_.index) {
      workspaces_ = indexed_workspace(
          {.folder = project.root.string(), .related_tokens = options_.row_related_tokens()},
          thread_count(options_.common));
    }
  }

  void play(const QualityPlace& place) {
    const OpenPlace open = open_place(*project_, place);
    std::map<std::string_view, QualityAnswer> answers;
    answers["copy"] = {copied_line(*project_, place, open), {}, 0};
    answers["model"] = complete(place, open, nullptr, false);
    if (options_.memory) answers["memory"] = complete(place, open, nullptr, true);
    std::shared_ptr<const lsp::PromptContext> context;
    if (options_.index) {
      context = context_of(place, open);
      answers["workspace"] = complete(place, open, context, false);
    }
    if (options_.all_related_tokens() > 0) {
      answers["all"] = options_.memory ? complete(place, open, context, true) : answers["workspace"];
    } else {
      answers["all"] = answers[options_.memory ? "memory" : "model"];
    }
    const bool is_line = place.kind == PlaceKind::kLine;
    for (QualityRow& row : report_.rows) {
      QualityAnswer& answer = answers[row.name];
      (is_line ? row.lines : row.blocks).add(place, answer.text);
      if (is_line) row.answers.push_back(std::move(answer));
    }
    if (!is_line) return;
    report_.lines.push_back(place);
    planned_.clear();
    if (context) {
      for (const auto& part : context->files) planned_.push_back(part.path);
    }
    if (report_.recall) report_.recall->add(place, planned_);
  }

  // Of the line played last.
  json::object last_json() const {
    const QualityPlace& place = report_.lines.back();
    json::object answers;
    for (const QualityRow& row : report_.rows) {
      const QualityAnswer& answer = row.answers.back();
      answers[row.name] = {{"text", answer.text}, {"raw", answer.raw}, {"confidence", answer.confidence}};
    }
    json::array definers;
    for (const auto& paths : place.definers) definers.emplace_back(json::array(paths.begin(), paths.end()));
    return {{"project", project_->root.filename().string()},
            {"path", project_->files[place.file].path},
            {"offset", place.offset},
            {"cross_file", place.uses_others},
            {"definers", std::move(definers)},
            {"planned", json::array(planned_.begin(), planned_.end())},
            {"truth", place.truth},
            {"answers", std::move(answers)}};
  }

  const QualityReport& report() const { return report_; }

 private:
  QualityAnswer complete(const QualityPlace& place, const OpenPlace& open,
                         std::shared_ptr<const lsp::PromptContext> context, bool memory) {
    const QualityFile& file = project_->files[place.file];
    const std::string text = open.prefix + open.suffix;
    CompletionLimits limits;
    limits.extent = place.kind == PlaceKind::kLine ? lsp::Extent::kLine : lsp::Extent::kBlock;
    limits.context_tokens = options_.context;
    if (place.kind == PlaceKind::kBlock) limits.max_tokens = kBlockTokens;
    const auto outcome =
        runner_.complete({text, open.prefix.size(), file.path, file.language}, limits,
                         lsp::RestOfLine::kStays, std::move(context), {memory, project_->paths(file.twins)});
    if (!outcome) throw std::runtime_error(outcome.error().message);
    const engine::Alternative& best = outcome->final.alternatives.front();
    return {outcome->insertion ? outcome->insertion->text : std::string(), best.text,
            outcome->insertion ? best.confidence : 0};
  }

  std::shared_ptr<const lsp::PromptContext> context_of(const QualityPlace& place, const OpenPlace& open) {
    return workspaces_->context(
        {project_->root, project_->files[place.file].path}, open.prefix + open.suffix, open.prefix.size(),
        Workspaces::Hidden::kFileAndCopies, runner_.context_tokens(),
        [&](const std::vector<std::string>& texts) { return runner_.count_tokens(texts); });
  }

  const Options& options_;
  CompletionRunner& runner_;
  const QualityProject* project_ = nullptr;
  std::unique_ptr<Workspaces> workspaces_;  // the project's
  QualityReport report_;
  std::vector<std::string> planned_;  // for the line played last
};

void play(const Options& options, const std::vector<QualityProject>& projects, Player& player) {
  std::ofstream out;
  if (!options.places.empty()) {
    out.open(options.places, std::ios::binary);
    if (!out) throw CLI::ValidationError("--places " + options.places, "cannot be written");
  }
  auto places = draw_places(projects, PlaceKind::kLine, options.lines, options.seed);
  const auto blocks = draw_places(projects, PlaceKind::kBlock, options.blocks, options.seed);
  places.insert(places.end(), blocks.begin(), blocks.end());
  std::ranges::stable_sort(places, {}, &QualityPlace::project);  // one workspace at a time
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (i == 0 || places[i - 1].project != places[i].project) player.enter(projects[places[i].project]);
    player.play(places[i]);
    if (places[i].kind == PlaceKind::kLine && out.is_open())
      out << json::serialize(player.last_json()) << std::endl;
  }
}

std::vector<QualityProject> read_projects(const Options& options) {
  if (!options.projects.empty()) return read_quality_projects(options.projects);
  if (!options.workspace.empty()) return {read_quality_project(fs::canonical(options.workspace))};
  const auto stores = stores_folder();
  const auto root = indexer::find_workspace(
      fs::current_path() / "file", {stores ? std::optional(*stores) : std::nullopt, environment("HOME")});
  if (!root)
    throw CLI::ValidationError("--projects", "needed: this folder is in no workspace that could be played");
  return {read_quality_project(*root)};
}

int run(const Options& options, const Context& context) {
  const auto projects = read_projects(options);
  const std::string model = bench_model(options.common, context);
  auto runner =
      CompletionRunner::start(context.models, model, options.common.threads, options.common.kv_type);
  if (!runner) throw std::runtime_error(runner.error().message);
  Player player(options, *runner);
  play(options, projects, player);
  if (options.common.json) {
    std::cout << json::serialize(report_json(player.report())) << '\n';
    return 0;
  }
  std::cout << fmt::format(
                   "{} lines of {} projects, seed {}, {}; `all` is the product by default: {}, {} tokens "
                   "of related files\n",
                   options.lines, projects.size(), options.seed, runner->model_line(),
                   options.memory ? "the memory" : "no memory", options.all_related_tokens())
            << report_table(player.report());
  return 0;
}

}  // namespace

void add_bench_quality(CLI::App& bench, Context& context) {
  CLI::App* command = bench.add_subcommand("quality", "Projects written again: how much of them is right");
  const auto options = std::make_shared<Options>();
  add_common_options(*command, options->common);
  add_kv_type_option(*command, options->common.kv_type);
  CLI::Option* projects = command->add_option("--projects", options->projects,
                                              "A folder of projects, none of which the model has seen");
  command
      ->add_option("--workspace", options->workspace,
                   "One project; without either, the workspace of the working directory")
      ->check(CLI::ExistingDirectory)
      ->excludes(projects);
  command->add_option("--lines", options->lines, "Rests of lines to ask for")->check(CLI::Range(1, 100000));
  command->add_option("--blocks", options->blocks, "Blocks to ask for")->check(CLI::Range(0, 100000));
  command->add_option("--seed", options->seed, "Of the places");
  command->add_option("--context", options->context, "Tokens of the text around the cursor to aim at")
      ->check(CLI::Range(128, 131072));
  command
      ->add_option("--memory", options->memory, "on or off: what the project's other files hold is mixed in")
      ->transform(on_or_off());
  command
      ->add_option("--index", options->index,
                   "on or off: a row whose prompts say what the project's store knows")
      ->transform(on_or_off());
  command
      ->add_option("--related-tokens", options->related_tokens,
                   "That prompts have of the store in `workspace` and in `all`; else 400 and the setting's")
      ->check(CLI::Range(1, 8192));
  command->add_option("--places", options->places,
                      "Write each line's truth and answers there, as JSON lines");
  command->callback(bench_callback(context, [options, &context] { return run(*options, context); }));
}

}  // namespace hearth::commands
