// The code-intent summary of a file (DESIGN.md section 4), made from what the store keeps of it, and the
// summary of what a workspace's manifests say. The same rows give the same text. Pure functions.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cache/rows.h"

namespace hearth::indexer {

// By some model's tokenizer, in order.
using CountTokens = std::function<std::vector<int>(const std::vector<std::string>& texts)>;

struct FileFacts {
  std::string path;  // from the workspace's root
  std::string language;
  std::vector<cache::ImportRow> imports;  // in the order of the file, as what follows
  std::vector<std::string> versions;      // of each import; empty where no manifest gives one
  std::vector<cache::SymbolRow> symbols;
  std::vector<std::int64_t> references;  // of each symbol: how many files hold its name
};

// Import lines, each with its version, and the public symbols with their signatures and the first line of
// their documentation, in the order of the file. What does not fit into the budget is left out: names of
// `wanted` stay longest, then what more files refer to, then what comes earlier; imports have at most a
// third. Every line ends with a line end; empty when nothing fits.
std::string summarise_file(const FileFacts& facts, int max_tokens, const CountTokens& count,
                           const std::vector<std::string>& wanted = {});

struct WorkspaceFacts {
  std::string name;
  std::vector<std::pair<std::string, std::int64_t>> languages;        // with the files that each has
  std::vector<std::pair<std::string, cache::ManifestRow>> manifests;  // with their paths
};

// The name, then the languages and a line for each ecosystem's dependencies with their versions, those that
// the code runs with first; of one that several manifests name, the topmost manifest's. At least the name's
// line.
std::string summarise_workspace(const WorkspaceFacts& facts, int max_tokens, const CountTokens& count);

}  // namespace hearth::indexer
