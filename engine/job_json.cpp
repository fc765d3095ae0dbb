#include "engine/job_json.h"

#include <boost/json.hpp>
#include <concepts>
#include <span>
#include <string>
#include <type_traits>

namespace hearth::engine {

namespace {

namespace json = boost::json;

template <class T, class Plain>
concept Is = std::same_as<std::remove_const_t<T>, Plain>;

// One list of fields a type, for writing and reading alike. A member that is left out does not compile.

template <class Visitor, Is<Segment> T>
void visit_fields(Visitor& visit, T& value) {
  auto& [hash, kind, priority, required, text] = value;
  visit("hash", hash);
  visit("kind", kind);
  visit("priority", priority);
  visit("required", required);
  visit("text", text);
}

template <class Visitor, Is<StopRules> T>
void visit_fields(Visitor& visit, T& value) {
  auto& [max_tokens, max_lines, block_indentation, bracket_depth, strings, skip_blank_lines, exact] = value;
  visit("max_tokens", max_tokens);
  visit("max_lines", max_lines);
  visit("block_indentation", block_indentation);
  visit("bracket_depth", bracket_depth);
  visit("strings", strings);
  visit("skip_blank_lines", skip_blank_lines);
  visit("exact", exact);
}

template <class Visitor, Is<Sampling> T>
void visit_fields(Visitor& visit, T& value) {
  auto& [temperature, top_p, repetition_penalty, seed] = value;
  visit("temperature", temperature);
  visit("top_p", top_p);
  visit("repetition_penalty", repetition_penalty);
  visit("seed", seed);
}

template <class Visitor, Is<Switches> T>
void visit_fields(Visitor& visit, T& value) {
  auto& [drafts, healing, memory, rival] = value;
  visit("drafts", drafts);
  visit("healing", healing);
  visit("memory", memory);
  visit("rival", rival);
}

template <class Visitor, Is<Job> T>
void visit_fields(Visitor& visit, T& value) {
  auto& [client, document, workspace, masked, priority, segments, alternatives, stop, soft_ms, hard_ms,
         sampling, switches] = value;
  visit("client", client);
  visit("document", document);
  visit("workspace", workspace);
  visit("masked", masked);
  visit("priority", priority);
  visit("segments", segments);
  visit("alternatives", alternatives);
  visit("stop", stop);
  visit("soft_ms", soft_ms);
  visit("hard_ms", hard_ms);
  visit("sampling", sampling);
  visit("switches", switches);
}

template <class Visitor, Is<Delta> T>
void visit_fields(Visitor& visit, T& value) {
  auto& [job, alternative, text, log_probability, confidence] = value;
  visit("job", job);
  visit("alternative", alternative);
  visit("text", text);
  visit("log_probability", log_probability);
  visit("confidence", confidence);
}

template <class Visitor, Is<Alternative> T>
void visit_fields(Visitor& visit, T& value) {
  auto& [text, log_probability, confidence] = value;
  visit("text", text);
  visit("log_probability", log_probability);
  visit("confidence", confidence);
}

template <class Visitor, Is<Usage> T>
void visit_fields(Visitor& visit, T& value) {
  auto& [prompt_tokens, cached_tokens, generated_tokens, drafted_tokens, accepted_tokens] = value;
  visit("prompt_tokens", prompt_tokens);
  visit("cached_tokens", cached_tokens);
  visit("generated_tokens", generated_tokens);
  visit("drafted_tokens", drafted_tokens);
  visit("accepted_tokens", accepted_tokens);
}

template <class Visitor, Is<Timings> T>
void visit_fields(Visitor& visit, T& value) {
  auto& [queue_ms, prefill_ms, first_token_ms, decode_ms, total_ms] = value;
  visit("queue_ms", queue_ms);
  visit("prefill_ms", prefill_ms);
  visit("first_token_ms", first_token_ms);
  visit("decode_ms", decode_ms);
  visit("total_ms", total_ms);
}

template <class Visitor, Is<Final> T>
void visit_fields(Visitor& visit, T& value) {
  auto& [job, reason, error, alternatives, usage, timings, segments_taken] = value;
  visit("job", job);
  visit("reason", reason);
  visit("error", error);
  visit("alternatives", alternatives);
  visit("usage", usage);
  visit("timings", timings);
  visit("segments_taken", segments_taken);
}

template <class Visitor, Is<ScoreRequest> T>
void visit_fields(Visitor& visit, T& value) {
  auto& [segments, candidates] = value;
  visit("segments", segments);
  visit("candidates", candidates);
}

template <class Visitor, Is<TextEdit> T>
void visit_fields(Visitor& visit, T& value) {
  auto& [begin, removed, text] = value;
  visit("begin", begin);
  visit("removed", removed);
  visit("text", text);
}

template <class Visitor, Is<MemoryUpdate> T>
void visit_fields(Visitor& visit, T& value) {
  auto& [document, version, edits] = value;
  visit("document", document);
  visit("version", version);
  visit("edits", edits);
}

template <class Visitor, Is<EngineStatus> T>
void visit_fields(Visitor& visit, T& value) {
  auto& [state, error, model, model_path, device, threads, context_tokens, load_progress, cache_bytes,
         cache_limit_bytes, memory_bytes, memory_limit_bytes, memory_documents, jobs_running, jobs_waiting,
         prefilled_tokens, woken_tokens, prefill_tokens_per_s, decode_tokens_per_s] = value;
  visit("state", state);
  visit("error", error);
  visit("model", model);
  visit("model_path", model_path);
  visit("device", device);
  visit("threads", threads);
  visit("context_tokens", context_tokens);
  visit("load_progress", load_progress);
  visit("cache_bytes", cache_bytes);
  visit("cache_limit_bytes", cache_limit_bytes);
  visit("memory_bytes", memory_bytes);
  visit("memory_limit_bytes", memory_limit_bytes);
  visit("memory_documents", memory_documents);
  visit("jobs_running", jobs_running);
  visit("jobs_waiting", jobs_waiting);
  visit("prefilled_tokens", prefilled_tokens);
  visit("woken_tokens", woken_tokens);
  visit("prefill_tokens_per_s", prefill_tokens_per_s);
  visit("decode_tokens_per_s", decode_tokens_per_s);
}

// The enumerators' names, in their order.
std::span<const char* const> names(SegmentKind) {
  static constexpr const char* kNames[] = {"manifests", "related", "path", "suffix", "prefix", "typed"};
  return kNames;
}

std::span<const char* const> names(Priority) {
  static constexpr const char* kNames[] = {"warm", "ahead", "automatic", "invoked"};
  return kNames;
}

std::span<const char* const> names(FinishReason) {
  static constexpr const char* kNames[] = {"stop", "tokens", "deadline", "warmed", "cancelled", "failed"};
  return kNames;
}

struct Writer {
  json::object out;

  template <class T>
  void operator()(const char* field, const T& value) {
    out[field] = write(value);
  }

  template <class T>
  void operator()(const char* field, const std::optional<T>& value) {
    if (value) out[field] = write(*value);
  }

  template <class T>
  static json::value write(const T& value) {
    if constexpr (std::is_arithmetic_v<T>) {
      return value;
    } else if constexpr (std::is_enum_v<T>) {
      return json::string(names(value)[static_cast<std::size_t>(value)]);
    } else {
      Writer writer;
      visit_fields(writer, value);
      return std::move(writer.out);
    }
  }

  static json::value write(const std::string& text) { return json::string(text); }

  template <class T>
  static json::value write(const std::vector<T>& values) {
    json::array array;
    array.reserve(values.size());
    for (const T& value : values) array.push_back(write(value));
    return array;
  }
};

// The first fault ends the reading: what comes after it is left as it was.
class Reader {
 public:
  Reader(std::string path, std::optional<Error>& error) : path_(std::move(path)), error_(error) {}

  template <class T>
  void read(const json::value& in, T& out) {
    if constexpr (std::same_as<T, bool>) {
      in.is_bool() ? void(out = in.get_bool()) : fail(in, "true or false");
    } else if constexpr (std::is_arithmetic_v<T>) {
      json::error_code failure;
      const T number = in.is_number() ? in.to_number<T>(failure) : T{};
      const bool fits = in.is_number() && !failure;
      fits ? void(out = number) : fail(in, std::is_floating_point_v<T> ? "a number" : "an integer in range");
    } else if constexpr (std::is_enum_v<T>) {
      read_enum(in, out);
    } else {
      const json::object* object = in.if_object();
      if (object == nullptr) return fail(in, "an object");
      object_ = object;
      visit_fields(*this, out);
    }
  }

  void read(const json::value& in, std::string& out) {
    in.is_string() ? void(out = std::string(in.get_string())) : fail(in, "a string");
  }

  template <class T>
  void read(const json::value& in, std::optional<T>& out) {
    if (in.is_null()) return out.reset();
    read(in, out.emplace());
  }

  template <class T>
  void read(const json::value& in, std::vector<T>& out) {
    const json::array* array = in.if_array();
    if (array == nullptr) return fail(in, "an array");
    for (std::size_t i = 0; i < array->size() && !error_; ++i) {
      Reader(path_ + "[" + std::to_string(i) + "]", error_).read((*array)[i], out.emplace_back());
    }
  }

  // As the visitor of an object's fields.
  template <class T>
  void operator()(const char* field, T& out) {
    const json::value* value = error_ ? nullptr : object_->if_contains(field);
    if (value != nullptr) Reader(path_ + "." + field, error_).read(*value, out);
  }

  void fail(const json::value& in, const std::string& wanted) {
    constexpr std::size_t kShown = 40;
    std::string found = json::serialize(in);
    if (found.size() > kShown) found = found.substr(0, kShown) + "...";
    error_ = Error{ErrorCode::kInvalid, path_ + ": " + found + " is not " + wanted};
  }

 private:
  template <class T>
  void read_enum(const json::value& in, T& out) {
    std::string wanted = "one of";
    const auto all = names(T{});
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (in.is_string() && in.get_string() == all[i]) {
        out = static_cast<T>(i);
        return;
      }
      wanted += std::string(i == 0 ? " \"" : ", \"") + all[i] + "\"";
    }
    fail(in, wanted);
  }

  std::string path_;
  std::optional<Error>& error_;
  const json::object* object_ = nullptr;
};

template <class T>
Result<T> read_from(const json::value& in, const char* path) {
  T value;
  std::optional<Error> error;
  Reader(path, error).read(in, value);
  if (error) return *error;
  return value;
}

}  // namespace

json::value to_json(const Segment& segment) { return Writer::write(segment); }
json::value to_json(const Job& job) { return Writer::write(job); }
json::value to_json(const ScoreRequest& request) { return Writer::write(request); }
json::value to_json(const MemoryUpdate& update) { return Writer::write(update); }
json::value to_json(const EngineStatus& status) { return Writer::write(status); }

json::value to_json(const Event& event) {
  const char* kind = std::holds_alternative<Delta>(event) ? "delta" : "final";
  return json::object{{kind, std::visit([](const auto& held) { return Writer::write(held); }, event)}};
}

Result<Segment> segment_from_json(const json::value& in) { return read_from<Segment>(in, "segment"); }
Result<Job> job_from_json(const json::value& in) { return read_from<Job>(in, "job"); }
Result<ScoreRequest> score_request_from_json(const json::value& in) {
  return read_from<ScoreRequest>(in, "score");
}
Result<MemoryUpdate> memory_update_from_json(const json::value& in) {
  return read_from<MemoryUpdate>(in, "update");
}
Result<EngineStatus> status_from_json(const json::value& in) { return read_from<EngineStatus>(in, "status"); }

Result<Event> event_from_json(const json::value& in) {
  const json::object* object = in.if_object();
  if (object != nullptr) {
    if (const json::value* delta = object->if_contains("delta")) {
      const auto read = read_from<Delta>(*delta, "delta");
      return read ? Result<Event>(*read) : Result<Event>(read.error());
    }
    if (const json::value* final_event = object->if_contains("final")) {
      const auto read = read_from<Final>(*final_event, "final");
      return read ? Result<Event>(*read) : Result<Event>(read.error());
    }
  }
  return Error{ErrorCode::kInvalid, "event: neither \"delta\" nor \"final\" is there"};
}

}  // namespace hearth::engine
