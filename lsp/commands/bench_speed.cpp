// `hearth bench decode` and `prefill`: the forward pass alone, tokens a second.
#include <algorithm>
#include <fmt/format.h>
#include <iostream>
#include <numeric>
#include <random>
#include <thread>

#include "engine/model.h"
#include "engine/prefix_tree.h"
#include "kernels/cpu/cpu_device.h"
#include "lsp/commands/bench.h"

namespace hearth::commands {
namespace {

using engine::TokenId;

enum class Phase { kDecode, kPrefill };

constexpr int kPrefillRows = 64;  // as the engine's scheduler cuts prompts

// A model with memory for one sequence.
class Forward {
 public:
  Forward(const engine::Model& model, int tokens)
      : model_(model),
        pool_(model.device().make_page_pool(model.description().shape, kernels::PageFormat::kF16,
                                            tokens / kernels::kPageTokens + 2)),
        workspace_(model.device().make_workspace(model.description().shape, kPrefillRows)),
        tree_(*pool_),
        path_(tree_.open({})) {}
  ~Forward() { tree_.close(path_); }
  Forward(const Forward&) = delete;
  Forward& operator=(const Forward&) = delete;

  // `rows` tokens a step; the last one's best continuation is asked for, as decoding does.
  void compute(std::span<const TokenId> tokens, int rows) {
    while (!tokens.empty()) {
      const auto part = tokens.first(std::min<std::size_t>(rows, tokens.size()));
      tokens = tokens.subspan(part.size());
      tree_.reserve(path_, static_cast<int>(part.size()));
      std::vector<kernels::Row> step;
      for (const TokenId token : part)
        step.push_back({token, static_cast<std::uint32_t>(path_.size() + step.size()), 0});
      std::vector<kernels::HeadQuery> queries;
      if (tokens.empty() || rows == 1)
        queries.push_back({.row = static_cast<std::uint32_t>(step.size() - 1)});
      const auto pages = path_.pages();
      model_.run({step, {&pages, 1}}, queries, *pool_, *workspace_, [] { return false; });
      tree_.commit(path_, part);
    }
  }

 private:
  const engine::Model& model_;
  std::unique_ptr<kernels::PagePool> pool_;
  std::unique_ptr<kernels::Workspace> workspace_;
  engine::PrefixTree tree_;
  engine::PrefixTree::Path path_;
};

int run(const BenchOptions& options, Phase phase, const Context& context) {
  const std::string path = bench_model(options, context);
  kernels::ThreadPool threads(options.threads > 0
                                  ? options.threads
                                  : static_cast<int>(std::max(1u, std::thread::hardware_concurrency())));
  const auto device = kernels::make_cpu_device(threads);
  const auto model = engine::Model::load(path, *device, [](double) { return true; });
  if (!model) {
    std::cerr << "hearth: " << model.error().message << '\n';
    return 1;
  }
  const int limit = (*model)->description().shape.max_positions;
  if (options.depth + options.tokens > limit) {
    std::cerr << fmt::format("hearth: --depth {} and --tokens {} are more than the model's context of {}\n",
                             options.depth, options.tokens, limit);
    return 1;
  }
  std::mt19937 random(1);
  std::vector<TokenId> tokens(options.depth + options.tokens);
  for (auto& token : tokens) token = static_cast<TokenId>(random() % (*model)->tokenizer().size());
  std::vector<double> speeds;
  for (int i = 0; i < options.runs + 1; ++i) {  // the first one warms up
    Forward forward(**model, static_cast<int>(tokens.size()));
    forward.compute(std::span(tokens).first(options.depth), kPrefillRows);
    const auto start = std::chrono::steady_clock::now();
    forward.compute(std::span(tokens).subspan(options.depth), phase == Phase::kDecode ? 1 : kPrefillRows);
    if (i > 0) speeds.push_back(options.tokens / milliseconds_since(start) * 1e3);
  }
  const double speed = percentile(speeds, 0.5);
  const double spread = (*std::ranges::max_element(speeds) - *std::ranges::min_element(speeds)) / speed;
  const std::string isa = device->name().substr(device->name().find(' ') + 1);
  if (options.json) {
    std::cout << boost::json::serialize(boost::json::object{{"model", path},
                                                            {"threads", threads.size()},
                                                            {"depth", options.depth},
                                                            {"tokens", options.tokens},
                                                            {"tokens_per_s", speed},
                                                            {"ms_per_token", 1e3 / speed},
                                                            {"cpu", cpu_name()},
                                                            {"isa", isa},
                                                            {"runs", options.runs},
                                                            {"spread", spread}})
              << '\n';
  } else {
    std::cout << fmt::format(
        "{}: {:.1f} tokens a second ({:.3f} ms each; median of {} runs, spread {:.0f} %)\n"
        "  {} tokens at depth {}, {} threads, {}, {}\n",
        phase == Phase::kDecode ? "decode" : "prefill", speed, 1e3 / speed, options.runs, 100 * spread,
        options.tokens, options.depth, threads.size(), isa, cpu_name());
  }
  return 0;
}

void add(CLI::App& bench, Context& context, Phase phase, const char* name, const char* description,
         int tokens) {
  CLI::App* command = bench.add_subcommand(name, description);
  const auto options = std::make_shared<BenchOptions>();
  options->tokens = tokens;
  add_common_options(*command, *options);
  command->add_option("--depth", options->depth, "Tokens of context before")->check(CLI::Range(0, 1 << 20));
  command->add_option("--tokens", options->tokens, "Tokens to measure")->check(CLI::Range(1, 1 << 20));
  command->add_option("--runs", options->runs, "Runs, of which the median counts")
      ->check(CLI::Range(1, 1000));
  command->callback(
      bench_callback(context, [options, phase, &context] { return run(*options, phase, context); }));
}

}  // namespace

void add_bench_speed(CLI::App& bench, Context& context) {
  add(bench, context, Phase::kDecode, "decode", "Tokens a second, one after another", 64);
  add(bench, context, Phase::kPrefill, "prefill", "Tokens a second, many at once", 512);
}

}  // namespace hearth::commands
