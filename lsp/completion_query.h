// What is asked for: a place in a document, by whom and how. Values and pure functions.
#pragma once

#include <cstdint>
#include <string>

#include "lsp/completion.h"
#include "lsp/document.h"
#include "lsp/silence.h"

namespace hearth::lsp {

enum class CompletionMethod : std::uint8_t { kCompletion, kInlineCompletion, kWhy };

enum class Urgency : std::uint8_t {
  kAutomatic,  // a keystroke
  kByHand,
};

struct CompletionQuery {
  Snapshot document;  // what it should be completed in; may be ahead of the client's (a selected popup item)
  std::size_t cursor = 0;
  std::string path;       // as the model should see it
  std::string workspace;  // where its text may be kept with; empty: nowhere
  CompletionMethod method = CompletionMethod::kInlineCompletion;
  Urgency urgency = Urgency::kAutomatic;
  Extent extent = Extent::kAuto;
  Silence left_out = Silence::kNone;  // why this document is not for the model
};

CursorPlace place_of(const CompletionQuery& query);

engine::Priority priority_of(const CompletionQuery& query);

// Whether the answer would stand there without having been asked for, or says whether one would.
bool is_unasked(const CompletionQuery& query);

// Whether one job answers both.
bool same_work(const CompletionQuery& a, const CompletionQuery& b);

// The query behind an insertion that was taken, asked the same way.
CompletionQuery accepted(const CompletionQuery& query, const Insertion& insertion);

// The query before the text from `begin` to the cursor was typed.
CompletionQuery untyped(const CompletionQuery& query, std::size_t begin);

}  // namespace hearth::lsp
