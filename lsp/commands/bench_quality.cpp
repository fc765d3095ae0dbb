#include "lsp/commands/bench_quality.h"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <iostream>

#include "lsp/commands/bench.h"
#include "lsp/commands/complete_run.h"

namespace hearth::commands {
namespace {

namespace json = boost::json;

constexpr int kBlockTokens = 192;

struct Options {
  BenchOptions common;
  std::string projects, places;
  int lines = 200;
  int blocks = 0;
  int context = 1700;
  std::uint64_t seed = 1;
  bool memory = true;
};

// Something that answers places.
struct Row {
  std::string name;
  std::function<QualityAnswer(const QualityProject&, const QualityPlace&, const OpenPlace&)> answer;
  QualityScore lines{}, blocks{};
  std::vector<QualityAnswer> answers{};  // of the lines, in order
};

QualityAnswer complete(CompletionRunner& runner, const QualityProject& project, const QualityPlace& place,
                       const OpenPlace& open, const Options& options, bool memory) {
  const QualityFile& file = project.files[place.file];
  const std::string text = open.prefix + open.suffix;
  CompletionLimits limits;
  limits.extent = place.kind == PlaceKind::kLine ? lsp::Extent::kLine : lsp::Extent::kBlock;
  limits.context_tokens = options.context;
  if (place.kind == PlaceKind::kBlock) limits.max_tokens = kBlockTokens;
  const auto outcome =
      runner.complete({text, open.prefix.size(), file.path, file.language}, limits, lsp::RestOfLine::kStays,
                      nullptr, {memory, project.twin_paths(place.file)});
  if (!outcome) throw std::runtime_error(outcome.error().message);
  if (!outcome->insertion) return {};
  const engine::Alternative& best = outcome->final.alternatives.front();
  return {outcome->insertion->text, best.confidence, best.log_probability};
}

std::vector<Row> make_rows(CompletionRunner& runner, const Options& options) {
  std::vector<Row> rows;
  rows.push_back({"copy", [](const auto& project, const auto& place, const auto& open) {
                    return QualityAnswer{copied_line(project, place, open)};
                  }});
  rows.push_back({"model", [&](const auto& project, const auto& place, const auto& open) {
                    return complete(runner, project, place, open, options, false);
                  }});
  if (options.memory) {
    rows.push_back({"memory", [&](const auto& project, const auto& place, const auto& open) {
                      return complete(runner, project, place, open, options, true);
                    }});
  }
  return rows;
}

// One line of --places.
json::object place_json(const QualityProject& project, const QualityPlace& place,
                        const std::vector<Row>& rows, std::size_t at) {
  json::object answers;
  for (const Row& row : rows) {
    const QualityAnswer& answer = row.answers[at];
    answers[row.name] = {{"text", answer.text},
                         {"confidence", answer.confidence},
                         {"log_probability", answer.log_probability}};
  }
  return {{"project", project.root.filename().string()},
          {"path", project.files[place.file].path},
          {"offset", place.offset},
          {"cross_file", place.uses_others},
          {"truth", place.truth},
          {"answers", std::move(answers)}};
}

std::map<std::string, std::string> documents_of(const QualityProject& project) {
  std::map<std::string, std::string> documents;
  for (const QualityFile& file : project.files) documents.emplace(file.path, file.text);
  return documents;
}

void play(const Options& options, const std::vector<QualityProject>& projects, CompletionRunner& runner,
          std::vector<Row>& rows) {
  std::ofstream out;
  if (!options.places.empty()) {
    out.open(options.places, std::ios::binary);
    if (!out) throw CLI::ValidationError("--places " + options.places, "cannot be written");
  }
  for (const PlaceKind kind : {PlaceKind::kLine, PlaceKind::kBlock}) {
    const int count = kind == PlaceKind::kLine ? options.lines : options.blocks;
    auto places = draw_places(projects, kind, count, options.seed);
    std::ranges::stable_sort(places, {}, &QualityPlace::project);  // one workspace at a time
    for (std::size_t i = 0; i < places.size(); ++i) {
      const QualityProject& project = projects[places[i].project];
      if (options.memory && (i == 0 || places[i - 1].project != places[i].project))
        runner.remember_all(documents_of(project));
      const OpenPlace open = open_place(project, places[i]);
      for (Row& row : rows) {
        const QualityAnswer answer = row.answer(project, places[i], open);
        (kind == PlaceKind::kLine ? row.lines : row.blocks).add(places[i], answer.text);
        if (kind == PlaceKind::kLine) row.answers.push_back(answer);
      }
      if (kind == PlaceKind::kLine && out.is_open())
        out << json::serialize(place_json(project, places[i], rows, i)) << std::endl;
    }
  }
}

json::object row_json(const Row& row) {
  const Interval interval = interval_of(row.lines.exact());
  json::object object = row.lines.json();
  object["ci95"] = json::array{interval.low, interval.high};
  if (!row.blocks.exact().empty()) object["blocks"] = row.blocks.json();
  return object;
}

// Of the last row, as far as it would be shown unasked.
struct Shown {
  double share = 0, right = 0;
};

Shown shown_of(const Row& row) {
  const double least = lsp::Settings().completion_min_confidence / 100.0;
  double shown = 0, right = 0;
  for (std::size_t i = 0; i < row.answers.size(); ++i) {
    if (row.answers[i].text.empty() || row.answers[i].confidence < least) continue;
    shown += 1;
    right += row.lines.exact()[i];
  }
  return {shown / static_cast<double>(row.answers.size()), shown > 0 ? right / shown : 0};
}

json::object as_json(const std::vector<Row>& rows) {
  json::object out, each;
  const Shown shown = shown_of(rows.back());
  out["shown"] = {{"share", shown.share}, {"right", shown.right}};
  for (const Row& row : rows) {
    each[row.name] = row_json(row);
    if (row.name == "model") out["without"] = row.lines.json();
  }
  out["rows"] = std::move(each);
  return out;
}

std::string as_table(const std::vector<Row>& rows) {
  std::string table =
      fmt::format("{:<10}{:>8}{:>16}{:>12}{:>13}{:>12}{:>18}{:>18}\n", "row", "exact", "95 %", "similarity",
                  "chars saved", "first word", "other files' names", "last row less it");
  for (const Row& row : rows) {
    const Interval own = interval_of(row.lines.exact());
    const Interval less = interval_of_difference(rows.back().lines.exact(), row.lines.exact());
    table += fmt::format("{:<10}{:>8.3f}{:>16}{:>12.3f}{:>13.3f}{:>12.3f}{:>18.3f}{:>18}\n", row.name,
                         row.lines.exact_match(), fmt::format("{:.3f} to {:.3f}", own.low, own.high),
                         row.lines.edit_similarity(), row.lines.chars_saved_share(),
                         row.lines.first_identifier(), row.lines.cross_file_exact(),
                         &row == &rows.back() ? "" : fmt::format("{:+.3f} to {:+.3f}", less.low, less.high));
  }
  const Shown shown = shown_of(rows.back());
  table += fmt::format("shown unasked: {:.1f} % of places, {:.1f} % of these right\n", 100 * shown.share,
                       100 * shown.right);
  for (const Row& row : rows) {
    if (row.blocks.exact().empty()) continue;
    table += fmt::format("{:<10}{} blocks: exact {:.3f}, similarity {:.3f}\n", row.name,
                         row.blocks.exact().size(), row.blocks.exact_match(), row.blocks.edit_similarity());
  }
  return table;
}

int run(const Options& options, const Context& context) {
  const auto projects = read_quality_projects(options.projects);
  const std::string model = bench_model(options.common, context);
  auto runner = CompletionRunner::start(context.models, model, options.common.threads);
  if (!runner) throw std::runtime_error(runner.error().message);
  std::vector<Row> rows = make_rows(*runner, options);
  play(options, projects, *runner, rows);
  if (options.common.json) {
    std::cout << json::serialize(as_json(rows)) << '\n';
    return 0;
  }
  std::cout << fmt::format("{} lines of {} projects ({} with names of other files), seed {}, {}\n",
                           options.lines, projects.size(), rows.front().lines.cross_file_lines(),
                           options.seed, runner->model_line())
            << as_table(rows);
  return 0;
}

}  // namespace

void add_bench_quality(CLI::App& bench, Context& context) {
  CLI::App* command = bench.add_subcommand("quality", "Projects written again: how much of them is right");
  const auto options = std::make_shared<Options>();
  add_common_options(*command, options->common);
  command
      ->add_option("--projects", options->projects, "A folder of projects, none of which the model has seen")
      ->required();
  command->add_option("--lines", options->lines, "Rests of lines to ask for")->check(CLI::Range(1, 100000));
  command->add_option("--blocks", options->blocks, "Blocks to ask for")->check(CLI::Range(0, 100000));
  command->add_option("--seed", options->seed, "Of the places");
  command->add_option("--context", options->context, "Tokens of the text around the cursor to aim at")
      ->check(CLI::Range(128, 131072));
  command
      ->add_option("--memory", options->memory, "on or off: what the project's other files hold is mixed in")
      ->transform(on_or_off());
  command->add_option("--places", options->places,
                      "Write each line's truth and answers there, as JSON lines");
  command->callback(bench_callback(context, [options, &context] { return run(*options, context); }));
}

}  // namespace hearth::commands
