// What summaries of whole projects look like stands beside the projects (languages_test.cpp).

#include "indexer/summary.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "indexer/import_version.h"

namespace hearth::indexer {
namespace {

std::vector<int> count_bytes(const std::vector<std::string>& texts) {
  std::vector<int> counts;
  for (const std::string& text : texts) counts.push_back(static_cast<int>(text.size()));
  return counts;
}

cache::SymbolRow symbol(const std::string& name, const std::string& container, std::uint32_t start,
                        std::uint32_t end, bool is_public = true) {
  cache::SymbolRow row;
  row.name = name;
  row.kind = container.empty() ? "class" : "method";
  row.container = container;
  row.signature = (container.empty() ? "class " : "def ") + name;
  row.is_public = is_public;
  row.start_byte = start;
  row.end_byte = end;
  return row;
}

FileFacts two_classes() {
  FileFacts facts{.path = "a.py", .language = "python"};
  facts.symbols = {symbol("First", "", 0, 100), symbol("one", "First", 10, 50),
                   symbol("_own", "First", 50, 90, false), symbol("Second", "", 100, 200),
                   symbol("two", "Second", 110, 190)};
  facts.references = {1, 1, 9, 5, 3};
  return facts;
}

TEST(Summary, KeepsWhatMoreFilesReferToInTheOrderOfTheFile) {
  const FileFacts facts = two_classes();
  EXPECT_EQ("class First:\n    def one:\nclass Second:\n    def two:\n",
            summarise_file(facts, 1000, count_bytes));
  EXPECT_EQ("class First:\nclass Second:\n    def two:\n", summarise_file(facts, 45, count_bytes));
  EXPECT_EQ("class Second:\n", summarise_file(facts, 20, count_bytes));
  EXPECT_EQ("", summarise_file(facts, 5, count_bytes));
}

TEST(Summary, KeepsWantedNamesWithWhatEnclosesThem) {
  EXPECT_EQ("class First:\n    def one:\n", summarise_file(two_classes(), 27, count_bytes, {"one"}));
}

TEST(Summary, HasNeverMoreTokensThanItsBudget) {
  // Pieces that are longer together than one by one, as tokenizers may have them.
  const CountTokens count = [](const std::vector<std::string>& texts) {
    std::vector<int> counts;
    for (const std::string& text : texts) {
      const auto lines = std::count(text.begin(), text.end(), '\n');
      counts.push_back(static_cast<int>(text.size() + 7 * lines * lines));
    }
    return counts;
  };
  const FileFacts facts = two_classes();
  for (int budget = 0; budget < 250; ++budget)
    EXPECT_LE(count({summarise_file(facts, budget, count)})[0], budget);
}

TEST(Summary, GivesVersionsToWhatManifestsName) {
  const std::vector<cache::ManifestRow> manifests = {
      {"pypi", "shop", "1", {{"Typing_Extensions", ">=4", "4.8.0", ""}, {"PyYAML", ">=6", "", ""}}},
      {"npm", "web", "1", {{"@scope/log", "^1", "", ""}}}};
  const auto version = [&](const std::string& module, std::string_view language) {
    return version_of({module, "", 0, {}}, language, manifests);
  };
  EXPECT_EQ("4.8.0", version("typing_extensions", "python"));
  EXPECT_EQ(">=6", version("yaml.nodes", "python"));
  EXPECT_EQ("^1", version("@scope/log/levels", "typescriptreact"));
  EXPECT_EQ("", version("@scope/logger", "javascript"));
  EXPECT_EQ("", version("yaml", "javascript"));
  EXPECT_EQ("", version_of({"yaml", "", 0, "yaml.py"}, "python", manifests));
}

TEST(Summary, TellsOfAWorkspaceWhatItRunsWithFirst) {
  const WorkspaceFacts facts{
      "shop",
      {{"python", 9}, {"toml", 1}},
      {{"tools/pyproject.toml", {"pypi", "", "", {{"rich", "", "", ""}, {"yaml", "1", "", ""}}}},
       {"pyproject.toml", {"pypi", "", "", {{"pytest", ">=8", "", "dev"}, {"yaml", ">=6", "6.0", ""}}}}}};
  EXPECT_EQ("shop\nlanguages: python, toml\npypi: yaml 6.0, rich, pytest >=8\n",
            summarise_workspace(facts, 1000, count_bytes));
  EXPECT_EQ("shop\nlanguages: python, toml\npypi: yaml 6.0\n", summarise_workspace(facts, 47, count_bytes));
}

}  // namespace
}  // namespace hearth::indexer
