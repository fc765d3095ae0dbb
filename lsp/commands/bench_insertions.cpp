// `hearth bench insertions`: whether a right answer stands: the true rest of lines, as if the model had said
// it, made an insertion of, by language, and how long that takes. It needs no model.
#include <chrono>
#include <fmt/format.h>
#include <iostream>
#include <map>
#include <memory>

#include "lsp/commands/bench.h"
#include "lsp/commands/bench_quality.h"
#include "lsp/commands/json_line.h"
#include "lsp/post_process.h"
#include "lsp/stop_rules.h"
#include "lsp/syntax_faults.h"

namespace hearth::commands {
namespace {

namespace json = boost::json;

struct Options {
  std::string projects;
  int lines = 1000;
  std::uint64_t seed = 1;
  bool json = false;
};

struct Figures {
  int lines = 0, stand = 0;
  std::vector<double> ms;

  double share() const { return static_cast<double>(stand) / lines; }
};

std::map<std::string, Figures> measure(const Options& options) {
  const auto projects = read_quality_projects(options.projects);
  lsp::SyntaxFaults syntax;
  std::map<std::string, Figures> by_language;
  for (const QualityPlace& place : draw_places(projects, PlaceKind::kLine, options.lines, options.seed)) {
    const QualityProject& project = projects[place.project];
    const QualityFile& file = project.files[place.file];
    const OpenPlace open = open_place(project, place);
    const std::string text = open.prefix + open.suffix;
    const lsp::CursorPlace at{text, open.prefix.size(), file.path, file.language};
    const lsp::PostProcessing how{lsp::request_stop_rules(at, lsp::Settings{}, lsp::Extent::kLine)};
    const auto start = std::chrono::steady_clock::now();
    const auto insertion = lsp::post_process(at, place.truth, how, &syntax);
    Figures& figures = by_language[file.language];
    figures.ms.push_back(milliseconds_since(start));
    ++figures.lines;
    figures.stand += insertion && insertion->text == place.truth;
  }
  return by_language;
}

int run(const Options& options) {
  const auto by_language = measure(options);
  if (options.json) {
    json::object out;
    for (const auto& [language, figures] : by_language) {
      out[language] = {{"lines", figures.lines},
                       {"stand", figures.share()},
                       {"p50_ms", percentile(figures.ms, 0.5)},
                       {"p95_ms", percentile(figures.ms, 0.95)}};
    }
    print_json_line(out);
    return 0;
  }
  std::cout << fmt::format("{:<18}{:>8}{:>9}{:>9}{:>9}\n", "language", "lines", "stand", "p50 ms", "p95 ms");
  for (const auto& [language, figures] : by_language)
    std::cout << fmt::format("{:<18}{:>8}{:>9.4f}{:>9.2f}{:>9.2f}\n", language, figures.lines,
                             figures.share(), percentile(figures.ms, 0.5), percentile(figures.ms, 0.95));
  return 0;
}

}  // namespace

void add_bench_insertions(CLI::App& bench, Context& context) {
  CLI::App* command = bench.add_subcommand("insertions", "Whether a right answer of the model's would stand");
  const auto options = std::make_shared<Options>();
  command->add_option("--projects", options->projects, "A folder of projects")->required();
  command->add_option("--lines", options->lines, "Rests of lines")->check(CLI::Range(1, 100000));
  command->add_option("--seed", options->seed, "Of the places");
  command->add_flag("--json", options->json, "One JSON object");
  command->callback(bench_callback(context, [options] { return run(*options); }));
}

}  // namespace hearth::commands
