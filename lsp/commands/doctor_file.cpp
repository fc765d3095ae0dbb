// `hearth doctor FILE`: what the index makes of one file.
#include <boost/json.hpp>
#include <fmt/format.h>
#include <iostream>
#include <memory>

#include "indexer/file_policy.h"
#include "indexer/read_file.h"
#include "indexer/related_files.h"
#include "indexer/scanner.h"
#include "lsp/commands/commands.h"
#include "lsp/commands/doctor_parts.h"
#include "lsp/commands/json_line.h"
#include "lsp/commands/workspace.h"

namespace hearth::commands {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

constexpr int kSummaryTokens = 300;
constexpr std::size_t kShownFiles = 10;

// Near enough without a model.
std::vector<int> count_roughly(const std::vector<std::string>& texts) {
  std::vector<int> counts;
  for (const std::string& text : texts) counts.push_back(static_cast<int>(text.size() / 3 + 1));
  return counts;
}

struct Examined {
  std::string root, path;
  std::string state;  // "indexed", "left out" or "not indexed"
  std::string why;    // of the other two; of the first, what is wrong all the same
  std::string language, summary;
  std::vector<indexer::RelatedFile> leans_on;
  std::vector<std::string> imported_by;
};

// Why the disk says that it is left out, nothing where it is not.
std::optional<std::string> left_out_now(const FilePlace& place) {
  const indexer::IndexOptions options = index_options(place.root, 1);
  const auto entry = indexer::scan_one(
      {.root = place.root, .global_excludes = options.global_excludes, .enter = {}}, place.path);
  if (!entry) return "there is no such file";
  if (entry->left_out == indexer::LeftOut::kNot) return std::nullopt;
  return std::string(indexer::reason(entry->left_out));
}

indexer::Result<Examined> examine_file(const std::string& file) {
  Workspaces workspaces(WorkspaceOptions{});
  const auto place = workspaces.place_of(fs::absolute(file));
  if (!place)
    return indexer::Error{
        indexer::ErrorCode::kInvalid,
        file + ": in no workspace: no folder above it has a store, a repository or a manifest"};
  Examined examined{place->root, place->path, "not indexed", "", "", "", {}, {}};
  if (const auto why = left_out_now(*place)) {
    examined.state = "left out";
    examined.why = *why;
    return examined;
  }
  indexer::WorkspaceView* view = workspaces.view(place->root);
  if (view == nullptr) {
    examined.why = "the workspace has no store yet: run `hearth index " + place->root.string() + "`";
    return examined;
  }
  const auto row = view->reader().file(place->path);
  if (!row) return indexer::Error{indexer::ErrorCode::kStore, row.error().message};
  if (!*row) {
    examined.why = "it came after the workspace was indexed: run `hearth index " + place->root.string() + "`";
    return examined;
  }
  examined.language = (*row)->language;
  if (!(*row)->left_out.empty()) {
    examined.state = "left out";
    examined.why = (*row)->left_out;
    return examined;
  }
  examined.state = "indexed";
  const auto facts = view->facts(place->path);
  if (!facts) return facts.error();
  examined.summary = indexer::summarise_file(*facts, kSummaryTokens, count_roughly);
  const auto importers = view->reader().importers(place->path);
  if (importers) examined.imported_by = *importers;
  const auto text = indexer::read_file(place->root / place->path, indexer::kMaxIndexedBytes);
  if (!text) return text.error();
  const auto stores = stores_folder();
  if (!stores) return stores.error();
  const auto journal = std::make_shared<indexer::ParseJournal>(*stores);
  if (journal->ever_crashed((place->root / place->path).string()))
    examined.why = "its parser crashed at another text of it, which was not saved or is no more";
  indexer::DocumentOutliner outliner(journal);
  auto related = indexer::related_files(
      *view, outliner, {.path = place->path, .text = *text, .cursor = text->size()}, kShownFiles);
  if (!related) return related.error();
  examined.leans_on = std::move(*related);
  return examined;
}

void print_json(const Examined& examined) {
  json::array leans_on;
  for (const indexer::RelatedFile& file : examined.leans_on)
    leans_on.push_back({{"path", file.path}, {"score", file.score}});
  print_json_line(json::object{{"workspace", examined.root},
                               {"path", examined.path},
                               {"state", examined.state},
                               {"why", examined.why},
                               {"language", examined.language},
                               {"summary", examined.summary},
                               {"leans_on", std::move(leans_on)},
                               {"imported_by", json::value_from(examined.imported_by)}});
}

void print_text(const Examined& examined) {
  std::cout << examined.path << " in " << examined.root << ": " << examined.state;
  if (!examined.language.empty()) std::cout << " (" << examined.language << ")";
  if (!examined.why.empty()) std::cout << ": " << examined.why;
  std::cout << '\n';
  if (!examined.summary.empty()) std::cout << "\nsummary\n" << examined.summary;
  if (!examined.leans_on.empty()) std::cout << "\nleans on\n";
  for (const indexer::RelatedFile& file : examined.leans_on)
    std::cout << fmt::format("  {:5.2f}  {}\n", file.score, file.path);
  if (!examined.imported_by.empty()) std::cout << "\nimported by\n";
  for (const std::string& path : examined.imported_by) std::cout << "  " << path << '\n';
}

}  // namespace

int doctor_file(const std::string& file, bool as_json) {
  const auto examined = examine_file(file);
  if (!examined) {
    std::cerr << "hearth doctor: " << examined.error().message << '\n';
    return 1;
  }
  as_json ? print_json(*examined) : print_text(*examined);
  return 0;
}

}  // namespace hearth::commands
