#include "engine/job_json.h"

#include <boost/json.hpp>
#include <gtest/gtest.h>
#include <random>

namespace hearth::engine {
namespace {

namespace json = boost::json;

// Random values of every type of the seam.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  std::uint64_t u64() { return engine_() >> (engine_() % 64); }
  int integer() { return static_cast<int>(static_cast<std::uint32_t>(engine_())); }
  bool flag() { return engine_() % 2 == 0; }
  std::size_t below(std::size_t n) { return engine_() % n; }

  // Boost.JSON 1.81 reads a decimal to within one unit in the last place: 30 bits pass exactly.
  double number() { return static_cast<double>(static_cast<std::int64_t>(engine_() >> 34)) / 1024 - 524288; }

  std::string text() {
    static const char* const kParts[] = {
        "", "x", "\n", "\"", "\\", "\t", "é", "日本", "😶‍🌫️", "\u2028", "</script>", " "};
    std::string out;
    for (std::size_t n = below(6); n > 0; --n) out += kParts[below(std::size(kParts))];
    if (below(8) == 0) out += '\0';
    return out;
  }

  template <class Make>
  auto list(Make make) {
    std::vector<decltype(make())> out(below(4));
    for (auto& item : out) item = make();
    return out;
  }

  std::optional<int> maybe() { return flag() ? std::optional(integer()) : std::nullopt; }

  Segment segment() { return {u64(), static_cast<SegmentKind>(below(6)), integer(), flag(), text()}; }

  Job job() {
    return {.client = text(),
            .document = text(),
            .workspace = text(),
            .masked = list([&] { return text(); }),
            .priority = static_cast<Priority>(below(4)),
            .segments = list([&] { return segment(); }),
            .alternatives = integer(),
            .stop = {integer(), integer(), maybe(), maybe(), list([&] { return text(); }), flag()},
            .soft_ms = maybe(),
            .hard_ms = maybe(),
            .sampling = {number(), number(), number(), u64()},
            .switches = {flag(), flag(), flag(), flag()}};
  }

  Delta delta() { return {u64(), integer(), text(), number(), number()}; }

  Final final_event() {
    return {.job = u64(),
            .reason = static_cast<FinishReason>(below(6)),
            .error = text(),
            .alternatives = list([&] {
              return Alternative{text(), number(), number()};
            }),
            .usage = {integer(), integer(), integer(), integer(), integer()},
            .timings = {number(), number(), number(), number(), number()},
            .segments_taken = list([&] { return std::size_t{u64()}; })};
  }

  ScoreRequest score_request() {
    return {list([&] { return segment(); }), list([&] { return text(); })};
  }

  MemoryUpdate memory_update() {
    return {text(), integer(), list([&] { return TextEdit{u64(), u64(), text()}; })};
  }

  EngineStatus status() {
    return {.state = text(),
            .error = text(),
            .model = text(),
            .model_path = text(),
            .device = text(),
            .threads = integer(),
            .context_tokens = integer(),
            .load_progress = number(),
            .cache_bytes = u64(),
            .cache_limit_bytes = u64(),
            .memory_bytes = u64(),
            .memory_limit_bytes = u64(),
            .memory_documents = integer(),
            .jobs_running = integer(),
            .jobs_waiting = integer(),
            .prefilled_tokens = u64(),
            .woken_tokens = u64(),
            .prefill_tokens_per_s = number(),
            .decode_tokens_per_s = number()};
  }

 private:
  std::mt19937_64 engine_;
};

template <class T, class Read>
void expect_unchanged(const T& value, Read read) {
  const std::string text = json::serialize(to_json(value));
  const auto back = read(json::parse(text));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(*back, value) << text;
}

TEST(JobJson, PassesEveryValueThroughTextAndBack) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    expect_unchanged(random.segment(), segment_from_json);
    expect_unchanged(random.job(), job_from_json);
    expect_unchanged(Event(random.delta()), event_from_json);
    expect_unchanged(Event(random.final_event()), event_from_json);
    expect_unchanged(random.score_request(), score_request_from_json);
    expect_unchanged(random.memory_update(), memory_update_from_json);
    expect_unchanged(random.status(), status_from_json);
  }
}

TEST(JobJson, NamesFieldsAsTheMembersAreAndLeavesOutWhatIsNotThere) {
  Job job;
  job.segments = {{.hash = 7, .kind = SegmentKind::kSuffix, .text = "}"}};
  job.hard_ms = 1500;
  EXPECT_EQ(
      json::serialize(to_json(job)),
      R"({"client":"","document":"","workspace":"","masked":[],"priority":"automatic","segments":[{"hash":7,"kind":"suffix",)"
      R"("priority":0,"required":true,"text":"}"}],"alternatives":1,"stop":{"max_tokens":64,"max_lines":1,)"
      R"("strings":[],"skip_blank_lines":false,"exact":false},"hard_ms":1500,)"
      R"("sampling":{"temperature":0E0,"top_p":1E0,"repetition_penalty":1E0,)"
      R"("seed":0},"switches":{"drafts":true,"healing":true,"memory":true,"rival":true}})");
}

TEST(JobJson, IgnoresUnknownFieldsAndDefaultsAbsentOnes) {
  const auto job = job_from_json(json::parse(R"({"client": "c", "from_the_future": [1], "soft_ms": null})"));
  ASSERT_TRUE(job) << job.error().message;
  Job expected;
  expected.client = "c";
  EXPECT_EQ(*job, expected);
}

TEST(JobJson, NamesTheFieldOfAWrongType) {
  const std::pair<const char*, const char*> cases[] = {
      {R"([])", R"(job: [] is not an object)"},
      {R"({"client": 1})", R"(job.client: 1 is not a string)"},
      {R"({"priority": "urgent"})",
       R"(job.priority: "urgent" is not one of "warm", "ahead", "automatic", "invoked")"},
      {R"({"segments": {}})", R"(job.segments: {} is not an array)"},
      {R"({"segments": [{}, {"kind": 3}]})",
       R"(job.segments[1].kind: 3 is not one of "manifests", "related", "path", "suffix", "prefix", "typed")"},
      {R"({"segments": [{"hash": -1}]})", R"(job.segments[0].hash: -1 is not an integer in range)"},
      {R"({"segments": [{"required": 1}]})", R"(job.segments[0].required: 1 is not true or false)"},
      {R"({"alternatives": 3000000000})", R"(job.alternatives: 3000000000 is not an integer in range)"},
      {R"({"alternatives": 1.5})", R"(job.alternatives: 1.5E0 is not an integer in range)"},
      {R"({"stop": {"block_indentation": "x"}})",
       R"(job.stop.block_indentation: "x" is not an integer in range)"},
      {R"({"stop": {"strings": [null]}})", R"(job.stop.strings[0]: null is not a string)"},
      {R"({"sampling": {"top_p": true}})", R"(job.sampling.top_p: true is not a number)"},
  };
  for (const auto& [text, message] : cases) {
    const auto job = job_from_json(json::parse(text));
    ASSERT_FALSE(job) << text;
    EXPECT_EQ(job.error().message, message);
    EXPECT_EQ(job.error().code, ErrorCode::kInvalid);
  }
  EXPECT_EQ(event_from_json(json::parse(R"({"delta": {"text": 3}})")).error().message,
            "delta.text: 3 is not a string");
  EXPECT_EQ(event_from_json(json::parse(R"({"final": {"usage": 3}})")).error().message,
            "final.usage: 3 is not an object");
  EXPECT_FALSE(event_from_json(json::parse(R"({"other": 1})")));
}

}  // namespace
}  // namespace hearth::engine
