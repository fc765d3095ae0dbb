#include "engine/workspace_memory.h"

#include <algorithm>

#include "engine/text_edit.h"

namespace hearth::engine {

namespace {

constexpr std::size_t kPieceBytes = 1024;      // a line more, at most
constexpr std::size_t kLongPieceBytes = 4096;  // where no line ends
constexpr std::size_t kLittle = 32 << 10;      // that is tokenised before anything else is done
constexpr int kLead = MatchIndex::kLongestMatch;
constexpr int kMostPlaces = 64;  // that are looked at, of a chain of a shard
constexpr std::size_t kMostOccurrences = 512;
constexpr std::uint64_t kBytesPerTextByte = 5;  // what a byte of text takes: itself, its tokens, what is dead

// Where a piece that begins with `text` ends: before the end of a line, as tokenizers join a line's end with
// the blanks after it.
std::size_t piece_end(std::string_view text) {
  if (text.size() <= kPieceBytes) return text.size();
  std::size_t end = text.find('\n', kPieceBytes);
  while (end != std::string_view::npos && end > 0 && (text[end - 1] == '\n' || text[end - 1] == '\r')) --end;
  if (end == std::string_view::npos) end = text.size();
  if (end > 0 && end <= kLongPieceBytes) return end;
  end = std::min(text.size(), kLongPieceBytes);
  while (end > 0 && end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return end;
}

}  // namespace

struct WorkspaceMemory::Document {
  std::string name;
  std::int64_t version = 0;
  std::uint64_t used = 0;
  std::size_t bytes = 0;
  std::vector<std::unique_ptr<Piece>> pieces;  // their texts make the document's
};

struct WorkspaceMemory::Piece {
  Document* document = nullptr;
  std::string text;
  std::deque<Piece*>* queue = nullptr;  // where it waits
  Shard* shard = nullptr;               // where it is
  std::size_t range = 0;
};

// Of a shard's tokens.
struct WorkspaceMemory::Range {
  std::uint16_t lead_begin, begin, end;  // before `begin` those of the piece before
  Piece* piece;                          // null: gone
};

struct WorkspaceMemory::Shard {
  MatchIndex index{MatchIndex::kMostTokens};
  std::vector<Range> ranges;  // ascending
  std::size_t dead = 0;       // tokens of ranges that are gone

  const Range& range_at(std::uint16_t token) const {
    return *std::prev(std::ranges::upper_bound(ranges, token, {}, &Range::lead_begin));
  }
};

WorkspaceMemory::WorkspaceMemory(const Tokenizer& tokenizer, std::uint64_t limit_bytes)
    : tokenizer_(tokenizer), limit_bytes_(limit_bytes) {}

WorkspaceMemory::~WorkspaceMemory() = default;

bool WorkspaceMemory::knows(const std::string& document) const {
  const auto found = documents_.find(document);
  return found != documents_.end() && std::ranges::none_of(found->second->pieces, [](const auto& piece) {
           return piece->queue != nullptr;
         });
}

std::size_t WorkspaceMemory::pending() const { return edited_.size() + added_.size(); }

std::uint64_t WorkspaceMemory::bytes() const {
  std::uint64_t bytes = text_bytes_;
  for (const auto& shard : shards_) bytes += shard->index.bytes() + shard->ranges.size() * sizeof(Range);
  return bytes;
}

std::string WorkspaceMemory::text(const std::string& document) const {
  std::string text;
  const auto found = documents_.find(document);
  if (found == documents_.end()) return text;
  for (const auto& piece : found->second->pieces) text += piece->text;
  return text;
}

void WorkspaceMemory::remember(MemoryUpdate update) {
  const auto known = documents_.find(update.document);
  if (known == documents_.end() && !update.edits.empty()) {
    const TextEdit& first = update.edits.front();
    if (first.begin > 0 || (first.removed > 0 && first.removed != kToTheEnd)) return;
  }
  auto& slot = documents_[update.document];
  if (!slot) {
    slot = std::make_unique<Document>();
    slot->name = update.document;
  } else if (update.version <= slot->version) {
    return;
  }
  slot->version = update.version;
  slot->used = ++clock_;
  for (TextEdit& edit : update.edits) apply(*slot, trimmed(*slot, std::move(edit)));
  keep_within_limit(*slot);
}

void WorkspaceMemory::forget(const std::string& document) {
  const auto found = documents_.find(document);
  if (found != documents_.end()) remove(*found->second);
}

void WorkspaceMemory::remove(Document& document) {
  for (auto& piece : document.pieces) drop(*piece);
  text_bytes_ -= document.bytes;
  documents_.erase(document.name);
  empty_dead_shards();
}

// Takes a piece's tokens out, or the piece out of its queue.
void WorkspaceMemory::drop(Piece& piece) {
  if (piece.queue != nullptr) {
    std::erase(*piece.queue, &piece);
    piece.queue = nullptr;
  }
  if (piece.shard == nullptr) return;
  Range& range = piece.shard->ranges[piece.range];
  range.piece = nullptr;
  piece.shard->dead += range.end - range.lead_begin;
  piece.shard = nullptr;
}

// The edit without what it puts where the same stands already: whole texts come where little has changed.
TextEdit WorkspaceMemory::trimmed(const Document& document, TextEdit edit) const {
  edit.begin = std::min<std::uint64_t>(edit.begin, document.bytes);
  edit.removed = std::min<std::uint64_t>(edit.removed, document.bytes - edit.begin);
  std::string held;
  std::uint64_t offset = 0;
  for (const auto& piece : document.pieces) {
    const std::uint64_t next = offset + piece->text.size(), end = edit.begin + edit.removed;
    if (next > edit.begin && offset < end) {
      const std::uint64_t from = std::max(offset, edit.begin) - offset;
      held += std::string_view(piece->text).substr(from, std::min(next, end) - offset - from);
    }
    offset = next;
  }
  TextEdit rest = difference(held, edit.text);
  rest.begin += edit.begin;
  return rest;
}

void WorkspaceMemory::apply(Document& document, const TextEdit& edit) {
  if (edit.removed == 0 && edit.text.empty()) return;
  auto& pieces = document.pieces;
  const std::size_t begin = edit.begin, end = begin + edit.removed;
  // The pieces that hold the edit, and the one after them, whose lead they are.
  std::size_t first = 0, offset = 0;
  while (first + 1 < pieces.size() && offset + pieces[first]->text.size() < begin)
    offset += pieces[first++]->text.size();
  std::string text;
  std::size_t last = first;
  for (; last < pieces.size() && (last == first || offset + text.size() < end); ++last)
    text += pieces[last]->text;
  if (last < pieces.size()) text += pieces[last++]->text;
  const bool little = !pieces.empty() && text.size() + edit.text.size() <= kLittle;
  document.bytes += edit.text.size();
  document.bytes -= end - begin;
  text_bytes_ += edit.text.size();
  text_bytes_ -= end - begin;
  text.replace(begin - offset, end - begin, edit.text);

  std::vector<std::unique_ptr<Piece>> fresh;
  auto& queue = little ? edited_ : added_;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t n = std::max<std::size_t>(piece_end(rest), 1);
    auto piece = std::make_unique<Piece>();
    piece->document = &document;
    piece->text = rest.substr(0, n);
    piece->queue = &queue;
    queue.push_back(piece.get());
    fresh.push_back(std::move(piece));
    rest.remove_prefix(n);
  }
  for (std::size_t i = first; i < last; ++i) drop(*pieces[i]);
  const auto at = pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(first),
                               pieces.begin() + static_cast<std::ptrdiff_t>(last));
  pieces.insert(at, std::make_move_iterator(fresh.begin()), std::make_move_iterator(fresh.end()));
  empty_dead_shards();
}

bool WorkspaceMemory::work(Urgency urgency) {
  auto& queue = edited_.empty() && urgency == Urgency::kAll ? added_ : edited_;
  if (queue.empty()) return false;
  Piece& piece = *queue.front();
  queue.pop_front();
  piece.queue = nullptr;
  place(piece);
  return true;
}

void WorkspaceMemory::place(Piece& piece) {
  const auto tokens = tokenizer_.encode(piece.text);
  const auto& pieces = piece.document->pieces;
  const auto self = std::ranges::find(pieces, &piece, [](const auto& owned) { return owned.get(); });
  std::vector<TokenId> lead{MatchIndex::kBorder};
  if (self != pieces.begin()) {
    const Piece& before = **std::prev(self);
    if (before.shard != nullptr) {
      const Range& range = before.shard->ranges[before.range];
      const auto all = before.shard->index.tokens().subspan(range.lead_begin, range.end - range.lead_begin);
      const auto taken = all.last(std::min<std::size_t>(kLead, all.size()));
      lead.assign(taken.begin(), taken.end());
    } else {
      lead = tokenizer_.encode(before.text);
      if (lead.size() > kLead) lead.erase(lead.begin(), lead.end() - kLead);
    }
  }
  insert(piece, lead, tokens);
}

void WorkspaceMemory::insert(Piece& piece, std::span<const TokenId> lead, std::span<const TokenId> tokens) {
  if (shards_.empty() || shards_.back()->index.room() < lead.size() + tokens.size())
    shards_.push_back(std::make_unique<Shard>());
  Shard& shard = *shards_.back();
  const auto at = [&] { return static_cast<std::uint16_t>(shard.index.size()); };
  Range range{at(), 0, 0, &piece};
  for (const TokenId token : lead) shard.index.append_silent(token);
  range.begin = at();
  for (const TokenId token : tokens) shard.index.append(token);
  range.end = at();
  piece.shard = &shard;
  piece.range = shard.ranges.size();
  shard.ranges.push_back(range);
}

// What still lives in a shard that is mostly gone moves to the newest one. Never the one being filled: it
// is emptied when it is full.
void WorkspaceMemory::empty_dead_shards() {
  for (std::size_t i = 0; i + 1 < shards_.size(); ++i) {
    if (shards_[i]->dead * 2 <= shards_[i]->index.size()) continue;
    const std::unique_ptr<Shard> old = std::move(shards_[i]);
    shards_.erase(shards_.begin() + static_cast<std::ptrdiff_t>(i));
    for (const Range& range : old->ranges) {
      if (range.piece == nullptr) continue;
      const auto tokens = old->index.tokens();
      insert(*range.piece, tokens.subspan(range.lead_begin, range.begin - range.lead_begin),
             tokens.subspan(range.begin, range.end - range.begin));
    }
    return;  // one at a time
  }
}

// A document that is larger than the limit alone is not held at all.
void WorkspaceMemory::keep_within_limit(Document& newest) {
  if (newest.bytes * kBytesPerTextByte > limit_bytes_) remove(newest);
  while (text_bytes_ * kBytesPerTextByte > limit_bytes_) {
    const auto oldest =
        std::ranges::min_element(documents_, {}, [](const auto& document) { return document.second->used; });
    remove(*oldest->second);
  }
}

WorkspaceMemory::View WorkspaceMemory::view(const std::string& own,
                                            const std::vector<std::string>& masked) const {
  const auto document = [&](const std::string& name) -> const void* {
    const auto found = documents_.find(name);
    return found == documents_.end() ? nullptr : found->second.get();
  };
  View view{document(own), {}};
  for (const auto& name : masked) {
    if (const void* hidden = document(name)) view.masked.push_back(hidden);
  }
  return view;
}

// Compares bytes, as the two may be cut into tokens at different places; the context's first token may have
// been given a space that the document does not have.
bool WorkspaceMemory::is_place_of_context(std::span<const TokenId> context, const Shard& shard,
                                          const Range& range, std::size_t at) const {
  const auto border = std::find(context.rbegin(), context.rend(), MatchIndex::kBorder);
  const auto text = std::span(border.base(), context.end());
  const auto& pieces = range.piece->document->pieces;
  auto piece = std::ranges::find(pieces, range.piece, [](const auto& owned) { return owned.get(); });
  const std::string head = tokenizer_.decode(shard.index.tokens().subspan(range.begin, at - range.begin));
  std::string_view before = std::string_view((*piece)->text).substr(0, head.size());
  for (std::size_t i = text.size(); i > 1; --i) {
    std::string_view bytes = tokenizer_.bytes(text[i - 1]);
    while (!bytes.empty()) {
      while (before.empty()) {
        if (piece == pieces.begin()) return true;
        before = (*--piece)->text;
      }
      if (bytes.back() != before.back()) return false;
      bytes.remove_suffix(1);
      before.remove_suffix(1);
    }
  }
  return true;
}

void WorkspaceMemory::find(std::span<const TokenId> context, const View& view,
                           std::vector<Occurrence>& found) const {
  std::vector<MatchIndex::Place> places;
  for (auto shard = shards_.rbegin(); shard != shards_.rend() && found.size() < kMostOccurrences; ++shard) {
    places.clear();
    (*shard)->index.find(context, kMostPlaces, places);
    for (const MatchIndex::Place& place : places) {
      const Range& range = (*shard)->range_at(place.at);
      if (range.piece == nullptr) continue;
      const Document* document = range.piece->document;
      const bool own = document == view.own;
      if (own && place.whole && is_place_of_context(context, **shard, range, place.at)) continue;
      if (std::ranges::find(view.masked, document) != view.masked.end()) continue;
      // Tokens before the lead belong to another piece.
      const int length = std::min<int>(place.length, place.at - range.lead_begin);
      if (length < MatchIndex::kShortContext) continue;
      found.push_back({(*shard)->index.tokens().subspan(place.at, range.end - place.at), length,
                       own ? Origin::kOwn : Origin::kOther});
    }
  }
}

std::vector<WorkspaceMemory::Occurrence> find_occurrences(const MatchIndex& written,
                                                          const WorkspaceMemory& memory,
                                                          const WorkspaceMemory::View& view) {
  const auto tokens = written.tokens();
  std::vector<WorkspaceMemory::Occurrence> found;
  std::vector<MatchIndex::Place> places;
  written.find(tokens, kMostPlaces, places);
  for (const MatchIndex::Place& place : places) {
    const auto following = tokens.subspan(place.at);
    const auto border = std::ranges::find(following, MatchIndex::kBorder);
    found.push_back({{following.begin(), border}, place.length, WorkspaceMemory::Origin::kOwn});
  }
  memory.find(tokens, view, found);
  return found;
}

}  // namespace hearth::engine
