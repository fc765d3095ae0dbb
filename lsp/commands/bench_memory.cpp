// `hearth bench memory`: what it costs to remember a workspace: memory a token, and how long it takes to take
// it all in, to follow a keystroke and to be asked. Of the model it needs only the tokenizer.
#include <chrono>
#include <fmt/format.h>
#include <iostream>
#include <memory>
#include <random>

#include "engine/gguf.h"
#include "engine/workspace_memory.h"
#include "lsp/commands/bench.h"
#include "lsp/commands/bench_quality.h"
#include "lsp/commands/json_line.h"
#include "lsp/text_shape.h"

namespace hearth::commands {
namespace {

namespace json = boost::json;
using std::chrono::steady_clock;

constexpr int kRounds = 500;
constexpr std::size_t kContextBytes = 400;  // more than the longest match has

struct Options {
  BenchOptions common;
  std::string folder = ".";
  std::uint64_t megabytes = 64;
};

struct Figures {
  std::size_t documents = 0, tokens = 0, text_bytes = 0;
  double bytes_a_token = 0, tokens_a_second = 0;
  std::vector<double> edit_ms, find_ms;
};

void take_in(engine::WorkspaceMemory& memory, engine::WorkspaceMemory::Urgency urgency) {
  while (memory.work(urgency)) {
  }
}

Figures measure(const QualityProject& project, const engine::Tokenizer& tokenizer, std::uint64_t limit) {
  engine::WorkspaceMemory memory(tokenizer, limit);
  Figures figures;
  const auto start = steady_clock::now();
  for (const QualityFile& file : project.files) {
    memory.remember({file.path, 1, {{0, 0, file.text}}});
    take_in(memory, engine::WorkspaceMemory::Urgency::kAll);
  }
  const double seconds = milliseconds_since(start) / 1e3;
  std::vector<const QualityFile*> known;
  std::size_t all_tokens = 0;
  for (const QualityFile& file : project.files) {
    const std::size_t tokens = tokenizer.encode(file.text).size();
    all_tokens += tokens;
    if (!memory.knows(file.path)) continue;  // it left for others
    known.push_back(&file);
    figures.tokens += tokens;
    figures.text_bytes += file.text.size();
  }
  if (figures.tokens == 0) throw std::runtime_error(project.root.string() + ": nothing in it is remembered");
  figures.documents = known.size();
  figures.tokens_a_second = static_cast<double>(all_tokens) / seconds;
  figures.bytes_a_token = static_cast<double>(memory.bytes()) / static_cast<double>(figures.tokens);
  std::mt19937_64 random(1);
  for (int round = 0; round < kRounds; ++round) {
    const QualityFile& file = *known[random() % known.size()];
    const std::size_t at = lsp::floor_to_character(file.text, random() % (file.text.size() + 1));
    const std::size_t before = std::min(at, kContextBytes);
    const auto tokens = tokenizer.encode(std::string_view(file.text).substr(at - before, before));
    std::vector<engine::WorkspaceMemory::Occurrence> found;
    auto began = steady_clock::now();
    memory.find(tokens, memory.view(file.path, {}), found);
    figures.find_ms.push_back(milliseconds_since(began));
    began = steady_clock::now();
    memory.remember({file.path, 2 * round + 2, {{at, 0, "x"}}});
    take_in(memory, engine::WorkspaceMemory::Urgency::kEdits);
    figures.edit_ms.push_back(milliseconds_since(began));
    memory.remember({file.path, 2 * round + 3, {{at, 1, ""}}});
    take_in(memory, engine::WorkspaceMemory::Urgency::kEdits);
  }
  return figures;
}

int run(const Options& options, const Context& context) {
  const auto file = engine::GgufFile::open(bench_model(options.common, context));
  if (!file) throw std::runtime_error(file.error().message);
  const auto tokenizer = engine::Tokenizer::from_gguf(*file);
  if (!tokenizer) throw std::runtime_error(tokenizer.error().message);
  const Figures f = measure(read_quality_project(options.folder), **tokenizer, options.megabytes << 20);
  if (options.common.json) {
    print_json_line(json::object{{"documents", f.documents},
                                 {"tokens", f.tokens},
                                 {"text_bytes", f.text_bytes},
                                 {"bytes_per_token", f.bytes_a_token},
                                 {"tokens_per_s", f.tokens_a_second},
                                 {"edit_p50_ms", percentile(f.edit_ms, 0.5)},
                                 {"edit_p95_ms", percentile(f.edit_ms, 0.95)},
                                 {"find_p50_ms", percentile(f.find_ms, 0.5)},
                                 {"find_p95_ms", percentile(f.find_ms, 0.95)}});
    return 0;
  }
  std::cout << fmt::format("{} documents, {:.1f} MB, {} tokens\n", f.documents,
                           static_cast<double>(f.text_bytes) / 1e6, f.tokens)
            << fmt::format("memory        {:8.1f} bytes a token, the text included\n", f.bytes_a_token)
            << fmt::format("taking in     {:8.0f} tokens a second\n", f.tokens_a_second)
            << fmt::format("a keystroke   {:8.3f} ms, 95 % within {:.3f}\n", percentile(f.edit_ms, 0.5),
                           percentile(f.edit_ms, 0.95))
            << fmt::format("a question    {:8.3f} ms, 95 % within {:.3f}\n", percentile(f.find_ms, 0.5),
                           percentile(f.find_ms, 0.95));
  return 0;
}

}  // namespace

void add_bench_memory(CLI::App& bench, Context& context) {
  CLI::App* command = bench.add_subcommand("memory", "What it costs to remember a workspace");
  const auto options = std::make_shared<Options>();
  command->add_option("--model", options->common.model, "The model whose tokens are remembered");
  command->add_option("--megabytes", options->megabytes, "As many as the memory may take")
      ->check(CLI::Range(1, 4096));
  command->add_flag("--json", options->common.json, "One JSON object");
  command->add_option("folder", options->folder, "The workspace")->check(CLI::ExistingDirectory);
  command->callback(bench_callback(context, [options, &context] { return run(*options, context); }));
}

}  // namespace hearth::commands
