#include "lsp/commands/bench_llama.h"

#include <boost/json.hpp>
#include <chrono>
#include <fmt/format.h>
#include <sstream>
#include <stdexcept>

#include "engine/child_process.h"

namespace hearth::commands {

namespace json = boost::json;

namespace {

constexpr std::chrono::minutes kPatience{30};  // it says nothing while it computes a long context

}  // namespace

std::string SpeedTest::name() const {
  const std::string what = prompt > 0 ? fmt::format("pp{}", prompt) : fmt::format("tg{}", generate);
  return depth > 0 ? fmt::format("{} @ d{}", what, depth) : what;
}

double LlamaBench::tokens_per_s(const SpeedTest& test, bool flash_attention) const {
  const engine::ChildCommand command{.arguments = {program,
                                                   "-m",
                                                   model,
                                                   "-t",
                                                   std::to_string(threads),
                                                   "-p",
                                                   std::to_string(test.prompt),
                                                   "-n",
                                                   std::to_string(test.generate),
                                                   "-d",
                                                   std::to_string(test.depth),
                                                   "-fa",
                                                   flash_attention ? "1" : "0",
                                                   "-ctk",
                                                   "f16",
                                                   "-ctv",
                                                   "f16",
                                                   "-r",
                                                   "1",
                                                   "-o",
                                                   "jsonl"},
                                     .environment = {},
                                     .stall = kPatience,
                                     .activity = {}};
  const auto outcome = engine::run_child(command, {});
  if (!outcome) throw std::runtime_error(outcome.error().message);
  std::istringstream lines(outcome->output);
  for (std::string line; std::getline(lines, line);) {
    boost::system::error_code failed;
    const json::value result = json::parse(line, failed);
    if (failed || !result.is_object()) continue;
    if (const json::value* speed = result.as_object().if_contains("avg_ts"))
      return speed->to_number<double>();
  }
  throw std::runtime_error(fmt::format("{}: no figure for {} (exit code {}): {}", program, test.name(),
                                       outcome->exit_code, outcome->output));
}

}  // namespace hearth::commands
