// The open notebooks of one client: which cells each has and in what order. Their texts are documents of the
// document store. To the model the code cells of one language are one document, in order. The protocol thread
// owns it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "lsp/document_store.h"

namespace hearth::lsp {

// Where a completion is made.
struct DocumentPlace {
  Snapshot document;
  std::size_t cursor = 0;
};

class Notebooks {
 public:
  explicit Notebooks(DocumentStore& documents) : documents_(documents) {}

  void open(DidOpenNotebookDocumentParams params);
  void change(DidChangeNotebookDocumentParams params);
  void close(const DidCloseNotebookDocumentParams& params);

  // The URI of the notebook that has this cell; of any other document its own.
  const std::string& owner(const std::string& uri) const;

  // A place in a cell as one in its notebook; any other place is what it is. The snapshot counts for the
  // cell, not what the store has of it.
  DocumentPlace joined(const DocumentPlace& place) const;

 private:
  DocumentStore& documents_;
  std::map<std::string, std::vector<NotebookCell>> notebooks_;  // by URI
  std::map<std::string, std::string> notebook_of_;              // by the cell's URI
};

}  // namespace hearth::lsp
