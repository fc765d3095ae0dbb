// The names that a menu offers at a cursor: those of the text around it and those that the workspace's index
// knows, in the order of their worth. Pure.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cache/rows.h"
#include "cache/store_reader.h"
#include "lsp/near_names.h"

namespace hearth::lsp {

struct MenuWord {
  std::string name;
  // As the index has them; empty where it knows nothing of the name.
  std::string kind, signature, documentation;
  std::string path;  // of the file that defines it, from the workspace's root; empty: this one
  std::uint32_t line = 0;

  bool operator==(const MenuWord&) const = default;
};

struct MenuWords {
  std::vector<MenuWord> words;  // best first
  bool whole = true;            // no other name begins as what is typed does

  bool operator==(const MenuWords&) const = default;
};

struct KnownSymbols {
  std::vector<cache::SymbolRow> own;            // of the document itself
  std::vector<cache::FoundSymbol> indexed;      // of other files
  std::set<std::string, std::less<>> imported;  // files that the document imports
};

inline constexpr std::size_t kMostMenuWords = 80;
inline constexpr std::size_t kMostScoredWords = 32;

// `typed`: what stands of the word. Behind a dot only what was seen behind one or is a member; elsewhere no
// member that was not. The file's own language decides which other files count.
MenuWords menu_words(const NearNames& near, std::string_view typed, std::string_view language,
                     const KnownSymbols& known);

// `scores`: of the first words, more is better.
void put_in_order(MenuWords& menu, const std::vector<double>& scores);

}  // namespace hearth::lsp
