#include "lsp/notebooks.h"

#include <algorithm>
#include <utility>

namespace hearth::lsp {
namespace {

constexpr std::int64_t kCodeCell = 2;  // NotebookCellKind
constexpr std::string_view kBetweenCells = "\n\n";

}  // namespace

void Notebooks::open(DidOpenNotebookDocumentParams params) {
  std::erase_if(notebook_of_, [&](const auto& cell) { return cell.second == params.uri; });
  for (TextDocumentItem& cell : params.cellTextDocuments) documents_.open(std::move(cell));
  for (const NotebookCell& cell : params.cells) notebook_of_[cell.document] = params.uri;
  notebooks_[params.uri] = std::move(params.cells);
}

void Notebooks::change(DidChangeNotebookDocumentParams params) {
  const auto notebook = notebooks_.find(params.uri);
  if (notebook == notebooks_.end()) return;
  if (params.array) {
    std::vector<NotebookCell>& cells = notebook->second;
    const auto first = std::min<std::size_t>(params.array->start, cells.size());
    const auto last = std::min<std::size_t>(first + params.array->deleteCount, cells.size());
    const auto at = [&](std::size_t index) { return cells.begin() + static_cast<std::ptrdiff_t>(index); };
    for (std::size_t i = first; i < last; ++i) notebook_of_.erase(cells[i].document);
    for (const NotebookCell& cell : params.array->cells) notebook_of_[cell.document] = params.uri;
    cells.erase(at(first), at(last));
    cells.insert(at(first), params.array->cells.begin(), params.array->cells.end());
  }
  for (const TextDocumentIdentifier& cell : params.didClose) documents_.close(cell.uri);
  for (TextDocumentItem& cell : params.didOpen) documents_.open(std::move(cell));
  for (const DidChangeTextDocumentParams& text : params.textContent) documents_.change(text);
}

void Notebooks::close(const DidCloseNotebookDocumentParams& params) {
  for (const TextDocumentIdentifier& cell : params.cellTextDocuments) documents_.close(cell.uri);
  const auto notebook = notebooks_.find(params.uri);
  if (notebook == notebooks_.end()) return;
  for (const NotebookCell& cell : notebook->second) notebook_of_.erase(cell.document);
  notebooks_.erase(notebook);
}

const std::string& Notebooks::owner(const std::string& uri) const {
  const auto notebook = notebook_of_.find(uri);
  return notebook == notebook_of_.end() ? uri : notebook->second;
}

DocumentPlace Notebooks::joined(const DocumentPlace& place) const {
  const auto notebook = notebook_of_.find(place.document->uri());
  if (notebook == notebook_of_.end()) return place;
  std::string text;
  std::size_t cursor = place.cursor;
  for (const NotebookCell& cell : notebooks_.at(notebook->second)) {
    const bool here = cell.document == place.document->uri();
    const Snapshot document = here ? place.document : documents_.find(cell.document);
    const bool counts =
        cell.kind == kCodeCell && document && document->language() == place.document->language();
    if (!here && !counts) continue;
    if (!text.empty()) text += kBetweenCells;
    if (here) cursor += text.size();
    text += document->text();
  }
  return {std::make_shared<const Document>(notebook->second, place.document->language(),
                                           place.document->version(), std::move(text)),
          cursor};
}

}  // namespace hearth::lsp
