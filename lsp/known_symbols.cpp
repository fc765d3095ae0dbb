#include "lsp/known_symbols.h"

#include <chrono>
#include <utility>

#include "indexer/languages.h"
#include "lsp/uri.h"

namespace hearth::lsp {
namespace {

constexpr std::chrono::milliseconds kOutlineLimit(30);  // of processor time; a menu waits for it
constexpr std::size_t kLongestOutlined = 1 << 20;
constexpr std::size_t kShortestLookedUp = 2;
constexpr int kMostFound = 400;

// `cart` may go on as Cart does, and `Cart` as cart.
std::string with_other_first_letter(std::string_view typed) {
  std::string other(typed);
  const bool is_letter = (other[0] >= 'a' && other[0] <= 'z') || (other[0] >= 'A' && other[0] <= 'Z');
  if (is_letter) other[0] = static_cast<char>(other[0] ^ 0x20);
  return other;
}

}  // namespace

KnownSymbols known_symbols(const Document& document, std::string_view typed,
                           indexer::DocumentOutliner& outliner, const std::optional<IndexedPlace>& index,
                           std::stop_token stop) {
  KnownSymbols known;
  const indexer::Language* language = indexer::language_named(document.language());
  if (language != nullptr && document.text().size() <= kLongestOutlined) {
    const std::string file = path_of_uri(document.uri()).value_or(document.uri());
    auto outline = outliner.outline(file, *language, document.text(), kOutlineLimit, std::move(stop));
    if (outline && *outline) known.own = std::move((*outline)->symbols);
  }
  if (!index) return known;
  if (const auto imports = index->reader.imports(index->path)) {
    for (const cache::ImportRow& import : *imports) {
      if (import.target) known.imported.insert(*import.target);
    }
  }
  if (typed.size() < kShortestLookedUp) return known;
  for (const std::string& with : {std::string(typed), with_other_first_letter(typed)}) {
    auto found = index->reader.symbols_beginning(with, kMostFound);
    if (!found) continue;
    for (cache::FoundSymbol& symbol : *found) {
      if (symbol.path != index->path) known.indexed.push_back(std::move(symbol));
    }
  }
  return known;
}

}  // namespace hearth::lsp
