// What the subcommands of `hearth bench` share: options, statistics, names of this machine, and a language
// server as a child process. One file a subcommand.
#pragma once

#include <CLI/CLI.hpp>
#include <boost/json.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "engine/kv_type.h"
#include "lsp/commands/commands.h"
#include "lsp/framing.h"

namespace hearth::commands {

struct BenchOptions {
  std::string model;
  int threads = 0;
  int depth = 0;
  int tokens = 0;
  int runs = 5;
  engine::KvType kv_type = engine::KvType::kAuto;
  bool json = false;
};

// Adds --model, --threads, --json to a subcommand.
void add_common_options(CLI::App& command, BenchOptions& options);

// The file to measure. Throws CLI::ValidationError, which names what was looked for.
std::string bench_model(const BenchOptions& options, const Context& context);

// What --threads asks for.
int thread_count(const BenchOptions& options);

std::string cpu_name();

// The instruction set that the kernels are chosen for.
std::string isa_name();

// Of unsorted values; 0 of none.
double percentile(std::vector<double> values, double share);

// Bars of how many values fall into each of a row of ranges.
std::string histogram(const std::vector<double>& values, const char* unit);

double milliseconds_since(std::chrono::steady_clock::time_point start);

// What a subcommand's callback does: runs `run`, whose exceptions become a message and exit code 1.
std::function<void()> bench_callback(Context& context, std::function<int()> run);

void add_bench_speed(CLI::App& bench, Context& context);  // decode, prefill
void add_bench_compare(CLI::App& bench, Context& context);
void add_bench_kernels(CLI::App& bench, Context& context);
void add_bench_typing(CLI::App& bench, Context& context);
void add_bench_cancel(CLI::App& bench, Context& context);
void add_bench_drafts(CLI::App& bench, Context& context);
void add_bench_insertions(CLI::App& bench, Context& context);
void add_bench_memory(CLI::App& bench, Context& context);
void add_bench_quality(CLI::App& bench, Context& context);
void add_bench_ranking(CLI::App& bench, Context& context);
void add_bench_start(CLI::App& bench, Context& context);

// `hearth lsp` of this very binary over pipes. One thread; calls block. Throws std::runtime_error when the
// server ends or says nothing for a minute.
class BenchServer {
 public:
  // `folder`: the workspace's root; empty: none.
  BenchServer(const std::string& model, int threads, boost::json::object initialization_options,
              const std::string& folder = {});
  ~BenchServer();
  BenchServer(const BenchServer&) = delete;
  BenchServer& operator=(const BenchServer&) = delete;

  void notify(std::string_view method, boost::json::object params);
  std::int64_t request(std::string_view method, boost::json::object params);

  // The result of a request; notifications that arrive meanwhile are kept.
  boost::json::value result_of(std::int64_t id);

  // The params of the next notification of that method.
  boost::json::value notification(std::string_view method);

 private:
  boost::json::object take(const std::function<bool(const boost::json::object&)>& wanted);
  void send(const boost::json::object& message);

  pid_t child_ = -1;
  int to_ = -1, from_ = -1;
  std::int64_t last_id_ = 0;
  lsp::FrameDecoder decoder_;
  std::vector<boost::json::object> kept_;
};

}  // namespace hearth::commands
