// Each folder of cases/ is a small project; `expected.txt` in it says what is found in its files, and their
// summaries.

#include "indexer/languages.h"

#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>
#include <map>
#include <set>

#include "indexer/file_analysis.h"
#include "indexer/import_version.h"
#include "indexer/package_map.h"
#include "indexer/summary.h"
#include "tests/support/temporary_folder.h"

namespace hearth::indexer {
namespace {

namespace fs = std::filesystem;

std::string described(const cache::FileRecord& record) {
  std::string text = "== " + record.file.path + " (" + record.file.language + ")\n";
  for (const cache::ImportRow& import : record.imports) {
    text += "import " + import.module;
    if (!import.names.empty()) text += " [" + import.names + "]";
    if (import.target) text += " -> " + *import.target;
    text += '\n';
  }
  for (const cache::SymbolRow& symbol : record.symbols) {
    text += (symbol.is_public ? "+ " : "- ") + symbol.kind + ' ';
    if (!symbol.container.empty()) text += symbol.container + " / ";
    text += symbol.name + " | " + symbol.signature;
    if (!symbol.documentation.empty()) text += " | " + symbol.documentation;
    text += " @" + std::to_string(symbol.start_line + 1);
    if (symbol.end_line != symbol.start_line) text += '-' + std::to_string(symbol.end_line + 1);
    text += '\n';
  }
  return text;
}

// A token is a word or a mark.
std::vector<int> count_words(const std::vector<std::string>& texts) {
  std::vector<int> counts;
  for (const std::string& text : texts) {
    int count = 0;
    bool in_word = false;
    for (const char c : text) {
      const bool word = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
      if (c != ' ' && !(word && in_word)) ++count;
      in_word = word;
    }
    counts.push_back(count);
  }
  return counts;
}

std::string summary_of(const cache::FileRecord& record, const std::vector<cache::FileRecord>& all) {
  std::vector<cache::ManifestRow> manifests;
  for (const cache::FileRecord& other : all) {
    if (other.manifest) manifests.push_back(*other.manifest);
  }
  FileFacts facts{record.file.path, record.file.language, record.imports, {}, record.symbols, {}};
  for (const cache::ImportRow& import : record.imports)
    facts.versions.push_back(version_of(import, record.file.language, manifests));
  for (const cache::SymbolRow& symbol : record.symbols) {
    std::string lower = symbol.name;
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
    facts.references.push_back(std::ranges::count_if(all, [&](const cache::FileRecord& other) {
      return (' ' + other.words + ' ').find(' ' + lower + ' ') != std::string::npos;
    }));
  }
  return summarise_file(facts, 120, count_words);
}

std::string workspace_summary(const fs::path& root, const std::vector<cache::FileRecord>& all) {
  WorkspaceFacts facts{root.filename(), {}, {}};
  std::map<std::string, std::int64_t> languages;
  for (const cache::FileRecord& record : all) {
    if (!record.file.language.empty()) ++languages[record.file.language];
    if (record.manifest) facts.manifests.emplace_back(record.file.path, *record.manifest);
  }
  facts.languages.assign(languages.begin(), languages.end());
  return summarise_workspace(facts, 120, count_words);
}

std::string described_project(const fs::path& root) {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (entry.is_regular_file() && entry.path().filename() != "expected.txt")
      files.push_back(entry.path().lexically_relative(root));
  }
  const WorkspacePaths paths(files);
  const ImportResolver resolver(paths, read_package_map(root, paths));
  FileAnalyser analyser(root, std::make_shared<OutlineQueries>());
  std::vector<cache::FileRecord> records;
  for (const std::string& path : paths.files()) {
    auto record = analyser.analyse({.path = path}, testing::read_text(root / path), resolver, {});
    if (!record) return record.error().message;
    records.push_back(std::move(*record));
  }
  std::string text;
  for (const cache::FileRecord& record : records)
    text += described(record) + "-- summary\n" + summary_of(record, records);
  return text + "== the workspace\n" + workspace_summary(root, records);
}

TEST(Languages, FindWhatTheirProjectsHold) {
  const fs::path cases = fs::path(HEARTH_SOURCE_DIR) / "tests/indexer/cases";
  std::set<std::string> tested;
  for (const auto& entry : fs::directory_iterator(cases)) {
    const std::string found = described_project(entry.path());
    if (std::getenv("HEARTH_UPDATE_GOLDENS") != nullptr)
      std::ofstream(entry.path() / "expected.txt") << found;
    EXPECT_EQ(testing::read_text(entry.path() / "expected.txt"), found) << entry.path();
    tested.insert(entry.path().filename());
  }
  for (const Language& language : languages())
    EXPECT_TRUE(tested.contains(std::string(language.id))) << language.id;
}

TEST(Languages, HaveQueriesThatCompileAndGrammarsThatLoad) {
  for (const Language& language : languages()) {
    const auto query = OutlineQuery::compile(language);
    EXPECT_TRUE(query) << query.error().message;
    EXPECT_TRUE(SyntaxParser().parse(language, "x", std::chrono::seconds(5), {})) << language.id;
  }
}

TEST(Languages, AreToldByNameByTextAndByInterpreter) {
  const auto id = [](std::string_view path, std::string_view text = "") {
    const Language* language = language_of(path, text);
    return language == nullptr ? std::string_view("none") : language->id;
  };
  EXPECT_EQ("python", id("a/b.py"));
  EXPECT_EQ("python", id("A.PY"));
  EXPECT_EQ("typescriptreact", id("a.tsx"));
  EXPECT_EQ("ruby", id("x/Gemfile"));
  EXPECT_EQ("c", id("a.h", "struct a;\n"));
  EXPECT_EQ("cpp", id("a.h", "\nclass A;\n"));
  EXPECT_EQ("shellscript", id("configure", "#!/bin/sh\n"));
  EXPECT_EQ("python", id("tool", "#!/usr/bin/env python3\n"));
  EXPECT_EQ("none", id("tool", "text"));
  EXPECT_EQ("none", id(".profile.d/x"));
  EXPECT_EQ("none", id("a.unknown"));
}

TEST(Languages, GiveUpOnAFileInTime) {
  const Language& cpp = *language_of("a.cpp", "");
  std::string text;
  for (int i = 0; i < 40'000; ++i)
    text += "template <class A, class B = decltype(a < b > (c)) > (( [] { x<y>(z); }";
  SyntaxParser parser;
  EXPECT_FALSE(parser.parse(cpp, text, std::chrono::milliseconds(5), {}));
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(parser.parse(cpp, text, std::chrono::minutes(10), stop.get_token()));
  EXPECT_TRUE(parser.parse(cpp, "int a;", std::chrono::seconds(5), {}));
}

TEST(Languages, ParseAnEditAsTheyParseTheWhole) {
  const Language& python = *language_of("a.py", "");
  SyntaxParser parser;
  const std::string before = "def a(x):\n    return x\n\ndef b():\n    pass\n";
  std::optional<SyntaxTree> old = parser.parse(python, before, std::chrono::seconds(5), {});
  const std::string after = "def a(x, y):\n    return x\n\ndef b():\n    pass\n";
  old->edit({7, 7, 10, {0, 7}, {0, 7}, {0, 10}});
  const std::optional<SyntaxTree> edited = parser.parse(python, after, std::chrono::seconds(5), {}, &*old);
  const std::optional<SyntaxTree> whole = parser.parse(python, after, std::chrono::seconds(5), {});
  const auto shape = [](const SyntaxTree& tree) {
    char* text = ts_node_string(tree.root());
    const std::string copy = text;
    ::free(text);
    return copy;
  };
  EXPECT_EQ(shape(*whole), shape(*edited));
}

}  // namespace
}  // namespace hearth::indexer
