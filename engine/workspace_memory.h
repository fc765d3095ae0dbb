// What is written in this workspace, as tokens, to be asked where the latest tokens were written before and
// what followed (DESIGN.md section 5.6). Documents come and change by edits; each is kept in pieces of whole
// lines, which are tokenised one by one, so that an edit costs its pieces. Places lie in shards of at most
// 65,535 tokens; a shard that is mostly gone is emptied into the newest one, so no update takes longer than
// one shard. About 15 bytes a token, the text included.
//
// `remember` only notes what is to be done; `work` does it, a piece at a time, so that whoever owns the
// thread can give way. Owned by the engine's thread.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/job.h"
#include "engine/match_index.h"

namespace hearth::engine {

class WorkspaceMemory {
 public:
  WorkspaceMemory(const Tokenizer& tokenizer, std::uint64_t limit_bytes);
  ~WorkspaceMemory();

  // The first edit of an unknown document is one of the empty text; one that can only be of a text that was
  // known once (it begins in it, or takes something out) is ignored. What lies past the end is taken as it.
  // An update whose version is not newer than the one that is known is ignored.
  void remember(MemoryUpdate update);
  void forget(const std::string& document);

  enum class Urgency : std::uint8_t { kEdits, kAll };  // edits: little ones of documents that were known

  // Does a part, a millisecond's worth at most. False when nothing of that urgency is left to do.
  bool work(Urgency urgency);

  bool knows(const std::string& document) const;  // all of it, with nothing left to do
  std::size_t documents() const { return documents_.size(); }
  std::size_t pending() const;  // pieces
  std::uint64_t bytes() const;
  std::uint64_t limit_bytes() const { return limit_bytes_; }
  std::string text(const std::string& document) const;

  enum class Origin : std::uint8_t { kOwn, kOther };

  struct Occurrence {
    std::span<const TokenId> following;  // what followed, to the end of its piece; never empty
    int length = 0;                      // tokens before it that are the context's
    Origin origin = Origin::kOther;
  };

  struct View {  // what a job may see; valid until the next `work`, `remember` or `forget`
    const void* own = nullptr;
    std::vector<const void*> masked;
  };
  View view(const std::string& own, const std::vector<std::string>& masked) const;

  // Adds places, those of the same shard newest first. In the own document the place that the context
  // itself ends at does not count.
  void find(std::span<const TokenId> context, const View& view, std::vector<Occurrence>& found) const;

 private:
  struct Document;
  struct Piece;
  struct Shard;
  struct Range;

  void drop(Piece& piece);
  void place(Piece& piece);
  void insert(Piece& piece, std::span<const TokenId> lead, std::span<const TokenId> tokens);
  TextEdit trimmed(const Document& document, TextEdit edit) const;
  void apply(Document& document, const TextEdit& edit);
  void empty_dead_shards();
  void keep_within_limit(Document& newest);
  void remove(Document& document);
  bool is_place_of_context(std::span<const TokenId> context, const Shard& shard, const Range& range,
                           std::size_t at) const;

  const Tokenizer& tokenizer_;
  std::uint64_t limit_bytes_;
  std::uint64_t text_bytes_ = 0;
  std::uint64_t clock_ = 0;
  std::unordered_map<std::string, std::unique_ptr<Document>> documents_;
  std::vector<std::unique_ptr<Shard>> shards_;  // the last one is filled
  std::deque<Piece*> edited_, added_;           // to be tokenised
};

// The places of what was written and of the memory where the tokens before are the last ones written, the
// text's own first.
std::vector<WorkspaceMemory::Occurrence> find_occurrences(const MatchIndex& written,
                                                          const WorkspaceMemory& memory,
                                                          const WorkspaceMemory::View& view);

}  // namespace hearth::engine
