// `hearth stats`: what became of the suggestions in a workspace, and how fast they came.
#include <boost/json.hpp>
#include <chrono>
#include <fmt/format.h>
#include <iostream>
#include <memory>

#include "cache/statistics.h"
#include "cache/store_location.h"
#include "indexer/scanner.h"
#include "lsp/commands/commands.h"
#include "lsp/commands/environment.h"
#include "lsp/commands/json_line.h"

namespace hearth::commands {
namespace {

namespace json = boost::json;

struct StatsArguments {
  std::string folder = ".";
  int days = 30;
  bool json = false;
};

int fail(const std::string& message) {
  std::cerr << "hearth: " << message << '\n';
  return 1;
}

cache::LanguageStatistics sum_of(const std::vector<cache::LanguageStatistics>& rows) {
  cache::LanguageStatistics all{"all", {}, {}};
  for (const cache::LanguageStatistics& row : rows) {
    all.suggestions.shown += row.suggestions.shown;
    all.suggestions.accepted += row.suggestions.accepted;
    all.suggestions.partly_accepted += row.suggestions.partly_accepted;
    all.suggestions.typed_through += row.suggestions.typed_through;
    all.suggestions.displaced += row.suggestions.displaced;
    all.suggestions.characters += row.suggestions.characters;
    all.latency.add(row.latency);
  }
  return all;
}

json::object as_json(const cache::LanguageStatistics& row) {
  return {{"language", row.language},
          {"shown", row.suggestions.shown},
          {"accepted", row.suggestions.accepted},
          {"partly_accepted", row.suggestions.partly_accepted},
          {"typed_through", row.suggestions.typed_through},
          {"displaced", row.suggestions.displaced},
          {"characters_saved", row.suggestions.characters},
          {"answers", row.latency.answers()},
          {"p50_ms", row.latency.percentile(0.5)},
          {"p95_ms", row.latency.percentile(0.95)},
          {"p99_ms", row.latency.percentile(0.99)}};
}

std::string as_line(const cache::LanguageStatistics& row) {
  const cache::SuggestionCounts& counts = row.suggestions;
  return fmt::format("{:<16} {:>7} {:>9} {:>8} {:>7} {:>10} {:>12} {:>8.1f} {:>8.1f} {:>8.1f}\n",
                     row.language, counts.shown, counts.accepted, counts.partly_accepted,
                     counts.typed_through, counts.displaced, counts.characters, row.latency.percentile(0.5),
                     row.latency.percentile(0.95), row.latency.percentile(0.99));
}

int stats(const StatsArguments& arguments) {
  const auto root = indexer::workspace_root(arguments.folder, environment("HOME"));
  if (!root) return fail(root.error().message);
  const auto folder = cache::stores_folder(environment("XDG_CACHE_HOME"), environment("HOME"));
  if (!folder) return fail("no folder for the store: neither XDG_CACHE_HOME nor HOME is set");
  const auto today = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
  const std::int64_t since = today.time_since_epoch().count() - arguments.days + 1;
  const auto rows = cache::read_statistics(cache::store_path(*folder, *root), since);
  if (!rows) return fail(rows.error().message);
  if (arguments.json) {
    json::array languages;
    for (const cache::LanguageStatistics& row : *rows) languages.push_back(as_json(row));
    print_json_line(json::object{{"workspace", root->string()},
                                 {"days", arguments.days},
                                 {"languages", std::move(languages)},
                                 {"all", as_json(sum_of(*rows))}});
    return 0;
  }
  if (rows->empty()) {
    std::cout << root->string() << ": nothing was suggested here in " << arguments.days << " days\n";
    return 0;
  }
  std::cout << fmt::format("{:<16} {:>7} {:>9} {:>8} {:>7} {:>10} {:>12} {:>8} {:>8} {:>8}\n", "language",
                           "shown", "accepted", "in part", "typed", "displaced", "chars saved", "p50 ms",
                           "p95 ms", "p99 ms");
  for (const cache::LanguageStatistics& row : *rows) std::cout << as_line(row);
  if (rows->size() > 1) std::cout << as_line(sum_of(*rows));
  return 0;
}

}  // namespace

void add_stats(CLI::App& app, Context& context) {
  auto arguments = std::make_shared<StatsArguments>();
  CLI::App* command = app.add_subcommand("stats", "What became of suggestions in a workspace, by language");
  command->add_option("folder", arguments->folder, "The workspace's root")->capture_default_str();
  command->add_option("--days", arguments->days, "Of so many days, today included")
      ->check(CLI::Range(1, 36500))
      ->capture_default_str();
  command->add_flag("--json", arguments->json, "One JSON object");
  command->callback([arguments, &context] { context.exit_code = stats(*arguments); });
}

}  // namespace hearth::commands
