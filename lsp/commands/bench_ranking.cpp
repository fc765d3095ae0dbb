// `hearth bench ranking`: what each signal of the ranking of related files is worth, by what is found without
// it. It needs no model.
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <iostream>
#include <memory>

#include "indexer/related_files.h"
#include "lsp/commands/bench.h"
#include "lsp/commands/bench_quality.h"
#include "lsp/commands/json_line.h"

namespace hearth::commands {
namespace {

namespace json = boost::json;
using indexer::RankingWeights;

constexpr std::size_t kRanked = 5;

struct Signal {
  const char* name;
  double RankingWeights::*weight;  // none: nothing is switched off
};

// Without recency, which places drawn at random have not.
constexpr std::array kSignals = {
    Signal{"none", nullptr},
    Signal{"imports", &RankingWeights::imported},
    Signal{"names of imports", &RankingWeights::imported_name},
    Signal{"definitions of names at the cursor", &RankingWeights::defines},
    Signal{"shared words", &RankingWeights::shared_words},
    Signal{"folder", &RankingWeights::same_folder},
};

struct Options {
  std::string projects;
  int lines = 1000;
  std::uint64_t seed = 1;
  bool json = false;
};

using Recalls = std::array<QualityRecall, kSignals.size()>;

void rank(const QualityProject& project, const QualityPlace& place, Workspaces& workspaces,
          Recalls& recalls) {
  indexer::WorkspaceView* const view = workspaces.view(project.root);
  if (view == nullptr) throw std::runtime_error(project.root.string() + ": has no store");
  const QualityFile& file = project.files[place.file];
  const OpenPlace open = open_place(project, place);
  const std::string text = open.prefix + open.suffix;
  indexer::PlaceInFile at{.path = file.path, .text = text, .cursor = open.prefix.size()};
  for (std::string& copy : workspaces.copies({project.root, file.path}, text))
    at.masked.insert(std::move(copy));
  indexer::DocumentOutliner outliner;
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    RankingWeights weights;
    if (kSignals[i].weight != nullptr) weights.*kSignals[i].weight = 0;
    const auto ranked = indexer::related_files(*view, outliner, at, kRanked, {}, weights);
    if (!ranked) throw std::runtime_error(ranked.error().message);
    std::vector<std::string> paths;
    for (const indexer::RelatedFile& related : *ranked) paths.push_back(related.path);
    recalls[i].add(place, paths);
  }
}

Recalls rank_all(const std::vector<QualityProject>& projects, const Options& options) {
  auto places = draw_places(projects, PlaceKind::kLine, options.lines, options.seed);
  std::ranges::stable_sort(places, {}, &QualityPlace::project);  // one workspace at a time
  Recalls recalls;
  std::unique_ptr<Workspaces> workspaces;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const QualityProject& project = projects[places[i].project];
    if (i == 0 || places[i - 1].project != places[i].project)
      workspaces = indexed_workspace({.folder = project.root.string()}, thread_count({}));
    if (!places[i].definers.empty()) rank(project, places[i], *workspaces, recalls);
  }
  return recalls;
}

int run(const Options& options) {
  const Recalls recalls = rank_all(read_quality_projects(options.projects), options);
  if (options.json) {
    json::array rows;
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
      rows.push_back({{"without", kSignals[i].name},
                      {"recall_at_1", recalls[i].at_1()},
                      {"recall_at_5", recalls[i].at_5()}});
    }
    print_json_line(json::object{{"lines", recalls.front().lines()}, {"rows", std::move(rows)}});
    return 0;
  }
  std::cout << fmt::format("{} lines that use a name of another file; recall of the files that define it\n",
                           recalls.front().lines())
            << fmt::format("{:<36} {:>8} {:>8}\n", "without", "first", "first 5");
  for (std::size_t i = 0; i < kSignals.size(); ++i)
    std::cout << fmt::format("{:<36} {:8.3f} {:8.3f}\n", kSignals[i].name, recalls[i].at_1(),
                             recalls[i].at_5());
  return 0;
}

}  // namespace

void add_bench_ranking(CLI::App& bench, Context& context) {
  CLI::App* command =
      bench.add_subcommand("ranking", "What each signal of the ranking of related files is worth");
  const auto options = std::make_shared<Options>();
  command->add_option("--projects", options->projects, "A folder of projects")->required();
  command->add_option("--lines", options->lines, "Rests of lines, of which those count that use another file")
      ->check(CLI::Range(1, 100000));
  command->add_option("--seed", options->seed, "Of the places");
  command->add_flag("--json", options->json, "One JSON object");
  command->callback(bench_callback(context, [options] { return run(*options); }));
}

}  // namespace hearth::commands
