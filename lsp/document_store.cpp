#include "lsp/document_store.h"

#include <fmt/format.h>
#include <utility>

#include "lsp/language_id.h"

namespace hearth::lsp {

Snapshot DocumentStore::open(TextDocumentItem item) {
  Snapshot& slot = documents_[item.uri];
  slot = std::make_shared<const Document>(std::move(item.uri), language_id(item.languageId), item.version,
                                          std::move(item.text));
  return slot;
}

Snapshot DocumentStore::change(const DidChangeTextDocumentParams& params) {
  const auto found = documents_.find(params.textDocument.uri);
  if (found == documents_.end()) {
    logger_.write(LogLevel::kWarning, fmt::format("{} changed but is not open", params.textDocument.uri));
    return nullptr;
  }
  const std::int64_t version = params.textDocument.version.value_or(found->second->version() + 1);
  found->second =
      std::make_shared<const Document>(found->second->changed(params.contentChanges, version, encoding_));
  return found->second;
}

void DocumentStore::close(const std::string& uri) { documents_.erase(uri); }

Snapshot DocumentStore::find(const std::string& uri) const {
  const auto found = documents_.find(uri);
  return found == documents_.end() ? nullptr : found->second;
}

}  // namespace hearth::lsp
