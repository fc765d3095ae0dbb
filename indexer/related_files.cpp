#include "indexer/related_files.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "indexer/cursor_names.h"
#include "indexer/languages.h"

namespace hearth::indexer {
namespace {

constexpr double kUnseen = 0.7;  // of a definition that nothing here imports

constexpr std::size_t kNames = 200;
constexpr int kDefinitions = 40;   // of one name that are looked at
constexpr double kTooCommon = 12;  // definitions of a name that says nothing any more
constexpr std::size_t kSearchWords = 24;
constexpr int kSimilarFiles = 30;
constexpr std::chrono::milliseconds kParseLimit{500};

std::string_view family(std::string_view language) {
  if (language == "c") return "cpp";
  if (language.starts_with("javascript") || language.starts_with("typescript")) return "javascript";
  return language;
}

bool contains(const std::string& list, std::string_view word) {
  return (' ' + list + ' ').find(' ' + std::string(word) + ' ') != std::string::npos;
}

// Languages where a folder's files see each other without an import.
bool shares_folders(std::string_view language) {
  return language == "go" || language == "java" || language == "csharp" || language == "php" ||
         language == "ruby" || language == "cpp" || language == "c";
}

Error store_error(const cache::Error& error) { return {ErrorCode::kStore, error.message}; }

class Ranking {
 public:
  Ranking(WorkspaceView& view, const PlaceInFile& place, const Language* language,
          const RankingWeights& weights)
      : view_(view),
        place_(place),
        language_(language),
        weights_(weights),
        names_(names_at(place.text, place.cursor, kNames)) {}

  void add_imports(const std::vector<cache::ImportRow>& imports) {
    for (const cache::ImportRow& import : imports) {
      if (!import.target) continue;
      for (const std::string& path : files_of(*import.target)) {
        if (!may_answer(path)) continue;
        Candidate& file = files_[path];
        // Importing what is used right here says more.
        file.score +=
            weights_.imported * (0.5 + nearness(import)) / (1.0 + static_cast<double>(file.imports));
        ++file.imports;
      }
      for (std::size_t at = 0; at < import.names.size();) {
        const std::size_t end = std::min(import.names.find(' ', at), import.names.size());
        imported_names_.insert(import.names.substr(at, end - at));
        at = end + 1;
      }
    }
  }

  Result<void> add_definitions() {
    for (const CursorName& name : names_) {
      const auto found = view_.reader().symbols_named(name.name, kDefinitions);
      if (!found) return store_error(found.error());
      std::unordered_set<std::string_view> own, others;
      for (const cache::FoundSymbol& symbol : *found) {
        if (symbol.path == place_.path)
          own.insert(symbol.path);
        else if (can_see(symbol))
          others.insert(symbol.path);
      }
      // What this file defines itself it needs from nobody.
      const double definitions = static_cast<double>(others.size() + own.size());
      if (others.empty() || definitions > kTooCommon) continue;
      const bool is_imported = imported_names_.contains(name.name);
      for (const std::string_view path : others) {
        Candidate& file = files_[std::string(path)];
        double score = weights_.defines * name.weight / definitions;
        if (is_imported) score += weights_.imported_name * (0.2 + name.weight) / definitions;
        if (file.imports == 0 && !is_imported) score *= kUnseen;
        file.score += score;
        file.wanted.push_back(name.name);
      }
    }
    return {};
  }

  Result<void> add_shared_words() {
    std::vector<std::string> words;
    for (const CursorName& name : names_) {
      if (words.size() == kSearchWords) break;
      if (name.name.size() > 3) words.push_back(name.name);
    }
    const auto found = view_.reader().files_with_words(words, kSimilarFiles);
    if (!found) return store_error(found.error());
    if (found->empty() || found->front().score <= 0) return {};
    for (const cache::FoundFile& file : *found) {
      const auto known = files_.find(file.path);
      if (known != files_.end())
        known->second.score += weights_.shared_words * file.score / found->front().score;
    }
    return {};
  }

  std::vector<RelatedFile> best(std::size_t limit) {
    const std::string_view folder = folder_of(place_.path);
    std::vector<RelatedFile> ranked;
    for (auto& [path, file] : files_) {
      if (folder_of(path) == folder) file.score += weights_.same_folder;
      const auto recent = std::ranges::find(place_.recent, path);
      if (recent != place_.recent.end())
        file.score += weights_.recent / static_cast<double>(1 + (recent - place_.recent.begin()));
      ranked.push_back({path, file.score, std::move(file.wanted)});
    }
    std::ranges::sort(ranked, [](const RelatedFile& a, const RelatedFile& b) {
      return a.score != b.score ? a.score > b.score : a.path < b.path;
    });
    if (ranked.size() > limit) ranked.resize(limit);
    return ranked;
  }

 private:
  struct Candidate {
    double score = 0;
    int imports = 0;
    std::vector<std::string> wanted;
  };

  bool may_answer(const std::string& path) const {
    return path != place_.path && !place_.masked.contains(path) && view_.has_file(path);
  }

  // A folder that is imported is its files.
  std::vector<std::string> files_of(const std::string& target) const {
    if (!target.ends_with('/')) return {target};
    std::vector<std::string> files;
    const std::string prefix = target == "/" ? "" : target;
    const std::vector<std::string>& all = view_.files();
    for (auto file = std::ranges::lower_bound(all, prefix); file != all.end() && file->starts_with(prefix);
         ++file) {
      if (file->find('/', prefix.size()) == std::string::npos) files.push_back(*file);
    }
    return files;
  }

  double nearness(const cache::ImportRow& import) const {
    double best = 0;
    const std::size_t part = import.module.find_last_of(".:/\\");
    const std::string_view last =
        std::string_view(import.module).substr(part == std::string::npos ? 0 : part + 1);
    for (const CursorName& name : names_) {
      if (name.name == last || contains(import.names, name.name)) best = std::max(best, name.weight);
    }
    return best;
  }

  bool can_see(const cache::FoundSymbol& found) {
    if (!may_answer(found.path)) return false;
    const bool imported = files_.contains(found.path) && files_.at(found.path).imports > 0;
    if (imported) return true;
    if (language_ == nullptr || !speaks_alike(found.path)) return false;
    const bool beside = folder_of(found.path) == folder_of(place_.path) && shares_folders(language_->id);
    return found.symbol.is_public || (beside && language_->visibility == Visibility::kCapital);
  }

  bool speaks_alike(const std::string& path) {
    const auto [known, is_new] = alike_.emplace(path, false);
    if (is_new) {
      const auto file = view_.reader().file(path);
      known->second = file && *file && family((*file)->language) == family(language_->id);
    }
    return known->second;
  }

  WorkspaceView& view_;
  const PlaceInFile& place_;
  const Language* language_;
  const RankingWeights& weights_;
  std::vector<CursorName> names_;
  std::unordered_set<std::string> imported_names_;
  std::unordered_map<std::string, bool> alike_;
  std::map<std::string, Candidate> files_;
};

}  // namespace

Result<std::vector<RelatedFile>> related_files(WorkspaceView& view, DocumentOutliner& outliner,
                                               const PlaceInFile& place, std::size_t limit,
                                               std::stop_token stop, const RankingWeights& weights) {
  const Language* language = language_of(place.path, place.text);
  Ranking ranking(view, place, language, weights);
  if (language != nullptr) {
    auto outline = outliner.outline((view.root() / place.path).string(), *language, place.text, kParseLimit,
                                    std::move(stop));
    if (!outline) return outline.error();
    if (*outline)
      ranking.add_imports(
          view.resolver().resolve(language->imports, place.path, std::move((*outline)->imports)));
  }
  if (const Result<void> done = ranking.add_definitions(); !done) return done.error();
  if (const Result<void> done = ranking.add_shared_words(); !done) return done.error();
  return ranking.best(limit);
}

}  // namespace hearth::indexer
