// `hearth bench decode` and `prefill`: the forward pass alone, tokens a second.
#include <algorithm>
#include <fmt/format.h>
#include <iostream>

#include "lsp/commands/bench_forward.h"
#include "lsp/commands/bench_load.h"
#include "lsp/commands/kv_type_option.h"

namespace hearth::commands {
namespace {

using engine::TokenId;

enum class Phase { kDecode, kPrefill };

constexpr int kStepsOfARun = 16;  // of verifying a block, and as many of one row between them

struct Options {
  BenchOptions common;
  int block = 0;         // rows a step; 0: one for decode, kPrefillRows for prefill
  int foreign_load = 0;  // busy processes beside
};

// Speeds of all runs. The loaded ones and those of single rows were measured in turn with the others.
struct Samples {
  std::vector<double> tokens_per_s, loaded_tokens_per_s;
  std::vector<double> one_row_ms, block_ms;
};

double timed_ms(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return milliseconds_since(start);
}

// Steps of one row and of a whole block in turn.
void verify_run(const Options& options, Forward& forward, std::span<const TokenId> next, Samples& samples) {
  for (int i = 0; i < kStepsOfARun; ++i) {
    samples.one_row_ms.push_back(timed_ms([&] { forward.verify(next.first(1)); }));
    samples.block_ms.push_back(timed_ms([&] { forward.verify(next.first(options.block)); }));
  }
}

Samples measure(const Options& options, Phase phase, const BenchModel& bench) {
  const int depth = options.common.depth;
  const bool verifies = phase == Phase::kDecode && options.block > 1;
  const int rows = phase == Phase::kDecode ? 1 : options.block > 0 ? options.block : kPrefillRows;
  const std::vector<TokenId> tokens = bench.random_tokens(depth + options.common.tokens);
  const auto context = std::span(tokens).first(depth);
  const auto next = std::span(tokens).subspan(depth);
  Samples samples;
  Forward forward(bench.model(), static_cast<int>(tokens.size()));
  const auto speed = [&] {
    forward.rewind(context);
    return options.common.tokens / timed_ms([&] { forward.compute(next, rows); }) * 1e3;
  };
  for (int i = 0; i < options.common.runs + 1; ++i) {
    if (i == 1) samples = Samples();  // the first run warmed up
    if (verifies) {
      forward.rewind(context);
      verify_run(options, forward, next, samples);
      samples.tokens_per_s.push_back(options.block / percentile(samples.block_ms, 0.5) * 1e3);
      continue;
    }
    samples.tokens_per_s.push_back(speed());
    if (options.foreign_load == 0) continue;
    const ForeignLoad load(options.foreign_load);
    samples.loaded_tokens_per_s.push_back(speed());
  }
  return samples;
}

int run(const Options& options, Phase phase, const Context& context) {
  const std::string path = bench_model(options.common, context);
  const BenchModel bench(path, thread_count(options.common), options.common.kv_type);
  const BenchOptions& common = options.common;
  if (common.depth + common.tokens > bench.max_positions()) {
    std::cerr << fmt::format("hearth: --depth {} and --tokens {} are more than the model's context of {}\n",
                             common.depth, common.tokens, bench.max_positions());
    return 1;
  }
  if (options.block > std::min(kPrefillRows, common.tokens)) {
    std::cerr << fmt::format("hearth: --block {} is more than --tokens {} or the {} rows of a step\n",
                             options.block, common.tokens, kPrefillRows);
    return 1;
  }
  const Samples samples = measure(options, phase, bench);
  const auto& speeds = samples.tokens_per_s;
  const double speed = percentile(speeds, 0.5);
  const double spread = (*std::ranges::max_element(speeds) - *std::ranges::min_element(speeds)) / speed;
  boost::json::object out{{"model", path},         {"threads", bench.threads()},
                          {"depth", common.depth}, {"tokens", common.tokens},
                          {"tokens_per_s", speed}, {"ms_per_token", 1e3 / speed},
                          {"cpu", cpu_name()},     {"isa", isa_name()},
                          {"runs", common.runs},   {"spread", spread}};
  std::string text = fmt::format(
      "{}: {:.1f} tokens a second ({:.3f} ms each; median of {} runs, spread {:.0f} %)\n"
      "  {} tokens at depth {}, {} threads, {}, {}\n",
      phase == Phase::kDecode ? "decode" : "prefill", speed, 1e3 / speed, common.runs, 100 * spread,
      common.tokens, common.depth, bench.threads(), isa_name(), cpu_name());
  if (options.block > 0) out["block"] = options.block;
  if (!samples.block_ms.empty()) {
    const double one = percentile(samples.one_row_ms, 0.5);
    const double block = percentile(samples.block_ms, 0.5);
    out["one_row_ms"] = one;
    out["block_ms"] = block;
    out["block_ratio"] = block / one;
    text += fmt::format("  a step of {} rows {:.3f} ms, of one {:.3f} ms: {:.2f} times\n", options.block,
                        block, one, block / one);
  }
  if (!samples.loaded_tokens_per_s.empty()) {
    const double loaded = percentile(samples.loaded_tokens_per_s, 0.5);
    out["foreign_load"] = options.foreign_load;
    out["loaded_tokens_per_s"] = loaded;
    out["loaded_share"] = loaded / speed;
    text += fmt::format("  {:.1f} tokens a second with {} busy threads of others beside: {:.0f} %\n", loaded,
                        options.foreign_load, 100 * loaded / speed);
  }
  std::cout << (common.json ? boost::json::serialize(out) + '\n' : text);
  return 0;
}

void add(CLI::App& bench, Context& context, Phase phase, const char* name, const char* description,
         int tokens) {
  CLI::App* command = bench.add_subcommand(name, description);
  const auto options = std::make_shared<Options>();
  options->common.tokens = tokens;
  add_common_options(*command, options->common);
  add_kv_type_option(*command, options->common.kv_type);
  command->add_option("--depth", options->common.depth, "Tokens of context before")
      ->check(CLI::Range(0, 1 << 20));
  command->add_option("--tokens", options->common.tokens, "Tokens to measure")->check(CLI::Range(1, 1 << 20));
  command->add_option("--runs", options->common.runs, "Runs, of which the median counts")
      ->check(CLI::Range(1, 1000));
  CLI::Option* block = command->add_option(
      "--block", options->block,
      phase == Phase::kDecode
          ? "Rows a step that all ask for their continuation, as drafts do, beside one row"
          : "Rows a step");
  block->check(CLI::Range(1, kPrefillRows));
  CLI::Option* load = command->add_option("--foreign-load", options->foreign_load,
                                          "Measure also with so many busy threads of other processes beside");
  load->check(CLI::Range(0, 256));
  if (phase == Phase::kDecode) block->excludes(load);
  command->callback(
      bench_callback(context, [options, phase, &context] { return run(*options, phase, context); }));
}

}  // namespace

void add_bench_speed(CLI::App& bench, Context& context) {
  add(bench, context, Phase::kDecode, "decode", "Tokens a second, one after another", 64);
  add(bench, context, Phase::kPrefill, "prefill", "Tokens a second, many at once", 512);
}

}  // namespace hearth::commands
