// `hearth bench cancel`: from $/cancelRequest to an idle engine, over the real server process.
#include <fmt/format.h>
#include <iostream>
#include <random>
#include <thread>

#include "lsp/commands/bench.h"

namespace hearth::commands {
namespace {

namespace json = boost::json;

constexpr int kLongAnswerTokens = 400;
constexpr int kRounds = 40;
const char* const kUri = "file:///bench/cancel.py";

// A text that no other round's begins with, so that it must be prefilled.
std::string fresh_text(int round) {
  std::string text;
  for (int line = 0; line < 120; ++line)
    text += fmt::format("value_{}_{} = compute({}, {})\n", round, line, line, round);
  return text;
}

bool idle(BenchServer& server) {
  const json::value status = server.result_of(server.request("hearth/status", {}));
  return status.at("state") == "ready" && status.at("engine").at("jobsRunning").to_number<int>() == 0 &&
         status.at("engine").at("jobsWaiting").to_number<int>() == 0;
}

// Asks seldom enough to leave the cores to the engine.
void wait_until_idle(BenchServer& server) {
  while (!idle(server)) std::this_thread::sleep_for(std::chrono::microseconds(250));
}

// Asks, waits `after`, cancels; how long until the engine is idle. Negative when the answer came first.
double cancel_after(BenchServer& server, std::chrono::microseconds after, int line) {
  const auto id =
      server.request("textDocument/inlineCompletion", {{"textDocument", {{"uri", kUri}}},
                                                       {"position", {{"line", line}, {"character", 0}}},
                                                       {"context", {{"triggerKind", 1}}}});
  std::this_thread::sleep_for(after);
  if (idle(server)) {
    server.result_of(id);
    return -1;
  }
  const auto start = std::chrono::steady_clock::now();
  server.notify("$/cancelRequest", {{"id", id}});
  wait_until_idle(server);
  const double ms = milliseconds_since(start);
  server.result_of(id);
  return ms;
}

int run(const BenchOptions& options, const Context& context) {
  const std::string model = bench_model(options, context);
  BenchServer server(model, thread_count(options),
                     {{"triggerKinds", "3.18"}, {"exactTokens", kLongAnswerTokens}});
  std::mt19937 random(1);
  std::vector<double> prefill, decode;
  const auto open = [&](const std::string& text, int version) {
    server.notify(
        "textDocument/didOpen",
        {{"textDocument", {{"uri", kUri}, {"languageId", "python"}, {"version", version}, {"text", text}}}});
  };
  wait_until_idle(server);  // loaded
  const auto shut = [&] { server.notify("textDocument/didClose", {{"textDocument", {{"uri", kUri}}}}); };
  for (int round = 0; round < kRounds; ++round) {
    open(fresh_text(round), round);
    const double ms = cancel_after(server, std::chrono::microseconds(1000 + random() % 60'000), 60);
    if (ms >= 0) prefill.push_back(ms);
    shut();
  }
  open("def f(values):\n    return ", 1);
  wait_until_idle(server);
  for (int round = 0; round < kRounds; ++round) {
    const double ms = cancel_after(server, std::chrono::microseconds(20'000 + random() % 60'000), 1);
    if (ms >= 0) decode.push_back(ms);
  }
  std::vector<double> all = prefill;
  all.insert(all.end(), decode.begin(), decode.end());
  if (options.json) {
    std::cout << json::serialize(json::object{{"p50_ms", percentile(all, 0.5)},
                                              {"p95_ms", percentile(all, 0.95)},
                                              {"prefill_p95_ms", percentile(prefill, 0.95)},
                                              {"decode_p95_ms", percentile(decode, 0.95)},
                                              {"cancels", all.size()}})
              << '\n';
  } else {
    std::cout << fmt::format("{:<10}{:>9}{:>9}{:>9}\n", "cancel in", "p50 ms", "p95 ms", "rounds")
              << fmt::format("{:<10}{:>9.2f}{:>9.2f}{:>9}\n", "prefill", percentile(prefill, 0.5),
                             percentile(prefill, 0.95), prefill.size())
              << fmt::format("{:<10}{:>9.2f}{:>9.2f}{:>9}\n", "decode", percentile(decode, 0.5),
                             percentile(decode, 0.95), decode.size())
              << histogram(all, "ms");
  }
  return 0;
}

}  // namespace

void add_bench_cancel(CLI::App& bench, Context& context) {
  CLI::App* command = bench.add_subcommand("cancel", "How soon the engine is idle after a cancel");
  const auto options = std::make_shared<BenchOptions>();
  add_common_options(*command, *options);
  command->callback(bench_callback(context, [options, &context] { return run(*options, context); }));
}

}  // namespace hearth::commands
