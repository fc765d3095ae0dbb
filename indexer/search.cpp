#include "indexer/search.h"

#include <algorithm>
#include <set>

#include "indexer/identifiers.h"

namespace hearth::indexer {
namespace {

constexpr int kCandidates = 60;
constexpr double kNameWeight = 2;  // of a symbol whose name says the whole query
constexpr std::size_t kShownSymbols = 3;

std::vector<std::string> words_of(std::string_view text) {
  const std::string all = identifier_words(text);
  std::vector<std::string> words;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = std::min(all.find(' ', at), all.size());
    words.push_back(all.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

// How much of the query's words a name says, 0 to 1; a public one a little more.
double share_said(const cache::SymbolRow& symbol, const std::vector<std::string>& query) {
  const std::vector<std::string> words = words_of(symbol.name);
  const std::set<std::string_view> said(words.begin(), words.end());
  const auto found =
      std::ranges::count_if(query, [&](const std::string& word) { return said.contains(word); });
  const double share = static_cast<double>(found) / static_cast<double>(query.size());
  return symbol.is_public ? share : 0.9 * share;
}

}  // namespace

Result<std::vector<SearchHit>> search_workspace(cache::StoreReader& reader, std::string_view query,
                                                std::size_t limit) {
  const std::vector<std::string> words = words_of(query);
  std::vector<SearchHit> hits;
  if (words.empty()) return hits;
  const auto files = reader.files_with_words(words, kCandidates);
  if (!files) return Error{ErrorCode::kStore, files.error().message};
  for (const cache::FoundFile& file : *files) {
    auto symbols = reader.symbols(file.path);
    if (!symbols) return Error{ErrorCode::kStore, symbols.error().message};
    const double best = files->front().score;
    SearchHit hit{file.path, best > 0 ? file.score / best : 0, {}};
    const auto said = [&](const cache::SymbolRow& symbol) { return share_said(symbol, words); };
    std::ranges::stable_sort(*symbols, std::greater<>(), said);
    if (!symbols->empty()) hit.score += kNameWeight * said(symbols->front());
    for (cache::SymbolRow& symbol : *symbols) {
      if (hit.symbols.size() == kShownSymbols || said(symbol) == 0) break;
      hit.symbols.push_back(std::move(symbol));
    }
    hits.push_back(std::move(hit));
  }
  std::ranges::stable_sort(hits, std::greater<>(), &SearchHit::score);
  if (hits.size() > limit) hits.resize(limit);
  return hits;
}

}  // namespace hearth::indexer
