// The wire structs of LSP 3.18 that are used here, in LSP's spelling, and Hearth's own beside them.
// `from_json` notes what is wrong and gives false; unknown fields are ignored. URIs of documents are
// canonical (uri.h) once they are read.
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lsp/json_mapper.h"
#include "lsp/stop_rules.h"

namespace hearth::lsp {

struct Position {
  std::uint32_t line = 0;
  std::uint32_t character = 0;

  auto operator<=>(const Position&) const = default;
};

struct Range {
  Position start, end;

  bool operator==(const Range&) const = default;
};

struct TextDocumentIdentifier {
  std::string uri;
};

struct VersionedTextDocumentIdentifier {
  std::string uri;
  std::optional<std::int64_t> version;
};

struct TextDocumentItem {
  std::string uri, languageId, text;
  std::int64_t version = 0;
};

struct DidOpenTextDocumentParams {
  TextDocumentItem textDocument;
};

struct TextDocumentContentChangeEvent {
  std::optional<Range> range;  // empty: `text` is the whole document
  std::string text;            // rangeLength is deprecated, often wrong, and not read
};

struct DidChangeTextDocumentParams {
  VersionedTextDocumentIdentifier textDocument;
  std::vector<TextDocumentContentChangeEvent> contentChanges;
};

struct DidCloseTextDocumentParams {
  TextDocumentIdentifier textDocument;
};

struct NotebookCell {
  std::int64_t kind = 2;  // 1 markup, 2 code
  std::string document;   // URI
};

struct DidOpenNotebookDocumentParams {
  std::string uri;                  // of the wire's `notebookDocument`
  std::vector<NotebookCell> cells;  // of the same
  std::vector<TextDocumentItem> cellTextDocuments;
};

struct NotebookCellArrayChange {
  std::uint32_t start = 0, deleteCount = 0;
  std::vector<NotebookCell> cells;
};

struct DidChangeNotebookDocumentParams {
  std::string uri;
  std::optional<NotebookCellArrayChange> array;          // change.cells.structure.array
  std::vector<TextDocumentItem> didOpen;                 // change.cells.structure
  std::vector<TextDocumentIdentifier> didClose;          // change.cells.structure
  std::vector<DidChangeTextDocumentParams> textContent;  // change.cells
};

struct DidCloseNotebookDocumentParams {
  std::string uri;
  std::vector<TextDocumentIdentifier> cellTextDocuments;
};

struct WorkspaceFolder {
  std::string uri, name;
};

struct DidChangeWorkspaceFoldersParams {
  std::vector<WorkspaceFolder> added, removed;  // of the wire's `event`
};

struct DidChangeConfigurationParams {
  boost::json::value settings;
};

// Of `initialize`, what is used.
struct InitializeParams {
  std::optional<std::int64_t> processId;
  std::optional<std::string> rootUri;
  std::optional<std::vector<WorkspaceFolder>> workspaceFolders;
  boost::json::value initializationOptions;
  std::optional<std::vector<std::string>> positionEncodings;  // capabilities.general
  bool inlineCompletion = false;                              // capabilities.textDocument
  bool workDoneProgress = false;                              // capabilities.window
  bool configuration = false;                                 // capabilities.workspace
};

struct SetTraceParams {
  std::string value;
};

struct CompletionContext {
  std::int64_t triggerKind = 1;  // 1 invoked, 2 a trigger character, 3 again because incomplete
};

// One that was sent before, as the client sends it back.
struct CompletionItem {
  boost::json::object all;
};

struct CompletionParams {
  TextDocumentIdentifier textDocument;
  Position position;
  std::optional<CompletionContext> context;
};

struct SelectedCompletionInfo {
  Range range;
  std::string text;
};

struct InlineCompletionContext {
  std::int64_t triggerKind = 0;
  std::optional<SelectedCompletionInfo> selectedCompletionInfo;
};

struct InlineCompletionParams {
  TextDocumentIdentifier textDocument;
  Position position;
  std::optional<InlineCompletionContext> context;
  Extent extent = Extent::kAuto;  // Hearth's own: "extent": "auto", "line" or "block"
};

struct ExecuteCommandParams {
  std::string command;
  std::vector<boost::json::value> arguments;
};

// hearth/status: with a document, the answer says of it whether suggestions come there.
struct StatusParams {
  std::optional<TextDocumentIdentifier> textDocument;
};

// hearth/why: why there is no suggestion at this place.
struct WhyParams {
  TextDocumentIdentifier textDocument;
  Position position;
};

// hearth/didFocus: the user looks at this document now.
struct DidFocusParams {
  std::optional<TextDocumentIdentifier> textDocument;  // absent: at none
  std::optional<Position> position;
};

bool from_json(const boost::json::value& value, Position& out, const JsonPath& path);
bool from_json(const boost::json::value& value, Range& out, const JsonPath& path);
bool from_json(const boost::json::value& value, DidOpenTextDocumentParams& out, const JsonPath& path);
bool from_json(const boost::json::value& value, DidChangeTextDocumentParams& out, const JsonPath& path);
bool from_json(const boost::json::value& value, DidCloseTextDocumentParams& out, const JsonPath& path);
bool from_json(const boost::json::value& value, DidOpenNotebookDocumentParams& out, const JsonPath& path);
bool from_json(const boost::json::value& value, DidChangeNotebookDocumentParams& out, const JsonPath& path);
bool from_json(const boost::json::value& value, DidCloseNotebookDocumentParams& out, const JsonPath& path);
bool from_json(const boost::json::value& value, DidChangeWorkspaceFoldersParams& out, const JsonPath& path);
bool from_json(const boost::json::value& value, DidChangeConfigurationParams& out, const JsonPath& path);
bool from_json(const boost::json::value& value, InitializeParams& out, const JsonPath& path);
bool from_json(const boost::json::value& value, SetTraceParams& out, const JsonPath& path);
bool from_json(const boost::json::value& value, CompletionParams& out, const JsonPath& path);
bool from_json(const boost::json::value& value, CompletionItem& out, const JsonPath& path);
bool from_json(const boost::json::value& value, InlineCompletionParams& out, const JsonPath& path);
bool from_json(const boost::json::value& value, ExecuteCommandParams& out, const JsonPath& path);
bool from_json(const boost::json::value& value, StatusParams& out, const JsonPath& path);
bool from_json(const boost::json::value& value, WhyParams& out, const JsonPath& path);
bool from_json(const boost::json::value& value, DidFocusParams& out, const JsonPath& path);

boost::json::object to_json(const Range& range);

}  // namespace hearth::lsp
