// `hearth search`: files and symbols of a workspace, by words.
#include "indexer/search.h"

#include <boost/json.hpp>
#include <fmt/format.h>
#include <iostream>
#include <memory>

#include "indexer/scanner.h"
#include "lsp/commands/commands.h"
#include "lsp/commands/environment.h"
#include "lsp/commands/json_line.h"
#include "lsp/commands/workspace.h"

namespace hearth::commands {
namespace {

struct SearchArguments {
  std::string query;
  WorkspaceOptions workspace;
  std::size_t limit = 10;
  bool json = false;
};

int fail(const std::string& message) {
  std::cerr << "hearth search: " << message << '\n';
  return 1;
}

void print_json(const indexer::SearchHit& hit) {
  boost::json::array symbols;
  for (const cache::SymbolRow& symbol : hit.symbols)
    symbols.push_back({{"name", symbol.name},
                       {"kind", symbol.kind},
                       {"signature", symbol.signature},
                       {"line", symbol.start_line + 1}});
  print_json_line(
      boost::json::object{{"path", hit.path}, {"score", hit.score}, {"symbols", std::move(symbols)}});
}

void print_text(const indexer::SearchHit& hit) {
  std::cout << hit.path << '\n';
  for (const cache::SymbolRow& symbol : hit.symbols)
    std::cout << fmt::format("  {:>5}  {}\n", symbol.start_line + 1, symbol.signature);
}

int search(const SearchArguments& arguments) {
  Workspaces workspaces(arguments.workspace);
  if (const auto ready = workspaces.prepare(); !ready) return fail(ready.error().message);
  const std::string here = arguments.workspace.folder.empty() ? "." : arguments.workspace.folder;
  std::error_code failure;
  const auto place = workspaces.place_of(std::filesystem::absolute(here, failure) / "file");
  if (!place) return fail(here + ": in no workspace; say --workspace DIR");
  indexer::WorkspaceView* view = workspaces.view(place->root);
  if (view == nullptr) return fail(place->root.string() + ": not indexed; run `hearth index` there");
  const auto hits = indexer::search_workspace(view->reader(), arguments.query, arguments.limit);
  if (!hits) return fail(hits.error().message);
  for (const indexer::SearchHit& hit : *hits) arguments.json ? print_json(hit) : print_text(hit);
  if (hits->empty() && !arguments.json) std::cerr << "hearth search: nothing found\n";
  return hits->empty() ? 1 : 0;
}

}  // namespace

void add_search(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("search", "The workspace's files and symbols that words speak of");
  const auto arguments = std::make_shared<SearchArguments>();
  command->add_option("query", arguments->query, "Words, or parts of names")->required();
  command->add_option("--workspace", arguments->workspace.folder,
                      "The workspace's root; else what this folder lies in");
  command->add_option("--limit", arguments->limit, "Files at most")->check(CLI::Range(1, 1000));
  command->add_flag("--json", arguments->json, "A JSON object a line");
  command->callback([arguments, &context] { context.exit_code = search(*arguments); });
}

}  // namespace hearth::commands
