// What became of the suggestions of one document, told by the edits that follow them, so that it is known in
// every editor alike. An outcome comes with the event after the one that made it, because an editor's own
// word on an acceptance may come after the edit. Values only; one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "lsp/document.h"
#include "lsp/post_process.h"

namespace hearth::lsp {

enum class Fate : std::uint8_t {
  kAccepted,        // its end came at one stroke
  kPartlyAccepted,  // words or lines of it came at one stroke, then something else
  kTypedThrough,    // key by key, to its end
  kDisplaced,       // by other text, or by nothing at all
};

struct Outcome {
  Fate fate = Fate::kDisplaced;
  std::int64_t characters = 0;  // code points that came at a stroke

  bool operator==(const Outcome&) const = default;
};

class SuggestionFate {
 public:
  enum class Shown : std::uint8_t { kNew, kSame, kNothing };  // same: it goes on with what was shown before

  // An answer for the document at the cursor is in the editor's hands, the best first. What became of an
  // earlier one is in `take`.
  Shown shown(const Snapshot& document, std::size_t cursor, const std::vector<Insertion>& insertions);

  void edited(const Snapshot& document);

  // The editor says that it accepted the suggestion.
  void confirmed();

  // Nothing is shown any more.
  void left();

  std::optional<Outcome> take();

 private:
  struct Followed {
    Snapshot document;  // that it was shown in
    std::size_t cursor = 0;
    std::vector<Insertion> insertions;
    std::size_t reached = 0;  // bytes of an insertion that the document holds by now
    std::int64_t held = 0;    // code points from the cursor on, closers that an editor added included
    std::int64_t characters = 0;
  };

  bool follows(std::string_view now);
  void end(Fate fate);
  void settle();  // what was made before this event is final now

  std::optional<Followed> followed_;
  std::optional<Followed> ended_from_;  // what `unsettled_` is the outcome of
  std::optional<Outcome> unsettled_, settled_;
};

}  // namespace hearth::lsp
