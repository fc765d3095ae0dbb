// A person typing, as data: passages of a source file that are taken out and typed again, key by key, with
// slips that are corrected, new lines, and jumps from one passage to the next. Teacher-forced: the keys do
// not depend on what is suggested, so every model and every rival meets the same documents. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hearth::lsp {

enum class KeyKind : std::uint8_t {
  kCharacter,  // one code point is typed
  kNewline,    // a line end and the indentation that an editor puts behind it
  kBackspace,  // the last code point is taken back
  kJump,       // the cursor moves to another passage and rests there
};

const char* name(KeyKind kind);  // "character", "newline", ...

struct TraceKey {
  KeyKind kind = KeyKind::kCharacter;
  std::string text;        // that is typed
  std::size_t cursor = 0;  // byte offset, after the key (kJump: where it goes)

  // What the source has from the cursor on, to the passage's end: what a suggestion should say. Empty
  // while a slip stands uncorrected.
  std::string ahead;

  bool operator==(const TraceKey&) const = default;
};

struct TypingTrace {
  std::string path;      // as the model should see it
  std::string language;  // LSP identifier
  std::string text;      // the document before the first key
  std::vector<TraceKey> keys;

  bool operator==(const TypingTrace&) const = default;
};

struct TraceOptions {
  std::uint64_t seed = 1;
  int keys = 300;
  int passages = 4;
  double slips = 0.03;  // share of characters that are mistyped and corrected
};

// Passages begin at line starts in the second half of `source`, so that there is context before and after.
TypingTrace generate_trace(std::string path, std::string language, const std::string& source,
                           const TraceOptions& options);

// One JSON object a line: the document first, then a key each.
std::string write_trace(const TypingTrace& trace);
std::optional<TypingTrace> read_trace(const std::string& text, std::string& problem);

}  // namespace hearth::lsp
