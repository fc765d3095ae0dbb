#include "lsp/protocol.h"

#include "lsp/uri.h"

namespace hearth::lsp {

namespace json = boost::json;

namespace {

// The value at a path of object keys, nullptr where there is none.
const json::value* find(const json::value& value, std::initializer_list<std::string_view> keys) {
  const json::value* at = &value;
  for (const std::string_view key : keys) {
    const json::object* object = at->if_object();
    at = object ? object->if_contains(key) : nullptr;
    if (!at) return nullptr;
  }
  return at;
}

bool is_true(const json::value* value) { return value && value->is_bool() && value->get_bool(); }

bool map_uri(const ObjectMapper& fields, std::string_view name, std::string& out) {
  if (!fields.map(name, out)) return false;
  out = canonical_uri(out);
  return true;
}

}  // namespace

bool from_json(const json::value& value, Position& out, const JsonPath& path) {
  const ObjectMapper fields(value, path);
  return fields && fields.map("line", out.line) && fields.map("character", out.character);
}

bool from_json(const json::value& value, Range& out, const JsonPath& path) {
  const ObjectMapper fields(value, path);
  return fields && fields.map("start", out.start) && fields.map("end", out.end);
}

static bool from_json(const json::value& value, TextDocumentIdentifier& out, const JsonPath& path) {
  const ObjectMapper fields(value, path);
  return fields && map_uri(fields, "uri", out.uri);
}

static bool from_json(const json::value& value, VersionedTextDocumentIdentifier& out, const JsonPath& path) {
  const ObjectMapper fields(value, path);
  return fields && map_uri(fields, "uri", out.uri) && fields.map_optional("version", out.version);
}

static bool from_json(const json::value& value, TextDocumentItem& out, const JsonPath& path) {
  const ObjectMapper fields(value, path);
  return fields && map_uri(fields, "uri", out.uri) && fields.map("languageId", out.languageId) &&
         fields.map("version", out.version) && fields.map("text", out.text);
}

bool from_json(const json::value& value, DidOpenTextDocumentParams& out, const JsonPath& path) {
  const ObjectMapper fields(value, path);
  return fields && fields.map("textDocument", out.textDocument);
}

static bool from_json(const json::value& value, TextDocumentContentChangeEvent& out, const JsonPath& path) {
  const ObjectMapper fields(value, path);
  return fields && fields.map_optional("range", out.range) && fields.map("text", out.text);
}

bool from_json(const json::value& value, DidChangeTextDocumentParams& out, const JsonPath& path) {
  const ObjectMapper fields(value, path);
  return fields && fields.map("textDocument", out.textDocument) &&
         fields.map("contentChanges", out.contentChanges);
}

bool from_json(const json::value& value, DidCloseTextDocumentParams& out, const JsonPath& path) {
  const ObjectMapper fields(value, path);
  return fields && fields.map("textDocument", out.textDocument);
}

static bool from_json(const json::value& value, NotebookCell& out, const JsonPath& path) {
  const ObjectMapper fields(value, path);
  return fields && fields.map("kind", out.kind) && map_uri(fields, "document", out.document);
}

bool from_json(const json::value& value, DidOpenNotebookDocumentParams& out, const JsonPath& path) {
  const ObjectMapper fields(value, path);
  json::value notebook;
  if (!fields || !fields.map("notebookDocument", notebook) ||
      !fields.map("cellTextDocuments", out.cellTextDocuments)) {
    return false;
  }
  const ObjectMapper of_notebook(notebook, path.field("notebookDocument"));
  return of_notebook && map_uri(of_notebook, "uri", out.uri) && of_notebook.map("cells", out.cells);
}

static bool from_json(const json::value& value, NotebookCellArrayChange& out, const JsonPath& path) {
  const ObjectMapper fields(value, path);
  std::optional<std::vector<NotebookCell>> cells;
  if (!fields || !fields.map("start", out.start) || !fields.map("deleteCount", out.deleteCount) ||
      !fields.map_optional("cells", cells)) {
    return false;
  }
  if (cells) out.cells = std::move(*cells);
  return true;
}

// What changed in the text of one cell: the wire's {document, changes}.
struct CellTextChange {
  DidChangeTextDocumentParams params;
};

static bool from_json(const json::value& value, CellTextChange& out, const JsonPath& path) {
  const ObjectMapper fields(value, path);
  return fields && fields.map("document", out.params.textDocument) &&
         fields.map("changes", out.params.contentChanges);
}

bool from_json(const json::value& value, DidChangeNotebookDocumentParams& out, const JsonPath& path) {
  const ObjectMapper fields(value, path);
  TextDocumentIdentifier notebook;
  json::value change;
  if (!fields || !fields.map("notebookDocument", notebook) || !fields.map("change", change)) return false;
  out.uri = notebook.uri;
  const json::value* cells = find(change, {"cells"});
  if (!cells || cells->is_null()) return true;
  const JsonPath at = path.field("change").field("cells");
  const ObjectMapper of_cells(*cells, at);
  std::optional<json::value> structure;
  std::optional<std::vector<CellTextChange>> texts;
  if (!of_cells || !of_cells.map_optional("structure", structure) ||
      !of_cells.map_optional("textContent", texts))
    return false;
  for (CellTextChange& text : texts.value_or(std::vector<CellTextChange>())) {
    out.textContent.push_back(std::move(text.params));
  }
  if (!structure) return true;
  const ObjectMapper of_structure(*structure, at.field("structure"));
  std::optional<std::vector<TextDocumentItem>> opened;
  std::optional<std::vector<TextDocumentIdentifier>> closed;
  if (!of_structure || !of_structure.map("array", out.array.emplace()) ||
      !of_structure.map_optional("didOpen", opened) || !of_structure.map_optional("didClose", closed)) {
    return false;
  }
  if (opened) out.didOpen = std::move(*opened);
  if (closed) out.didClose = std::move(*closed);
  return true;
}

bool from_json(const json::value& value, DidCloseNotebookDocumentParams& out, const JsonPath& path) {
  const ObjectMapper fields(value, path);
  TextDocumentIdentifier notebook;
  if (!fields || !fields.map("notebookDocument", notebook) ||
      !fields.map("cellTextDocuments", out.cellTextDocuments)) {
    return false;
  }
  out.uri = notebook.uri;
  return true;
}

static bool from_json(const json::value& value, WorkspaceFolder& out, const JsonPath& path) {
  const ObjectMapper fields(value, path);
  return fields && map_uri(fields, "uri", out.uri) && fields.map("name", out.name);
}

bool from_json(const json::value& value, DidChangeWorkspaceFoldersParams& out, const JsonPath& path) {
  const ObjectMapper fields(value, path);
  json::value event;
  if (!fields || !fields.map("event", event)) return false;
  const ObjectMapper of_event(event, path.field("event"));
  return of_event && of_event.map("added", out.added) && of_event.map("removed", out.removed);
}

bool from_json(const json::value& value, DidChangeConfigurationParams& out, const JsonPath& path) {
  const ObjectMapper fields(value, path);
  return fields && fields.map("settings", out.settings);
}

bool from_json(const json::value& value, InitializeParams& out, const JsonPath& path) {
  const ObjectMapper fields(value, path);
  json::value capabilities;
  if (!fields || !fields.map_optional("processId", out.processId) ||
      !fields.map_optional("rootUri", out.rootUri) ||
      !fields.map_optional("workspaceFolders", out.workspaceFolders) ||
      !fields.map("initializationOptions", out.initializationOptions) ||
      !fields.map("capabilities", capabilities)) {
    return false;
  }
  if (out.rootUri) out.rootUri = canonical_uri(*out.rootUri);
  if (!ObjectMapper(capabilities, path.field("capabilities"))) return false;
  if (const json::value* encodings = find(capabilities, {"general", "positionEncodings"})) {
    if (!encodings->is_null() &&
        !from_json(*encodings, out.positionEncodings.emplace(),
                   path.field("capabilities").field("general").field("positionEncodings"))) {
      return false;
    }
  }
  const json::value* inline_completion = find(capabilities, {"textDocument", "inlineCompletion"});
  out.inlineCompletion = inline_completion && inline_completion->is_object();
  out.workDoneProgress = is_true(find(capabilities, {"window", "workDoneProgress"}));
  out.configuration = is_true(find(capabilities, {"workspace", "configuration"}));
  return true;
}

bool from_json(const json::value& value, SetTraceParams& out, const JsonPath& path) {
  const ObjectMapper fields(value, path);
  return fields && fields.map("value", out.value);
}

static bool from_json(const json::value& value, CompletionContext& out, const JsonPath& path) {
  const ObjectMapper fields(value, path);
  return fields && fields.map("triggerKind", out.triggerKind);
}

bool from_json(const json::value& value, CompletionParams& out, const JsonPath& path) {
  const ObjectMapper fields(value, path);
  return fields && fields.map("textDocument", out.textDocument) && fields.map("position", out.position) &&
         fields.map_optional("context", out.context);
}

static bool from_json(const json::value& value, SelectedCompletionInfo& out, const JsonPath& path) {
  const ObjectMapper fields(value, path);
  return fields && fields.map("range", out.range) && fields.map("text", out.text);
}

static bool from_json(const json::value& value, InlineCompletionContext& out, const JsonPath& path) {
  const ObjectMapper fields(value, path);
  return fields && fields.map("triggerKind", out.triggerKind) &&
         fields.map_optional("selectedCompletionInfo", out.selectedCompletionInfo);
}

static bool from_json(const json::value& value, Extent& out, const JsonPath& path) {
  if (value == "auto") {
    out = Extent::kAuto;
  } else if (value == "line") {
    out = Extent::kLine;
  } else if (value == "block") {
    out = Extent::kBlock;
  } else {
    return path.fail("\"auto\", \"line\" or \"block\"", value);
  }
  return true;
}

bool from_json(const json::value& value, CompletionItem& out, const JsonPath& path) {
  if (!value.is_object()) return path.fail("an object", value);
  out.all = value.get_object();
  return true;
}

bool from_json(const json::value& value, InlineCompletionParams& out, const JsonPath& path) {
  const ObjectMapper fields(value, path);
  std::optional<Extent> extent;
  if (!fields || !fields.map("textDocument", out.textDocument) || !fields.map("position", out.position) ||
      !fields.map_optional("context", out.context) || !fields.map_optional("extent", extent)) {
    return false;
  }
  out.extent = extent.value_or(Extent::kAuto);
  return true;
}

bool from_json(const json::value& value, ExecuteCommandParams& out, const JsonPath& path) {
  const ObjectMapper fields(value, path);
  std::optional<std::vector<json::value>> arguments;
  if (!fields || !fields.map("command", out.command) || !fields.map_optional("arguments", arguments))
    return false;
  if (arguments) out.arguments = std::move(*arguments);
  return true;
}

bool from_json(const json::value& value, StatusParams& out, const JsonPath& path) {
  if (value.is_null()) return true;
  const ObjectMapper fields(value, path);
  return fields && fields.map_optional("textDocument", out.textDocument);
}

bool from_json(const json::value& value, WhyParams& out, const JsonPath& path) {
  const ObjectMapper fields(value, path);
  return fields && fields.map("textDocument", out.textDocument) && fields.map("position", out.position);
}

bool from_json(const json::value& value, DidFocusParams& out, const JsonPath& path) {
  const ObjectMapper fields(value, path);
  return fields && fields.map_optional("textDocument", out.textDocument) &&
         fields.map_optional("position", out.position);
}

json::object to_json(const Range& range) {
  return {{"start", {{"line", range.start.line}, {"character", range.start.character}}},
          {"end", {{"line", range.end.line}, {"character", range.end.character}}}};
}

}  // namespace hearth::lsp
