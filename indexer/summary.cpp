#include "indexer/summary.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "indexer/languages.h"
#include "indexer/manifest.h"

namespace hearth::indexer {
namespace {

constexpr int kImportShare = 3;  // imports have one part of so many
constexpr std::size_t kMaxImports = 60;

std::string joined(const std::vector<std::string>& words, std::string_view separator) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : std::string(separator)) + word;
  return text;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t blank = std::min(text.find(' '), text.size());
    if (blank > 0) words.emplace_back(text.substr(0, blank));
    text.remove_prefix(std::min(blank + 1, text.size()));
  }
  return words;
}

// What opens a comment, empty where a language has none that ends with its line.
std::string_view comment_mark(std::string_view language) {
  const Language* known = language_named(language);
  const std::string_view marks = known == nullptr ? std::string_view() : known->line_comments;
  return marks.substr(0, marks.find(' '));
}

std::string with_comment(std::string line, std::string_view mark, const std::string& comment) {
  if (comment.empty() || mark.empty()) return line;
  return line + "  " + std::string(mark) + ' ' + comment;
}

// As the language writes it.
std::string import_line(std::string_view language, const std::string& module,
                        const std::vector<std::string>& names) {
  const std::string list = joined(names, ", ");
  if (language == "python") return names.empty() ? "import " + module : "from " + module + " import " + list;
  if (language.starts_with("javascript") || language.starts_with("typescript"))
    return names.empty() ? "import \"" + module + '"' : "import { " + list + " } from \"" + module + '"';
  if (language == "c" || language == "cpp") return "#include " + module;
  if (language == "go") return "import \"" + module + '"';
  if (language == "rust" && names.size() < 2)
    return "use " + module + (names.empty() ? ";" : "::" + list + ';');
  if (language == "rust") return "use " + module + "::{" + list + "};";
  if (language == "java") return "import " + module + (names.empty() ? ";" : '.' + list + ';');
  if (language == "csharp") return "using " + module + ';';
  if (language == "php")
    return (module.find_first_of("'\"") == std::string::npos ? "use " : "require ") + module + ';';
  if (language == "ruby") return "require \"" + module + '"';
  if (language == "lua") return "require(\"" + module + "\")";
  if (language == "shellscript") return "source " + module;
  if (language == "css") return "@import \"" + module + "\";";
  return module;
}

struct Line {
  std::string text;
  int tokens = 0;
};

void measure(std::vector<Line>& lines, const CountTokens& count) {
  std::vector<std::string> texts;
  for (const Line& line : lines) texts.push_back(line.text);
  const std::vector<int> tokens = count(texts);
  for (std::size_t i = 0; i < lines.size() && i < tokens.size(); ++i) lines[i].tokens = tokens[i];
}

// Those that say most stay longest: of the workspace, or with a version.
std::vector<Line> import_lines(const FileFacts& facts, int max_tokens, const CountTokens& count) {
  struct Import {
    const cache::ImportRow* row;
    std::vector<std::string> names;
    bool telling;
    std::string version;
  };
  std::vector<Import> imports;
  for (std::size_t i = 0; i < facts.imports.size(); ++i) {
    const cache::ImportRow& row = facts.imports[i];
    const std::string version = i < facts.versions.size() ? facts.versions[i] : "";
    const bool telling = row.target.has_value() || !version.empty();
    // One statement may be several rows: each imported file has its own.
    if (!imports.empty() && imports.back().row->line == row.line &&
        imports.back().row->module == row.module) {
      const std::vector<std::string> more = words_of(row.names);
      imports.back().names.insert(imports.back().names.end(), more.begin(), more.end());
      imports.back().telling |= telling;
      continue;
    }
    imports.push_back({&row, words_of(row.names), telling, version});
  }
  std::ranges::stable_sort(imports, std::greater<>(), &Import::telling);
  if (imports.size() > kMaxImports) imports.resize(kMaxImports);
  const std::string_view mark = comment_mark(facts.language);
  std::vector<Line> lines;
  for (const Import& import : imports)
    lines.push_back(
        {with_comment(import_line(facts.language, import.row->module, import.names), mark, import.version) +
         '\n'});
  measure(lines, count);
  std::vector<std::pair<std::uint32_t, Line>> kept;
  int used = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (used + lines[i].tokens > max_tokens) continue;
    used += lines[i].tokens;
    kept.emplace_back(imports[i].row->line, lines[i]);
  }
  std::ranges::stable_sort(kept, {}, [](const auto& line) { return line.first; });
  std::vector<Line> in_order;
  for (auto& numbered : kept) {
    Line& line = numbered.second;
    const auto same = [&](const Line& other) { return other.text == line.text; };
    if (std::ranges::none_of(in_order, same)) in_order.push_back(std::move(line));
  }
  return in_order;
}

// Chooses symbols by rank; what encloses a chosen one comes with it.
class SymbolChoice {
 public:
  SymbolChoice(const FileFacts& facts, const std::vector<std::string>& wanted) : facts_(facts) {
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < facts.symbols.size(); ++i) {
      const cache::SymbolRow& symbol = facts.symbols[i];
      const bool beside = i > 0 && facts.symbols[i - 1].start_byte == symbol.start_byte &&
                          facts.symbols[i - 1].end_byte == symbol.end_byte;  // declared together
      while (!open.empty() && (beside || facts.symbols[open.back()].end_byte <= symbol.start_byte)) {
        open.pop_back();
        if (beside) break;
      }
      parents_.push_back(open.empty() ? std::nullopt : std::optional(open.back()));
      depths_.push_back(open.size());
      open.push_back(i);
      if (symbol.is_public && !(beside && facts.symbols[i - 1].signature == symbol.signature))
        ranked_.push_back(i);
    }
    const std::set<std::string, std::less<>> names(wanted.begin(), wanted.end());
    std::ranges::stable_sort(ranked_, [&](std::size_t a, std::size_t b) {
      const bool a_wanted = names.contains(facts.symbols[a].name);
      const bool b_wanted = names.contains(facts.symbols[b].name);
      if (a_wanted != b_wanted) return a_wanted;
      const bool a_inner = !facts.symbols[a].container.empty(), b_inner = !facts.symbols[b].container.empty();
      if (a_inner != b_inner) return b_inner;
      return references(a) > references(b);
    });
  }

  std::vector<Line> lines_within(int max_tokens, const CountTokens& count) {
    // No line has less than a token, so more than that many cannot matter.
    ranked_.resize(std::min(ranked_.size(), static_cast<std::size_t>(std::max(max_tokens, 0))));
    std::map<std::size_t, Line> lines;  // of what may be chosen and of what encloses it
    for (const std::size_t i : ranked_) {
      for (std::optional<std::size_t> at = i; at && !lines.contains(*at); at = parents_[*at])
        lines.emplace(*at, Line{line_of(*at)});
    }
    std::vector<Line> measured;
    for (auto& [i, line] : lines) measured.push_back(line);
    measure(measured, count);
    std::size_t next = 0;
    for (auto& [i, line] : lines) line = measured[next++];
    std::set<std::size_t> chosen;
    int used = 0;
    for (const std::size_t i : ranked_) {
      int cost = 0;
      std::vector<std::size_t> with;
      for (std::optional<std::size_t> at = i; at && !chosen.contains(*at); at = parents_[*at]) {
        cost += lines.at(*at).tokens;
        with.push_back(*at);
      }
      if (used + cost > max_tokens) continue;
      used += cost;
      chosen.insert(with.begin(), with.end());
    }
    std::vector<Line> in_order;
    for (const std::size_t i : chosen) in_order.push_back(lines.at(i));
    return in_order;
  }

 private:
  std::int64_t references(std::size_t i) const {
    return i < facts_.references.size() ? facts_.references[i] : 0;
  }

  std::string line_of(std::size_t i) const {
    const cache::SymbolRow& symbol = facts_.symbols[i];
    std::string line = std::string(4 * depths_[i], ' ') + symbol.signature;
    const bool opens = symbol.kind == "class" || symbol.kind == "function" || symbol.kind == "method";
    if (facts_.language == "python" && opens) line += ':';
    // A member that its own text does not name the type of.
    if (!parents_[i] && facts_.language == "rust" && !symbol.container.empty())
      line = "impl " + symbol.container + " { " + line + " }";
    return with_comment(std::move(line), comment_mark(facts_.language), symbol.documentation) + '\n';
  }

  const FileFacts& facts_;
  std::vector<std::optional<std::size_t>> parents_;  // whose text encloses it
  std::vector<std::size_t> depths_;
  std::vector<std::size_t> ranked_;  // public ones, the first stays longest
};

std::string text_of(const std::vector<Line>& lines) {
  std::string text;
  for (const Line& line : lines) text += line.text;
  return text;
}

int tokens_of(const std::string& text, const CountTokens& count) {
  const std::vector<int> tokens = count({text});
  return tokens.empty() ? 0 : tokens.front();
}

// The most lines from the start that fit, as the tokenizer sees them together.
std::string within(std::vector<Line> lines, int max_tokens, const CountTokens& count) {
  std::string text = text_of(lines);
  while (!lines.empty() && tokens_of(text, count) > max_tokens) {
    lines.pop_back();
    text = text_of(lines);
  }
  return text;
}

std::string shown_dependency(const cache::DependencyRow& dependency) {
  const std::string& version = dependency.resolved.empty() ? dependency.wanted : dependency.resolved;
  return version.empty() ? dependency.name : dependency.name + ' ' + version;
}

}  // namespace

std::string summarise_file(const FileFacts& facts, int max_tokens, const CountTokens& count,
                           const std::vector<std::string>& wanted) {
  std::vector<Line> lines = import_lines(facts, max_tokens / kImportShare, count);
  const int used = std::accumulate(lines.begin(), lines.end(), 0,
                                   [](int sum, const Line& line) { return sum + line.tokens; });
  std::vector<Line> symbols = SymbolChoice(facts, wanted).lines_within(max_tokens - used, count);
  lines.insert(lines.end(), std::make_move_iterator(symbols.begin()), std::make_move_iterator(symbols.end()));
  return within(std::move(lines), max_tokens, count);
}

std::string summarise_workspace(const WorkspaceFacts& facts, int max_tokens, const CountTokens& count) {
  std::string text = facts.name + '\n';
  std::vector<std::string> languages;
  for (const auto& [language, files] : facts.languages) {
    if (languages.size() < 5) languages.push_back(language);
  }
  if (!languages.empty()) text += "languages: " + joined(languages, ", ") + '\n';
  std::vector<const std::pair<std::string, cache::ManifestRow>*> manifests;
  for (const auto& manifest : facts.manifests) manifests.push_back(&manifest);
  const auto depth = [](const auto* manifest) { return std::ranges::count(manifest->first, '/'); };
  std::ranges::stable_sort(manifests, {}, depth);
  std::vector<std::string> ecosystems;
  std::map<std::string, std::vector<const cache::DependencyRow*>> by_ecosystem;
  for (const bool at_run_time : {true, false}) {
    for (const auto* manifest : manifests) {
      const std::string& ecosystem = manifest->second.ecosystem;
      if (std::ranges::find(ecosystems, ecosystem) == ecosystems.end()) ecosystems.push_back(ecosystem);
      for (const cache::DependencyRow& dependency : manifest->second.dependencies) {
        if (dependency.scope.empty() != at_run_time) continue;
        std::vector<const cache::DependencyRow*>& rows = by_ecosystem[ecosystem];
        const auto same = [&](const cache::DependencyRow* row) { return row->name == dependency.name; };
        if (std::ranges::none_of(rows, same)) rows.push_back(&dependency);
      }
    }
  }
  for (const std::string& ecosystem : ecosystems) {
    std::string line;
    for (const cache::DependencyRow* dependency : by_ecosystem[ecosystem]) {
      const std::string longer =
          (line.empty() ? ecosystem + ": " : line + ", ") + shown_dependency(*dependency);
      if (tokens_of(text + longer + '\n', count) > max_tokens) break;
      line = longer;
    }
    if (!line.empty()) text += line + '\n';
  }
  return text;
}

}  // namespace hearth::indexer
