// Why there is no suggestion at a place, and how to say so. Pure.
#pragma once

#include <boost/json.hpp>
#include <cstddef>
#include <cstdint>

#include "engine/job.h"
#include "lsp/document.h"
#include "lsp/settings.h"

namespace hearth::lsp {

enum class Silence : std::uint8_t {
  kNone,  // there is one
  kOff,
  kLanguageOff,
  kComment,
  kSecret,   // by its name
  kIgnored,  // by .hearthignore
  kLoading,
  kFailed,
  kLate,         // nothing whole by the hard deadline
  kUnsure,       // less than completion.minConfidence
  kSaidNothing,  // the model ended at once
  kNothingFits,  // what it wrote repeats the text around the cursor, or breaks it
  kSuperseded,   // a newer request came, or the session ends
};

// Whether nothing at all is to be offered there, whatever it comes from.
bool is_ban(Silence silence);

// The names in completion.disabledLanguages that mean the document's language: it may have several.
boost::json::array disabled_as(const Document& document, const Settings& settings);

// What the settings alone say of a document.
Silence silence_by_settings(const Document& document, const Settings& settings);

// Of a place in it where nothing was asked for by hand; what the settings say of the document aside.
Silence silence_of_place(const Document& document, std::size_t cursor, const Settings& settings);

// Before anything was asked for: what the settings say, then what the engine's state says.
Silence silence_here(const Document& document, const Settings& settings, const engine::EngineStatus& status);

// Of an answer of the engine's that came to nothing, or that is to be shown only when it is so sure.
Silence silence_of(const engine::Final& final, double least_confidence);

// {"suggests", "code", "message"}, and "setting" where one is the cause.
boost::json::object explanation(Silence silence, const Document& document, const Settings& settings,
                                const engine::EngineStatus& status);

}  // namespace hearth::lsp
