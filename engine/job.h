// The values that cross the engine's seam. No token ids: text in, text out, so that the same values
// work in one process and across two (engine/job_json.h writes them as JSON and reads them back).
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace hearth::engine {

// The parts of a prompt, most stable first (DESIGN.md section 4).
enum class SegmentKind : std::uint8_t {
  kManifests,  // A: the workspace and its dependencies
  kRelated,    // B: path and text of a related file
  kPath,       // the path of the file itself, as the model should see it
  kSuffix,     // C: from the end of the cursor's line (or from the cursor) on
  kPrefix,     // D: the text before the cursor up to the start of the current statement; two segments
               //    of this kind join, the farther (optional) one first
  kTyped,      // T: what has been typed since, up to the cursor
};

struct Segment {
  std::uint64_t hash = 0;  // of kind and text, for reports; the engine matches tokens, not hashes
  SegmentKind kind = SegmentKind::kPrefix;
  int priority = 0;  // of the optional ones, the highest are taken first
  bool required = true;
  std::string text;

  bool operator==(const Segment&) const = default;
};

// Generation stops at whichever comes first; the text never holds what stopped it, nor a line end last.
struct StopRules {
  int max_tokens = 64;
  int max_lines = 1;                     // 0: any number
  std::optional<int> block_indentation;  // stop before a non-blank line indented by fewer columns
  std::optional<int> bracket_depth;      // stop before a closer that leaves more than this many
                                         // brackets of the text before the cursor
  std::vector<std::string> strings;
  bool skip_blank_lines = false;  // the line ends that come before anything else do not count as lines
  bool exact = false;             // exactly max_tokens, even where the model would end: for measuring

  bool operator==(const StopRules&) const = default;
};

struct Sampling {
  double temperature = 0;  // 0: greedy
  double top_p = 1;
  double repetition_penalty = 1;
  std::uint64_t seed = 0;

  bool operator==(const Sampling&) const = default;
};

struct Switches {
  bool drafts = true;
  bool healing = true;
  bool memory = true;  // the workspace memory is mixed in
  bool rival = true;   // where other tokens are nearly as likely as the likeliest, the best of their lines

  bool operator==(const Switches&) const = default;
};

enum class Priority : std::uint8_t {
  kWarm,       // gives way to everything
  kAhead,      // an answer that may be asked for next: gives way to what is asked for
  kAutomatic,  // a keystroke
  kInvoked,    // asked for by hand
};

struct Job {
  std::string client;
  std::string document;
  std::string workspace;  // root of the one whose text the prompt is; empty: its KV is not to be kept
  std::vector<std::string> masked;  // documents that the memory may not answer from
  Priority priority = Priority::kAutomatic;
  std::vector<Segment> segments;
  int alternatives = 1;
  StopRules stop;
  std::optional<int> soft_ms;  // answer with what is whole by then, if that is at least a word
  std::optional<int> hard_ms;  // answer with whatever is there
  Sampling sampling;
  Switches switches;

  bool operator==(const Job&) const = default;
};

using JobId = std::uint64_t;

// Text that was added to an alternative since the last delta.
struct Delta {
  JobId job = 0;
  int alternative = 0;
  std::string text;
  double log_probability = 0;  // of the added tokens
  double confidence = 0;       // probability of the first line, as far as it is there

  bool operator==(const Delta&) const = default;
};

enum class FinishReason : std::uint8_t {
  kStop,      // a stop rule, or the model ended
  kTokens,    // max_tokens
  kDeadline,  // soft or hard
  kWarmed,    // a warm job whose prompt is in memory
  kCancelled,
  kFailed,  // see Final::error
};

struct Alternative {
  std::string text;
  double log_probability = 0;
  double confidence = 0;  // probability of the first line, with where it ends

  bool operator==(const Alternative&) const = default;
};

struct Usage {
  int prompt_tokens = 0;
  int cached_tokens = 0;     // of the prompt, found in the prefix tree
  int generated_tokens = 0;  // over all alternatives
  int drafted_tokens = 0;
  int accepted_tokens = 0;  // of the drafted

  bool operator==(const Usage&) const = default;
};

struct Timings {
  double queue_ms = 0;
  double prefill_ms = 0;
  double first_token_ms = 0;  // from submission
  double decode_ms = 0;
  double total_ms = 0;

  bool operator==(const Timings&) const = default;
};

struct Final {
  JobId job = 0;
  FinishReason reason = FinishReason::kStop;
  std::string error;
  std::vector<Alternative> alternatives;  // distinct, best first
  Usage usage;
  Timings timings;
  std::vector<std::size_t> segments_taken;  // indices into Job::segments

  bool operator==(const Final&) const = default;
};

using Event = std::variant<Delta, Final>;

struct ScoreRequest {
  std::vector<Segment> segments;
  std::vector<std::string> candidates;  // texts that may follow the cursor

  bool operator==(const ScoreRequest&) const = default;
};

inline constexpr std::uint64_t kToTheEnd = std::numeric_limits<std::uint64_t>::max();

// What stands from byte `begin` on, `removed` bytes of it, becomes `text`.
struct TextEdit {
  std::uint64_t begin = 0;
  std::uint64_t removed = 0;  // more than there are, such as kToTheEnd: to the end
  std::string text;

  bool operator==(const TextEdit&) const = default;
};

// Edits, each of the text that the one before left, make the document's `version` of the last one known.
struct MemoryUpdate {
  std::string document;
  std::int64_t version = 0;
  std::vector<TextEdit> edits;

  bool operator==(const MemoryUpdate&) const = default;
};

struct EngineStatus {
  std::string state;  // "loading", "ready", "failed"
  std::string error;  // why it failed
  std::string model;  // its name
  std::string model_path;
  std::string device;  // "cpu avx2"
  int threads = 0;
  int context_tokens = 0;
  double load_progress = 0;  // 0 to 1
  std::uint64_t cache_bytes = 0;
  std::uint64_t cache_limit_bytes = 0;
  std::uint64_t memory_bytes = 0;  // of the workspace memory
  std::uint64_t memory_limit_bytes = 0;
  int memory_documents = 0;
  int jobs_running = 0;
  int jobs_waiting = 0;
  std::uint64_t prefilled_tokens = 0;  // of prompts, since the start
  std::uint64_t woken_tokens = 0;      // likewise, from the store of KV
  double prefill_tokens_per_s = 0;     // as measured lately
  double decode_tokens_per_s = 0;

  bool operator==(const EngineStatus&) const = default;
};

}  // namespace hearth::engine
