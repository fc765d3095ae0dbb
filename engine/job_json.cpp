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

// One list of fields a type, for writing and reading alike.

template <class Visitor, Is<Segment> T>
void visit_fields(Visitor& visit, T& value) {
  visit("hash", value.hash);
  visit("kind", value.kind);
  visit("priority", value.priority);
  visit("required", value.required);
  visit("text", value.text);
}

template <class Visitor, Is<StopRules> T>
void visit_fields(Visitor& visit, T& value) {
  visit("max_tokens", value.max_tokens);
  visit("max_lines", value.max_lines);
  visit("block_indentation", value.block_indentation);
  visit("bracket_depth", value.bracket_depth);
  visit("strings", value.strings);
}

template <class Visitor, Is<Sampling> T>
void visit_fields(Visitor& visit, T& value) {
  visit("temperature", value.temperature);
  visit("top_p", value.top_p);
  visit("repetition_penalty", value.repetition_penalty);
  visit("seed", value.seed);
}

template <class Visitor, Is<Switches> T>
void visit_fields(Visitor& visit, T& value) {
  visit("drafts", value.drafts);
  visit("healing", value.healing);
}

template <class Visitor, Is<Job> T>
void visit_fields(Visitor& visit, T& value) {
  visit("client", value.client);
  visit("document", value.document);
  visit("priority", value.priority);
  visit("segments", value.segments);
  visit("alternatives", value.alternatives);
  visit("stop", value.stop);
  visit("soft_ms", value.soft_ms);
  visit("hard_ms", value.hard_ms);
  visit("sampling", value.sampling);
  visit("switches", value.switches);
}

template <class Visitor, Is<Delta> T>
void visit_fields(Visitor& visit, T& value) {
  visit("job", value.job);
  visit("alternative", value.alternative);
  visit("text", value.text);
  visit("log_probability", value.log_probability);
  visit("confidence", value.confidence);
}

template <class Visitor, Is<Alternative> T>
void visit_fields(Visitor& visit, T& value) {
  visit("text", value.text);
  visit("log_probability", value.log_probability);
  visit("confidence", value.confidence);
}

template <class Visitor, Is<Usage> T>
void visit_fields(Visitor& visit, T& value) {
  visit("prompt_tokens", value.prompt_tokens);
  visit("cached_tokens", value.cached_tokens);
  visit("generated_tokens", value.generated_tokens);
  visit("drafted_tokens", value.drafted_tokens);
  visit("accepted_tokens", value.accepted_tokens);
}

template <class Visitor, Is<Timings> T>
void visit_fields(Visitor& visit, T& value) {
  visit("queue_ms", value.queue_ms);
  visit("prefill_ms", value.prefill_ms);
  visit("first_token_ms", value.first_token_ms);
  visit("decode_ms", value.decode_ms);
  visit("total_ms", value.total_ms);
}

template <class Visitor, Is<Final> T>
void visit_fields(Visitor& visit, T& value) {
  visit("job", value.job);
  visit("reason", value.reason);
  visit("error", value.error);
  visit("alternatives", value.alternatives);
  visit("usage", value.usage);
  visit("timings", value.timings);
  visit("segments_taken", value.segments_taken);
}

template <class Visitor, Is<ScoreRequest> T>
void visit_fields(Visitor& visit, T& value) {
  visit("segments", value.segments);
  visit("candidates", value.candidates);
}

template <class Visitor, Is<EngineStatus> T>
void visit_fields(Visitor& visit, T& value) {
  visit("state", value.state);
  visit("error", value.error);
  visit("model", value.model);
  visit("model_path", value.model_path);
  visit("device", value.device);
  visit("threads", value.threads);
  visit("context_tokens", value.context_tokens);
  visit("load_progress", value.load_progress);
  visit("cache_bytes", value.cache_bytes);
  visit("cache_limit_bytes", value.cache_limit_bytes);
  visit("jobs_running", value.jobs_running);
  visit("jobs_waiting", value.jobs_waiting);
  visit("prefill_tokens_per_s", value.prefill_tokens_per_s);
  visit("decode_tokens_per_s", value.decode_tokens_per_s);
}

// The enumerators' names, in their order.
std::span<const char* const> names(SegmentKind) {
  static constexpr const char* kNames[] = {"manifests", "related", "path", "suffix", "prefix", "typed"};
  return kNames;
}

std::span<const char* const> names(Priority) {
  static constexpr const char* kNames[] = {"warm", "automatic", "invoked"};
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
