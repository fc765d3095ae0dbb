// `hearth bench compare`: our forward pass and llama-bench's in turn, on the same file and threads.
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iostream>

#include "lsp/commands/bench_forward.h"
#include "lsp/commands/bench_llama.h"
#include "lsp/commands/bench_plot.h"
#include "lsp/commands/kv_type_option.h"

namespace hearth::commands {
namespace {

namespace json = boost::json;
using engine::TokenId;

struct Options {
  BenchOptions common;
  std::string llama_bench, svg;
  std::vector<int> depths{0, 2048, 8000};
  std::vector<int> prompts{128, 512, 2048};
  int rounds = 3;
};

struct Comparison {
  SpeedTest test;
  std::vector<double> ours, theirs, ratios;  // by round

  double ratio() const { return percentile(ratios, 0.5); }
  double ratio_min() const { return *std::ranges::min_element(ratios); }
  double ratio_max() const { return *std::ranges::max_element(ratios); }
};

double our_speed(Forward& forward, std::span<const TokenId> tokens, const SpeedTest& test) {
  forward.rewind(tokens.first(test.depth));
  const auto next = tokens.subspan(test.depth, test.prompt > 0 ? test.prompt : test.generate);
  const auto start = std::chrono::steady_clock::now();
  forward.compute(next, test.prompt > 0 ? kPrefillRows : 1);
  return static_cast<double>(next.size()) / milliseconds_since(start) * 1e3;
}

// Theirs is the better of their two attention kernels, found in the first round.
Comparison compare(const SpeedTest& test, int rounds, const BenchModel& bench, const LlamaBench& llama) {
  Comparison result{.test = test};
  const std::vector<TokenId> tokens = bench.random_tokens(test.depth + test.prompt + test.generate);
  Forward forward(bench.model(), static_cast<int>(tokens.size()));
  our_speed(forward, tokens, test);  // warms up, as llama-bench does
  bool flash = false;
  for (int round = 0; round < rounds; ++round) {
    result.ours.push_back(our_speed(forward, tokens, test));
    double theirs = llama.tokens_per_s(test, flash);
    if (round == 0) {
      const double with_flash = llama.tokens_per_s(test, true);
      flash = with_flash > theirs;
      theirs = std::max(theirs, with_flash);
    }
    result.theirs.push_back(theirs);
    result.ratios.push_back(result.ours.back() / theirs);
  }
  return result;
}

std::vector<SpeedTest> tests_of(const Options& options, int max_positions) {
  std::vector<SpeedTest> tests;
  for (const int prompt : options.prompts) {
    if (prompt > 0 && prompt <= max_positions) tests.push_back({.prompt = prompt});
  }
  for (const int depth : options.depths) {
    if (depth + options.common.tokens <= max_positions)
      tests.push_back({.generate = options.common.tokens, .depth = depth});
  }
  return tests;
}

json::object as_json(const std::string& model, const Comparison& c) {
  return {{"model", model},
          {"test", c.test.name()},
          {"ours", percentile(c.ours, 0.5)},
          {"theirs", percentile(c.theirs, 0.5)},
          {"ratio", c.ratio()},
          {"ratio_min", c.ratio_min()},
          {"ratio_max", c.ratio_max()}};
}

std::string table_row(const Comparison& c) {
  return fmt::format("{:<16}{:>9.1f}{:>9.1f}{:>8.2f}   ({:.2f} to {:.2f})\n", c.test.name(),
                     percentile(c.ours, 0.5), percentile(c.theirs, 0.5), c.ratio(), c.ratio_min(),
                     c.ratio_max());
}

void write_plot(const std::string& file, const std::string& model, const std::vector<Comparison>& results) {
  PlotLine ours{"hearth", "#c2410c", {}}, theirs{"llama-bench", "#1d4ed8", {}};
  for (const Comparison& c : results) {
    if (c.test.generate == 0) continue;
    ours.points.emplace_back(c.test.depth, percentile(c.ours, 0.5));
    theirs.points.emplace_back(c.test.depth, percentile(c.theirs, 0.5));
  }
  std::ofstream out(file, std::ios::binary);
  out << speed_plot(fmt::format("{}: decoding, {}", model, cpu_name()), {ours, theirs});
  if (!out.flush()) throw std::runtime_error(file + ": cannot be written");
}

int run(Options options, const Context& context) {
  std::ranges::sort(options.depths);
  const std::string path = bench_model(options.common, context);
  const std::string model = std::filesystem::path(path).filename().string();
  const BenchModel bench(path, thread_count(options.common), options.common.kv_type);
  const LlamaBench llama{options.llama_bench, path, bench.threads()};
  if (!options.common.json) {
    std::cout << fmt::format("{}, {} threads, {}, {}; tokens a second, {} rounds\n", model, bench.threads(),
                             isa_name(), cpu_name(), options.rounds)
              << fmt::format("{:<16}{:>9}{:>9}{:>8}\n", "", "hearth", "llama", "ratio") << std::flush;
  }
  std::vector<Comparison> results;
  json::array list;
  for (const SpeedTest& test : tests_of(options, bench.max_positions())) {
    results.push_back(compare(test, options.rounds, bench, llama));
    list.push_back(as_json(model, results.back()));
    if (!options.common.json) std::cout << table_row(results.back()) << std::flush;
  }
  if (options.common.json) std::cout << json::serialize(list) << '\n';
  if (!options.svg.empty()) write_plot(options.svg, model, results);
  return 0;
}

}  // namespace

void add_bench_compare(CLI::App& bench, Context& context) {
  CLI::App* command = bench.add_subcommand("compare", "Beside llama-bench, in turn, on the same model file");
  const auto options = std::make_shared<Options>();
  options->common.tokens = 32;
  add_common_options(*command, options->common);
  add_kv_type_option(*command, options->common.kv_type);
  command->add_option("--llama-bench", options->llama_bench, "llama.cpp's program of that name")->required();
  command->add_option("--depths", options->depths, "Tokens of context to decode after")
      ->delimiter(',')
      ->check(CLI::Range(0, 1 << 20));
  command->add_option("--prompts", options->prompts, "Tokens of prompts to prefill; 0: none")
      ->delimiter(',')
      ->check(CLI::Range(0, 1 << 20));
  command->add_option("--tokens", options->common.tokens, "Tokens to decode")->check(CLI::Range(1, 1 << 16));
  command->add_option("--rounds", options->rounds, "Rounds, of whose ratios the median counts")
      ->check(CLI::Range(1, 100));
  command->add_option("--svg", options->svg, "Write a plot of decoding against depth there");
  command->callback(bench_callback(context, [options, &context] { return run(*options, context); }));
}

}  // namespace hearth::commands
