#include "indexer/outline.h"

#include <algorithm>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "indexer/declarator.h"
#include "indexer/rust_use.h"
#include "indexer/symbol_text.h"

namespace hearth::indexer {
namespace {

constexpr std::size_t kMaxSymbols = 10'000;  // of one file
constexpr std::size_t kMaxModule = 400;

struct Span {
  std::uint32_t start = 0, end = 0;

  static Span of(TSNode node) { return {ts_node_start_byte(node), ts_node_end_byte(node)}; }
  bool contains(const Span& other) const { return start <= other.start && other.end <= end; }
  bool operator==(const Span&) const = default;
};

struct Definition {
  TSNode node{}, name{};
  std::optional<Span> body, documentation;
  std::string container;
  std::string kind;  // empty: a scope
  std::uint16_t pattern = 0;
};

struct Access {
  Span span;
  bool is_public = false;
};

struct Import {
  Span span;
  cache::ImportRow row;
};

// Everything that the query found, in no order yet.
struct Findings {
  std::vector<Definition> definitions;
  std::vector<Access> accesses;
  std::vector<Import> imports;
  std::vector<std::pair<Span, std::string>> imported;
  std::vector<Span> exported, hidden;
  std::unordered_set<std::string> exported_names;
};

std::uint32_t line_of(TSNode node) { return ts_node_start_point(node).row; }

// The last line that the node has text on.
std::uint32_t last_line_of(TSNode node) {
  const TSPoint end = ts_node_end_point(node);
  return end.column == 0 && end.row > line_of(node) ? end.row - 1 : end.row;
}

bool is_function(std::string_view kind) {
  return kind == "function" || kind == "method" || kind == "constructor" || kind == "macro";
}

// What every import says that may stand in a function's body; an empty one is found in all.
std::vector<std::string_view> words_of_imports(ImportRule rule) {
  switch (rule) {
    case ImportRule::kNone:
    case ImportRule::kGo:
    case ImportRule::kJava: return {};
    case ImportRule::kPython: return {"import"};
    case ImportRule::kJavaScript: return {"import", "require"};
    case ImportRule::kInclude: return {"include"};
    case ImportRule::kRust: return {"use", "mod"};
    case ImportRule::kRuby: return {"require", "load"};
    case ImportRule::kLua: return {"require"};
    case ImportRule::kPhp:
    case ImportRule::kRelative: return {""};
  }
  return {""};
}

// The body of a function that the match defines.
std::optional<Span> read_match(const OutlineQuery& query, const TSQueryMatch& match, std::string_view text,
                               Findings& found) {
  Definition definition;
  definition.pattern = match.pattern_index;
  bool defines = false, named = false;
  std::optional<TSNode> import, module;
  for (std::uint16_t i = 0; i < match.capture_count; ++i) {
    const TSNode node = match.captures[i].node;
    switch (query.role(match.captures[i].index)) {
      case CaptureRole::kOther: break;
      case CaptureRole::kDefinition: definition.kind = query.kind(match.captures[i].index); [[fallthrough]];
      case CaptureRole::kScope:
        definition.node = node;
        defines = true;
        break;
      case CaptureRole::kName:
        definition.name = node;
        named = true;
        break;
      case CaptureRole::kBody: definition.body = Span::of(node); break;
      case CaptureRole::kDocumentation: definition.documentation = Span::of(node); break;
      case CaptureRole::kContainer: definition.container = bare_type(text_of(node, text)); break;
      case CaptureRole::kAccess:
        found.accesses.push_back({Span::of(node), text_of(node, text).starts_with("public")});
        break;
      case CaptureRole::kHidden: found.hidden.push_back(Span::of(node)); break;
      case CaptureRole::kExported:
        found.exported.push_back(Span::of(node));
        if (ts_node_named_child_count(node) == 0) found.exported_names.emplace(text_of(node, text));
        break;
      case CaptureRole::kImport: import = node; break;
      case CaptureRole::kModule: module = node; break;
      case CaptureRole::kImported:
        found.imported.emplace_back(Span::of(node), one_line(text_of(node, text), kMaxModule));
        break;
    }
  }
  std::optional<Span> passed;
  if (defines && is_function(definition.kind)) passed = definition.body;
  if (defines && named) found.definitions.push_back(std::move(definition));
  if (module) {
    const TSNode whole = import.value_or(*module);
    found.imports.push_back(
        {Span::of(whole), {one_line(text_of(*module, text), kMaxModule), "", line_of(whole), {}}});
  }
  return passed;
}

Findings find_all(const Language& language, const OutlineQuery& query, TSNode root, std::string_view text,
                  TSQueryCursor* cursor) {
  const std::vector<std::string_view> words = words_of_imports(language.imports);
  // Where in a body an import may begin first, at its end if nowhere.
  const auto first_import = [&](std::string_view body) {
    std::size_t first = body.size();
    for (const std::string_view word : words) first = std::min(first, body.find(word));
    return static_cast<std::uint32_t>(first);
  };
  Findings found;
  std::uint32_t from = 0;
  ts_query_cursor_set_byte_range(cursor, from, UINT32_MAX);
  ts_query_cursor_exec(cursor, query.get(), root);
  TSQueryMatch match;
  while (ts_query_cursor_next_match(cursor, &match)) {
    if (!query.accepts(match, text)) continue;
    const std::optional<Span> body = read_match(query, match, text, found);
    if (!body || body->end <= from) continue;
    // The cursor has just come to the body. Nodes that end before something is told again it need not enter.
    const std::string_view inside = text.substr(body->start, body->end - body->start);
    from = std::max(from, body->start + first_import(inside));
    ts_query_cursor_set_byte_range(cursor, from, UINT32_MAX);
  }
  return found;
}

// In the order of the file, what encloses first; of two for one name, the one of the earlier pattern.
void sort_and_unify(std::vector<Definition>& definitions) {
  std::unordered_map<std::uint32_t, std::uint16_t> best;
  for (const Definition& definition : definitions) {
    const auto [known, is_new] = best.emplace(ts_node_start_byte(definition.name), definition.pattern);
    if (!is_new) known->second = std::min(known->second, definition.pattern);
  }
  std::erase_if(definitions, [&](const Definition& definition) {
    return best.at(ts_node_start_byte(definition.name)) != definition.pattern;
  });
  std::ranges::stable_sort(definitions, [](const Definition& a, const Definition& b) {
    const Span x = Span::of(a.node), y = Span::of(b.node);
    if (x.start != y.start) return x.start < y.start;
    if (x.end != y.end) return x.end > y.end;
    return ts_node_start_byte(a.name) < ts_node_start_byte(b.name);
  });
}

// What a declaration of several names says once, before the first: `const`, `type`, `var` ...
std::string shared_keyword(TSNode definition, std::string_view text) {
  const std::string_view type = ts_node_type(definition);
  if (type != "variable_declarator" && !type.ends_with("_spec") && type != "type_alias") return "";
  const TSNode declaration = ts_node_parent(definition);
  const TSNode keyword = ts_node_child(declaration, 0);
  if (ts_node_is_null(keyword) || ts_node_is_named(keyword) || ts_node_child_count(keyword) != 0) return "";
  const std::string_view word = text_of(keyword, text);
  const bool is_word =
      !word.empty() && std::ranges::all_of(word, [](char c) { return c >= 'a' && c <= 'z'; });
  return is_word ? std::string(word) + ' ' : "";
}

// Without the comments between a signature and its body, which some grammars count to neither.
std::string_view without_comment_lines(std::string_view text, std::string_view mark) {
  if (mark.empty()) return text;
  while (true) {
    const std::size_t end = text.find_last_not_of(" \t\r\n");
    const std::size_t line = end == std::string_view::npos ? end : text.rfind('\n', end);
    if (line == std::string_view::npos) return text;
    const std::size_t first = text.find_first_not_of(" \t", line + 1);
    if (!text.substr(first).starts_with(mark)) return text;
    text = text.substr(0, line);
  }
}

std::string own_signature(const Definition& definition, std::string_view text, std::string_view mark) {
  const Span whole = Span::of(definition.node);
  const std::string_view all = text.substr(whole.start, whole.end - whole.start);
  const std::string first_line = signature_line(all.substr(0, all.find('\n')));
  const bool is_prototype = definition.kind == "function" || definition.kind == "method";
  if (!definition.body) return is_prototype ? signature_line(all) : first_line;
  if (definition.body->start <= whole.start) return first_line;
  const std::string before =
      signature_line(without_comment_lines(all.substr(0, definition.body->start - whole.start), mark));
  const Span name = Span::of(definition.name);
  if (name.start < definition.body->end) return before;
  return before + " {...} " + std::string(text.substr(name.start, name.end - name.start));
}

std::string signature_of(const Definition& definition, std::string_view text,
                         std::string_view line_comments) {
  const std::string_view mark = line_comments.substr(0, line_comments.find(' '));
  return shared_keyword(definition.node, text) + own_signature(definition, text, mark);
}

std::string documentation_of(const Definition& definition, std::string_view text,
                             std::string_view line_comments) {
  if (definition.documentation) {
    const Span span = *definition.documentation;
    return documentation_line(text.substr(span.start, span.end - span.start));
  }
  return documentation_line(comment_above(text, ts_node_start_byte(definition.node), line_comments));
}

bool is_type(std::string_view kind) {
  return kind.empty() || kind == "class" || kind == "struct" || kind == "interface" || kind == "trait" ||
         kind == "union";
}

// Goes through the definitions in order, with those that enclose the current one on a stack.
class OutlineBuilder {
 public:
  OutlineBuilder(const Language& language, std::string_view text, Findings found)
      : language_(language), text_(text), found_(std::move(found)) {
    std::ranges::sort(found_.accesses, {}, [](const Access& access) { return access.span.start; });
    exports_ = !found_.exported.empty();
  }

  std::vector<cache::SymbolRow> symbols() {
    sort_and_unify(found_.definitions);
    for (const Definition& definition : found_.definitions) {
      if (symbols_.size() == kMaxSymbols) break;
      add(definition);
    }
    return std::move(symbols_);
  }

 private:
  struct Open {
    Span span;
    std::string name;
    std::string kind;
    std::uint32_t body_start = 0;
    bool is_public = true;
    bool members_public = false;  // whatever they say themselves
    bool access_public = true;    // of the next member
  };

  void add(const Definition& definition) {
    const Span span = Span::of(definition.node);
    while (!open_.empty() && (!open_.back().span.contains(span) || open_.back().span == span))
      open_.pop_back();
    apply_accesses(span.start);
    if (std::ranges::any_of(open_, [](const Open& open) { return is_function(open.kind); })) return;
    DeclaredName declared = declared_name(definition.name, text_);
    // `typedef struct a {...} b`: the members are a's.
    const bool is_typedef = !open_.empty() && open_.back().kind == "type";
    if (is_typedef && is_type(definition.kind)) open_.back().name.clear();
    Open opened{span, declared.name, definition.kind, definition.body ? definition.body->start : span.start};
    if (definition.kind.empty()) {
      opened.name = declared.name == "self" ? "" : bare_type(declared.name);
      opened.members_public = text_.substr(span.start, span.end - span.start)
                                  .substr(0, ts_node_start_byte(definition.name) - span.start)
                                  .find(" for ") != std::string_view::npos;
      open_.push_back(std::move(opened));
      return;
    }
    if (declared.name.empty()) return;
    cache::SymbolRow row;
    row.name = declared.name;
    row.kind = kind_of(definition, declared);
    row.container = container_of(definition, declared);
    row.signature = signature_of(definition, text_, language_.line_comments);
    row.documentation = documentation_of(definition, text_, language_.line_comments);
    row.is_public = is_public(definition, row);
    row.start_byte = span.start;
    row.end_byte = span.end;
    row.start_line = line_of(definition.node);
    row.end_line = last_line_of(definition.node);
    opened.kind = row.kind;
    opened.is_public = row.is_public;
    opened.access_public = !(language_.visibility == Visibility::kLinkage && row.kind == "class");
    open_.push_back(std::move(opened));
    // A style sheet names a class at every rule that is about it.
    if (seen_.insert(row.kind + ' ' + row.container + ' ' + row.name + ' ' + row.signature).second)
      symbols_.push_back(std::move(row));
  }

  void apply_accesses(std::uint32_t before) {
    for (; next_access_ < found_.accesses.size() && found_.accesses[next_access_].span.start < before;
         ++next_access_) {
      const Access& access = found_.accesses[next_access_];
      for (auto open = open_.rbegin(); open != open_.rend(); ++open) {
        if (!open->span.contains(access.span) || access.span.start < open->body_start) continue;
        open->access_public = access.is_public;
        break;
      }
    }
  }

  std::string kind_of(const Definition& definition, const DeclaredName& declared) const {
    if (declared.is_function_pointer && definition.kind == "function") return "variable";
    if (declared.is_function && definition.kind == "field") return "method";
    if (definition.kind != "function") return definition.kind;
    const bool inside_type = !open_.empty() && is_type(open_.back().kind);
    return inside_type || !declared.container.empty() ? "method" : "function";
  }

  std::string container_of(const Definition& definition, const DeclaredName& declared) const {
    std::string container;
    const auto append = [&](const std::string& part) {
      if (part.empty()) return;
      if (!container.empty()) container += '.';
      container += part;
    };
    for (const Open& open : open_) append(open.kind == "module" ? dotted(open.name) : open.name);
    append(definition.container);
    append(declared.container);
    return container;
  }

  bool is_public(const Definition& definition, const cache::SymbolRow& row) const {
    const Open* outer = open_.empty() ? nullptr : &open_.back();
    if (outer != nullptr && !outer->is_public) return false;
    const Span span = Span::of(definition.node);
    if (std::ranges::any_of(found_.hidden, [&](const Span& hidden) { return hidden.contains(span); }))
      return false;
    if (outer != nullptr && outer->members_public) return true;
    const std::string_view signature = row.signature;
    const std::string_view name = row.name;
    const auto says = [&](std::string_view word) {
      const std::size_t at = signature.find(word);
      return at != std::string_view::npos && (at == 0 || signature[at - 1] == ' ') &&
             at + word.size() < signature.size() && signature[at + word.size()] == ' ';
    };
    switch (language_.visibility) {
      case Visibility::kAlways: return true;
      case Visibility::kUnderscore:
        return !name.starts_with('_') || (name.starts_with("__") && name.ends_with("__"));
      case Visibility::kExport:
        if (outer != nullptr) return !name.starts_with('#') && !says("private") && !says("protected");
        return !exports_ || is_exported(definition, row.name);
      case Visibility::kCapital: return !name.empty() && name[0] >= 'A' && name[0] <= 'Z';
      case Visibility::kPub:
        return signature.starts_with("pub") || row.kind == "enumerator" ||
               (outer != nullptr && outer->kind == "trait");
      case Visibility::kModifier: return !says("private") && !says("protected");
      case Visibility::kLinkage:
        if (outer != nullptr && is_type(outer->kind)) return outer->access_public;
        return !says("static") || row.kind == "macro";
      case Visibility::kRuby: return outer == nullptr || outer->access_public;
      case Visibility::kLocal: return !line_above_name_says_local(definition);
    }
    return true;
  }

  bool is_exported(const Definition& definition, const std::string& name) const {
    const Span span = Span::of(definition.node);
    return found_.exported_names.contains(name) ||
           std::ranges::any_of(found_.exported, [&](const Span& whole) { return whole.contains(span); });
  }

  // `local` may stand before the node, as part of the declaration that holds it.
  bool line_above_name_says_local(const Definition& definition) const {
    const std::uint32_t start = ts_node_start_byte(definition.node);
    const std::size_t line = text_.substr(0, start).rfind('\n') + 1;
    const std::size_t name = ts_node_start_byte(definition.name);
    return text_.substr(line, name - line).find("local ") != std::string_view::npos;
  }

  const Language& language_;
  std::string_view text_;
  Findings found_;
  bool exports_ = false;
  std::vector<Open> open_;
  std::size_t next_access_ = 0;
  std::set<std::string> seen_;
  std::vector<cache::SymbolRow> symbols_;
};

// Each imported name to the innermost import that holds it.
std::vector<cache::ImportRow> imports_of(const Language& language, Findings& found) {
  std::ranges::stable_sort(found.imports, {}, [](const Import& import) { return import.span.start; });
  std::ranges::stable_sort(found.imported, {}, [](const auto& name) { return name.first.start; });
  std::size_t first = 0;
  for (const auto& [span, name] : found.imported) {
    while (first < found.imports.size() && found.imports[first].span.end < span.start) ++first;
    for (std::size_t i = first; i < found.imports.size() && found.imports[i].span.start <= span.start; ++i) {
      if (!found.imports[i].span.contains(span)) continue;
      std::string& names = found.imports[i].row.names;
      names += (names.empty() ? "" : " ") + name;
      break;
    }
  }
  std::vector<cache::ImportRow> rows;
  Span last;
  for (Import& import : found.imports) {
    // Two patterns may find one import, as `const a = require("b")` and as `require("b")`.
    const bool again = !rows.empty() && last.contains(import.span) && rows.back().module == import.row.module;
    if (again) continue;
    last = import.span;
    if (language.imports == ImportRule::kRust) {
      const std::vector<cache::ImportRow> flat = flat_uses(import.row.module, import.row.line);
      rows.insert(rows.end(), flat.begin(), flat.end());
    } else {
      rows.push_back(std::move(import.row));
    }
  }
  return rows;
}

}  // namespace

Outline outline_of(const Language& language, const OutlineQuery& query, TSNode root, std::string_view text,
                   TSQueryCursor* cursor) {
  Findings found = find_all(language, query, root, text, cursor);
  Outline outline;
  outline.imports = imports_of(language, found);
  // What only gives an import a name is no definition of this file.
  std::erase_if(found.definitions, [&](const Definition& definition) {
    const Span span = Span::of(definition.node);
    return definition.kind == "variable" && std::ranges::any_of(found.imports, [&](const Import& import) {
             return import.span.start == span.start && import.span.end == span.end;
           });
  });
  outline.symbols = OutlineBuilder(language, text, std::move(found)).symbols();
  return outline;
}

Outliner::Outliner(std::shared_ptr<OutlineQueries> queries)
    : cursor_(ts_query_cursor_new()), queries_(std::move(queries)) {}

Result<std::optional<Outline>> Outliner::outline(const Language& language, std::string_view text,
                                                 std::chrono::milliseconds limit, std::stop_token stop) {
  const std::optional<SyntaxTree> tree = parse(language, text, limit, std::move(stop));
  if (!tree) return std::nullopt;
  Result<Outline> outline = this->outline(language, text, *tree);
  if (!outline) return outline.error();
  return std::optional(std::move(*outline));
}

Result<Outline> Outliner::outline(const Language& language, std::string_view text, const SyntaxTree& tree) {
  const Result<const OutlineQuery*> query = queries_->of(language);
  if (!query) return query.error();
  return outline_of(language, **query, tree.root(), text, cursor_.get());
}

}  // namespace hearth::indexer
