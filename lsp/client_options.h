// What a client says in its initialization options beside settings, and how its later configuration goes
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
  boost::json::value settings;  // the rest, for read_settings
};

// Keys may stand at the top, under "hearth", or be dotted ("hearth.triggerKinds").
ClientOptions read_client_options(const boost::json::value& initialization_options);

// `over` on top of `base`, both as read_settings takes them; objects are merged key by key, null changes
// nothing.
boost::json::value merged_settings(const boost::json::value& base, const boost::json::value& over);

}  // namespace hearth::lsp
