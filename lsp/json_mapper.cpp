#include "lsp/json_mapper.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace hearth::lsp {

namespace json = boost::json;

namespace {

std::string kind_of(const json::value& value) {
  switch (value.kind()) {
    case json::kind::null: return "nothing";
    case json::kind::bool_: return value.get_bool() ? "true" : "false";
    case json::kind::int64:
    case json::kind::uint64:
    case json::kind::double_: return json::serialize(value);
    case json::kind::string: return "a string";
    case json::kind::array: return "an array";
    case json::kind::object: return "an object";
  }
  return {};
}

// The value as a whole number, if it is one.
std::optional<std::int64_t> whole_number(const json::value& value) {
  constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
  if (const std::int64_t* number = value.if_int64()) return *number;
  if (const std::uint64_t* number = value.if_uint64()) {
    return static_cast<std::int64_t>(std::min<std::uint64_t>(*number, kMax));
  }
  const double* number = value.if_double();
  if (!number || !std::isfinite(*number) || std::trunc(*number) != *number) return std::nullopt;
  return static_cast<std::int64_t>(std::clamp(*number, -9e18, 9e18));
}

}  // namespace

JsonPath JsonPath::field(std::string_view name) const {
  return {fmt::format("{}.{}", where_, name), *problem_};
}

JsonPath JsonPath::index(std::size_t i) const { return {fmt::format("{}[{}]", where_, i), *problem_}; }

bool JsonPath::fail(std::string_view expected, const json::value& got) const {
  if (problem_->empty()) *problem_ = fmt::format("{}: expected {}, got {}", where_, expected, kind_of(got));
  return false;
}

bool from_json(const json::value& value, bool& out, const JsonPath& path) {
  if (!value.is_bool()) return path.fail("true or false", value);
  out = value.get_bool();
  return true;
}

bool from_json(const json::value& value, std::string& out, const JsonPath& path) {
  if (!value.is_string()) return path.fail("a string", value);
  out.assign(value.get_string().data(), value.get_string().size());
  return true;
}

bool from_json(const json::value& value, std::int64_t& out, const JsonPath& path) {
  const std::optional<std::int64_t> number = whole_number(value);
  if (!number) return path.fail("a whole number", value);
  out = *number;
  return true;
}

bool from_json(const json::value& value, std::uint32_t& out, const JsonPath& path) {
  const std::optional<std::int64_t> number = whole_number(value);
  if (!number || *number < 0) return path.fail("a whole number of at least 0", value);
  out =
      static_cast<std::uint32_t>(std::min<std::int64_t>(*number, std::numeric_limits<std::uint32_t>::max()));
  return true;
}

ObjectMapper::ObjectMapper(const json::value& value, JsonPath path)
    : object_(value.if_object()), path_(std::move(path)) {
  if (!object_) path_.fail("an object", value);
}

}  // namespace hearth::lsp
