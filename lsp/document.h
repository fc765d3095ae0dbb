// One open document at one moment: its text and where its lines begin. Immutable, so snapshots are shared
// between the document store and whatever still works on an older version.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lsp/line_index.h"
#include "lsp/position_encoding.h"
#include "lsp/protocol.h"

namespace hearth::lsp {

class Document {
 public:
  Document(std::string uri, std::string language, std::int64_t version, std::string text);

  const std::string& uri() const { return uri_; }
  const std::string& language() const { return language_; }
  std::int64_t version() const { return version_; }
  const std::string& text() const { return text_; }  // UTF-8, exactly as the client sent it
  const LineIndex& lines() const { return lines_; }

  // 64-bit FNV-1a (Fowler, Noll, Vo) of the text, for clients that want to know whether it is theirs.
  std::uint64_t hash() const;

  std::size_t offset(Position position, PositionEncoding encoding) const;
  Position position(std::size_t offset, PositionEncoding encoding) const;

  // The changes one after the other, each on the result of the one before.
  Document changed(const std::vector<TextDocumentContentChangeEvent>& changes, std::int64_t version,
                   PositionEncoding encoding) const;

  // Where the last change ended: the likeliest place of the cursor. 0 when nothing was changed yet.
  std::size_t last_edit() const { return last_edit_; }

 private:
  std::string uri_, language_;
  std::int64_t version_;
  std::string text_;
  LineIndex lines_;
  std::size_t last_edit_ = 0;
};

using Snapshot = std::shared_ptr<const Document>;

}  // namespace hearth::lsp
