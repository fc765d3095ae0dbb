// Reading wire values into structs, with the place and the kind of the first thing that is wrong (after
// clangd's Path and ObjectMapper). An error never holds text of the client's. Pure.
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hearth::lsp {

// The first problem of one reading; empty while there is none.
using JsonProblem = std::string;

// Where in a message a value stands ("params.position.line").
class JsonPath {
 public:
  JsonPath(std::string where, JsonProblem& problem) : where_(std::move(where)), problem_(&problem) {}

  JsonPath field(std::string_view name) const;
  JsonPath index(std::size_t i) const;

  // Notes "WHERE: expected EXPECTED, got KIND" and gives false.
  bool fail(std::string_view expected, const boost::json::value& got) const;

 private:
  std::string where_;
  JsonProblem* problem_;
};

bool from_json(const boost::json::value& value, bool& out, const JsonPath& path);
bool from_json(const boost::json::value& value, std::string& out, const JsonPath& path);
bool from_json(const boost::json::value& value, std::int64_t& out, const JsonPath& path);
// LSP's uinteger. Whole numbers written as doubles are taken; more than 32 bits mean the maximum.
bool from_json(const boost::json::value& value, std::uint32_t& out, const JsonPath& path);
inline bool from_json(const boost::json::value& value, boost::json::value& out, const JsonPath&) {
  out = value;
  return true;
}

template <class T>
bool from_json(const boost::json::value& value, std::vector<T>& out, const JsonPath& path) {
  const boost::json::array* array = value.if_array();
  if (!array) return path.fail("an array", value);
  out.clear();
  out.reserve(array->size());
  for (std::size_t i = 0; i < array->size(); ++i) {
    if (!from_json((*array)[i], out.emplace_back(), path.index(i))) return false;
  }
  return true;
}

// The fields of one object. Unknown ones are no error.
class ObjectMapper {
 public:
  ObjectMapper(const boost::json::value& value, JsonPath path);

  explicit operator bool() const { return object_ != nullptr; }

  template <class T>
  bool map(std::string_view name, T& out) const {
    const boost::json::value* value = object_->if_contains(name);
    static const boost::json::value kMissing;
    return from_json(value ? *value : kMissing, out, path_.field(name));
  }

  // Absent and null leave `out` empty.
  template <class T>
  bool map_optional(std::string_view name, std::optional<T>& out) const {
    const boost::json::value* value = object_->if_contains(name);
    out.reset();
    return !value || value->is_null() || from_json(*value, out.emplace(), path_.field(name));
  }

 private:
  const boost::json::object* object_;
  JsonPath path_;
};

}  // namespace hearth::lsp
