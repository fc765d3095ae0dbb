// What a client says in its initialization options beside settings, and how its later configurations go
// on top of them. Pure.
#pragma once

#include <boost/json.hpp>
#include <cstdint>

namespace hearth::lsp {

// What 1 means as the trigger kind of an inline completion: LSP 3.18 made "automatic" of the draft's 1 a 2.
enum class TriggerKinds : std::uint8_t {
  kUnknown,  // 1 is automatic until a 2 comes
  k318,      // 1 invoked, 2 automatic
};

// Whether a `hearth/answer` notification follows each answered completion, with where it came from and
// what it cost: for benchmarks.
enum class AnswerReports : std::uint8_t { kOff, kOn };

struct ClientOptions {
  TriggerKinds trigger_kinds = TriggerKinds::kUnknown;  // "hearth.triggerKinds": "3.18"
  AnswerReports reports = AnswerReports::kOff;          // "hearth.reportAnswers": true
  int exact_tokens = 0;  // "hearth.exactTokens": every completion runs to so many, without deadlines: for
                         // benchmarks
  boost::json::object settings;  // the rest, flat: {"completion.softMs": 50}
};

// Keys may stand at the top, under "hearth", or be dotted ("hearth.triggerKinds").
ClientOptions read_client_options(const boost::json::value& initialization_options);

// The settings that hold, for read_settings, once the client sent `configuration`, which is a whole: it
// replaces every configuration before. It goes on top of `settings`, those of the initialization options,
// and what it names, null or not, is the configuration's alone from then on and leaves `settings`. So
// taking a setting out again gives it its default, though the client was initialized with it, too, and a
// configuration that says nothing of a setting (eglot's and ALE's say nothing of Hearth) leaves it alone.
boost::json::object configured(boost::json::object& settings, const boost::json::value& configuration);

}  // namespace hearth::lsp
