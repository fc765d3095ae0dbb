// The open documents of one client, by URI, in their newest version. The protocol thread owns it; the
// snapshots it hands out may go anywhere.
#pragma once

#include <map>
#include <string>

#include "lsp/document.h"
#include "lsp/logger.h"

namespace hearth::lsp {

class DocumentStore {
 public:
  explicit DocumentStore(Logger& logger) : logger_(logger) {}

  void set_encoding(PositionEncoding encoding) { encoding_ = encoding; }
  PositionEncoding encoding() const { return encoding_; }

  // Opening an open document replaces it.
  Snapshot open(TextDocumentItem item);

  // nullptr, and a line in the log, when the document is not open.
  Snapshot change(const DidChangeTextDocumentParams& params);

  void close(const std::string& uri);

  Snapshot find(const std::string& uri) const;  // nullptr when it is not open
  std::size_t size() const { return documents_.size(); }

 private:
  Logger& logger_;
  PositionEncoding encoding_ = PositionEncoding::kUtf16;
  std::map<std::string, Snapshot> documents_;
};

}  // namespace hearth::lsp
