#include "lsp/commands/bench.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <iostream>
#include <numeric>
#include <thread>

#include "kernels/cpu/cpu_device.h"

namespace hearth::commands {

void add_common_options(CLI::App& command, BenchOptions& options) {
  command.add_option("--model", options.model, "The model's file, or its name in the model folders");
  command.add_option("--threads", options.threads, "Compute threads; 0: one for each core")
      ->check(CLI::Range(0, 256));
  command.add_flag("--json", options.json, "One JSON object instead of a table");
}

std::string bench_model(const BenchOptions& options, const Context& context) {
  const auto choice = engine::choose_model(
      context.models, options.model.empty() ? std::nullopt : std::optional<std::string>(options.model));
  if (!choice) throw CLI::ValidationError("--model", choice.error().message);
  return choice->path.string();
}

int thread_count(const BenchOptions& options) {
  return options.threads > 0 ? options.threads
                             : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

std::string cpu_name() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("model name")) return line.substr(std::min(line.size(), line.find(':') + 2));
  }
  return "unknown";
}

std::string isa_name() { return kernels::name(kernels::supported_cpu_isas().back()); }

double percentile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const auto at = static_cast<std::size_t>(share * static_cast<double>(values.size()));
  return values[std::min(at, values.size() - 1)];
}

std::string histogram(const std::vector<double>& values, const char* unit) {
  constexpr int kBars = 12;
  constexpr int kWidth = 50;
  if (values.empty()) return {};
  const double top = percentile(values, 0.99);
  const double step = std::max(top / kBars, 1e-9);
  std::vector<int> counts(kBars + 1);
  for (const double value : values)
    ++counts[std::min<std::size_t>(kBars, static_cast<std::size_t>(value / step))];
  const int most = *std::ranges::max_element(counts);
  std::string out;
  for (int i = 0; i <= kBars; ++i) {
    if (counts[i] == 0 && i == kBars) continue;
    out += fmt::format("{:>8.1f} {} {} {}\n", i * step, unit,
                       std::string((counts[i] * kWidth + most - 1) / most, '#'), counts[i]);
  }
  return out;
}

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

std::function<void()> bench_callback(Context& context, std::function<int()> run) {
  return [&context, run = std::move(run)] {
    try {
      context.exit_code = run();
    } catch (const CLI::Error&) {
      throw;
    } catch (const std::exception& failure) {
      std::cerr << "hearth: " << failure.what() << '\n';
      context.exit_code = 1;
    }
  };
}

void add_bench(CLI::App& app, Context& context) {
  CLI::App* bench = app.add_subcommand("bench", "What this machine does with a model");
  bench->require_subcommand(1);
  add_bench_speed(*bench, context);
  add_bench_compare(*bench, context);
  add_bench_kernels(*bench, context);
  add_bench_typing(*bench, context);
  add_bench_cancel(*bench, context);
  add_bench_drafts(*bench, context);
  add_bench_insertions(*bench, context);
  add_bench_memory(*bench, context);
  add_bench_quality(*bench, context);
  add_bench_ranking(*bench, context);
  add_bench_start(*bench, context);
}

}  // namespace hearth::commands
