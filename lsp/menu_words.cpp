#include "lsp/menu_words.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <tuple>

#include "lsp/language.h"

namespace hearth::lsp {
namespace {

// Of the words that are scored, so many come from the text; the index has the rest at least.
constexpr std::size_t kNearFirst = 20;

std::string_view family_of(std::string_view language) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kFamilies{{
      {"c", "cpp"},
      {"typescript", "javascript"},
      {"typescriptreact", "javascript"},
      {"javascriptreact", "javascript"},
      {"scss", "css"},
  }};
  const auto found =
      std::ranges::find(kFamilies, language, &std::pair<std::string_view, std::string_view>::first);
  return found == kFamilies.end() ? language : found->second;
}

bool is_member(const cache::SymbolRow& symbol) {
  return !symbol.container.empty() && symbol.kind != "class" && symbol.kind != "module";
}

MenuWord word_of(const cache::SymbolRow& symbol, std::string path) {
  return {symbol.name,          symbol.kind,     symbol.signature,
          symbol.documentation, std::move(path), symbol.start_line};
}

// The symbols of other files that may stand at the word, the likeliest first, each name once.
std::vector<const cache::FoundSymbol*> fitting(const KnownSymbols& known, const WordAtCursor& word,
                                               std::string_view language) {
  std::vector<const cache::FoundSymbol*> symbols;
  for (const cache::FoundSymbol& found : known.indexed) {
    if (is_member(found.symbol) != word.is_member) continue;
    if (family_of(language_of_path(found.path)) == family_of(language)) symbols.push_back(&found);
  }
  std::ranges::stable_sort(symbols, {}, [&](const cache::FoundSymbol* found) {
    return std::tuple(!known.imported.contains(found->path), !found->symbol.is_public,
                      found->symbol.name.size());
  });
  return symbols;
}

}  // namespace

MenuWords menu_words(const NearNames& near, std::string_view typed, std::string_view language,
                     const KnownSymbols& known) {
  std::map<std::string_view, const cache::SymbolRow*> own;
  for (const cache::SymbolRow& symbol : known.own) own.try_emplace(symbol.name, &symbol);
  const std::vector<const cache::FoundSymbol*> indexed = fitting(known, near.word, language);
  std::map<std::string_view, const cache::FoundSymbol*> elsewhere;
  for (const cache::FoundSymbol* found : indexed) elsewhere.try_emplace(found->symbol.name, found);

  std::vector<MenuWord> from_text, from_index;
  std::set<std::string_view> seen;
  for (const NearName& use : near.names) {
    if (use.is_member != near.word.is_member || use.name == typed || !begins_with(use.name, typed)) continue;
    seen.insert(use.name);
    if (const auto symbol = own.find(use.name); symbol != own.end()) {
      from_text.push_back(word_of(*symbol->second, {}));
    } else if (const auto found = elsewhere.find(use.name); found != elsewhere.end()) {
      from_text.push_back(word_of(found->second->symbol, found->second->path));
    } else {
      from_text.push_back({use.name, {}, {}, {}, {}, 0});
    }
  }
  for (const cache::FoundSymbol* found : indexed) {
    const std::string& name = found->symbol.name;
    if (name != typed && begins_with(name, typed) && seen.insert(name).second)
      from_index.push_back(word_of(found->symbol, found->path));
  }
  MenuWords menu;
  const auto split = from_text.begin() + static_cast<std::ptrdiff_t>(std::min(kNearFirst, from_text.size()));
  const auto half = from_index.begin() +
                    static_cast<std::ptrdiff_t>(std::min(kMostScoredWords - kNearFirst, from_index.size()));
  menu.words.assign(from_text.begin(), split);
  menu.words.insert(menu.words.end(), from_index.begin(), half);
  menu.words.insert(menu.words.end(), split, from_text.end());
  menu.words.insert(menu.words.end(), half, from_index.end());
  menu.whole = menu.words.size() <= kMostMenuWords;
  if (!menu.whole) menu.words.resize(kMostMenuWords);
  return menu;
}

void put_in_order(MenuWords& menu, const std::vector<double>& scores) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) { return scores[i]; });
  std::vector<MenuWord> words;
  for (const std::size_t i : order) words.push_back(std::move(menu.words[i]));
  std::ranges::move(words, menu.words.begin());
}

}  // namespace hearth::lsp
