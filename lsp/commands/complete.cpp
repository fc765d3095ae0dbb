#include <boost/json.hpp>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>

#include "lsp/commands/commands.h"
#include "lsp/commands/complete_run.h"
#include "lsp/commands/json_line.h"
#include "lsp/commands/kv_type_option.h"
#include "lsp/file_position.h"
#include "lsp/language.h"
#include "lsp/left_out.h"

namespace hearth::commands {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string position, batch, model;
  int threads = 0;
  engine::KvType kv_type = engine::KvType::kAuto;
  bool explain = false;
  bool json = false;
  BatchAnswers answers = BatchAnswers::kCompletions;
  CompletionLimits limits;
  WorkspaceOptions workspace;
};

int fail(const std::string& message) {
  std::cerr << "hearth complete: " << message << '\n';
  return 1;
}

engine::Result<std::string> read_file(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error))
    return engine::Error{engine::ErrorCode::kUnreadable, path + " is a directory"};
  std::ifstream file{path, std::ios::binary};
  std::string text{std::istreambuf_iterator<char>{file}, {}};
  if (!file) return engine::Error{engine::ErrorCode::kUnreadable, path + ": cannot be read"};
  return text;
}

// Relative to the working directory where it lies in there.
std::string path_for_model(const std::string& file) {
  std::error_code error;
  const fs::path relative = fs::proximate(file, error);
  const bool inside = !error && !relative.empty() && *relative.begin() != "..";
  return inside && relative.is_relative() ? relative.generic_string() : fs::path{file}.filename().string();
}

int print_completion(const Options& options, CompletionRunner& runner, const CompletionOutcome& outcome) {
  std::vector<std::string> texts;
  for (const engine::Segment& segment : outcome.job.segments) texts.push_back(segment.text);
  std::vector<int> tokens(texts.size(), 0);
  if (options.explain) {
    const auto counted = runner.engine().count_tokens(texts);
    if (!counted) return fail(counted.error().message);
    tokens = *counted;
  }
  const std::string completion = outcome.insertion ? outcome.insertion->text : std::string{};
  if (options.json) {
    boost::json::object line{{"completion", completion},
                             {"replaces_after", outcome.insertion ? outcome.insertion->replaces_after : 0},
                             {"model", runner.engine().status().model},
                             {"ms", outcome.ms},
                             {"prompt_tokens", outcome.final.usage.prompt_tokens},
                             {"cached_tokens", outcome.final.usage.cached_tokens}};
    if (options.explain) line["explain"] = explain_json(outcome, tokens);
    print_json_line(line);
    return 0;
  }
  if (!outcome.insertion) {
    std::cerr << "hearth complete: nothing to suggest here: "
              << std::string_view(outcome.by_hand.at("message").as_string()) << '\n';
  }
  if (outcome.insertion) std::cout << completion << '\n';
  if (options.explain) std::cout << '\n' << explain_text(outcome, tokens);
  return 0;
}

engine::Result<CompletionRunner> start(const Options& options, const Context& context) {
  std::optional<std::string> model;
  if (!options.model.empty()) model = options.model;
  auto runner = CompletionRunner::start(context.models, model, options.threads, options.kv_type);
  if (runner) std::cerr << "hearth: the model is " << runner->model_line() << '\n';
  return runner;
}

int run_batch(const Options& options, const Context& context) {
  std::ifstream file;
  if (options.batch != "-") {
    file.open(options.batch);
    if (!file) return fail(options.batch + ": cannot be read");
  }
  Workspaces workspaces(options.workspace);
  if (const auto ready = workspaces.prepare(); !ready) return fail(ready.error().message);
  auto runner = start(options, context);
  if (!runner) return fail(runner.error().message);
  std::istream& in = options.batch == "-" ? std::cin : file;
  const bool good = complete_batch(in, std::cout, *runner, options.limits, workspaces,
                                   options.workspace.use_memory, options.answers);
  return good ? 0 : 1;
}

int run_position(const Options& options, const Context& context) {
  const auto position = lsp::parse_file_position(options.position);
  if (!position) return fail(position.error().message);
  Workspaces workspaces(options.workspace);
  if (const auto ready = workspaces.prepare(); !ready) return fail(ready.error().message);
  const fs::path whole = fs::absolute(position->file);
  const std::optional<FilePlace> file = workspaces.place_of(whole);
  switch (file ? lsp::left_out_in(file->root, file->path) : lsp::left_out_in("", whole.string())) {
    case lsp::Silence::kSecret:
      return fail(position->file + ": may hold secrets, so nothing is completed in it");
    case lsp::Silence::kIgnored:
      return fail(position->file + ": a .hearthignore file names it, so nothing is completed in it");
    default: break;
  }
  const auto text = read_file(position->file);
  if (!text) return fail(text.error().message);
  const auto cursor = lsp::offset_of(*position, *text);
  if (!cursor) return fail(cursor.error().message);
  auto runner = start(options, context);
  if (!runner) return fail(runner.error().message);
  lsp::CursorPlace place{*text, *cursor, path_for_model(position->file),
                         std::string{lsp::language_of_path(position->file)}};
  std::shared_ptr<const lsp::PromptContext> said;
  if (file && workspaces.is_known(*file)) {
    place.path = file->path;
    said = workspaces.context(
        *file, *text, *cursor, Workspaces::Hidden::kFile, runner->context_tokens(),
        [&](const std::vector<std::string>& texts) { return runner->count_tokens(texts); });
    runner->remember_all(workspaces.documents(*file));
  }
  const auto outcome = runner->complete(place, options.limits, lsp::RestOfLine::kMayBeReplaced,
                                        std::move(said), {options.workspace.use_memory, {}});
  if (!outcome) return fail(outcome.error().message);
  return print_completion(options, *runner, *outcome);
}

}  // namespace

void add_complete(CLI::App& app, Context& context) {
  CLI::App* command =
      app.add_subcommand("complete", "One completion on the command line, or a batch of them");
  const auto options = std::make_shared<Options>();
  CLI::Option* position = command->add_option("position", options->position,
                                              "FILE:LINE:COL, line and column from 1, columns in characters");
  CLI::Option* batch = command->add_option(
      "--batch", options->batch, "Complete each line of a JSON lines file instead; - for standard input");
  position->excludes(batch);
  command->add_option("--model", options->model, "The model's file, or its name in the model folders");
  add_kv_type_option(*command, options->kv_type);
  command->add_option("--threads", options->threads, "Compute threads; 0: one for each core")
      ->check(CLI::Range(0, 256));
  command->add_option("--max-tokens", options->limits.max_tokens, "Tokens the completion may have")
      ->check(CLI::Range(1, 4096));
  command
      ->add_option("--soft-ms", options->limits.soft_ms,
                   "Answer with what is whole after so many milliseconds")
      ->check(CLI::Range(1, 600000));
  command
      ->add_option("--hard-ms", options->limits.hard_ms,
                   "Answer with what there is after so many milliseconds")
      ->check(CLI::Range(1, 600000));
  const std::map<std::string, lsp::Extent> extents{{"line", lsp::Extent::kLine},
                                                   {"block", lsp::Extent::kBlock}};
  command
      ->add_option("--stop", options->limits.extent,
                   "line or block: where it ends; else as the cursor's place calls for")
      ->transform(CLI::CheckedTransformer(extents).description("{line,block}"));
  command
      ->add_flag("--explain", options->explain,
                 "Show the prompt's segments, what was cached, where time went")
      ->excludes(batch);
  command
      ->add_flag_callback(
          "--plan", [options] { options->answers = BatchAnswers::kPlans; },
          "Print each line's prompt as segments and complete nothing")
      ->needs(batch);
  add_workspace_options(*command, options->workspace);
  command->add_flag("--json", options->json, "Print JSON (a batch always does)");
  command->callback([options, &context] {
    if (options->position.empty() == options->batch.empty()) {
      context.exit_code = fail("say where: FILE:LINE:COL, or --batch FILE");
    } else if (options->batch.empty()) {
      context.exit_code = run_position(*options, context);
    } else {
      context.exit_code = run_batch(*options, context);
    }
  });
}

}  // namespace hearth::commands
