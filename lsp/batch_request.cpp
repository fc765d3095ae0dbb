#include "lsp/batch_request.h"

#include <array>
#include <utility>

#include "lsp/json_text.h"
#include "lsp/language.h"

namespace hearth::lsp {
namespace {

constexpr std::int64_t kMostTokens = 4096;
constexpr std::size_t kShownBytes = 60;

std::string shown(const boost::json::value& value) {
  std::string text = boost::json::serialize(value);
  if (text.size() > kShownBytes) text = text.substr(0, kShownBytes) + "...";
  return text;
}

}  // namespace

BatchLine read_batch_line(std::string_view line, std::size_t number) {
  const auto fault = [&](const std::string& what) {
    return engine::Error{engine::ErrorCode::kMalformed, "line " + std::to_string(number) + ": " + what};
  };
  const auto bad_field = [&](std::string_view field, std::string_view expected,
                             const boost::json::value* found) {
    return fault("field \"" + std::string{field} + "\": expected " + std::string{expected} + ", found " +
                 (found == nullptr ? "nothing" : shown(*found)));
  };
  boost::system::error_code error;
  const boost::json::value parsed = parse_json(line, error);
  if (error) return {nullptr, fault("not JSON: " + error.message())};
  const auto* object = parsed.if_object();
  if (object == nullptr) return {nullptr, fault("expected an object, found " + shown(parsed))};

  BatchRequest request;
  const auto* id = object->if_contains("id");
  if (id == nullptr || !(id->is_string() || id->is_number())) {
    return {nullptr, bad_field("id", "a string or a number", id)};
  }
  request.id = *id;
  const std::array<std::pair<std::string_view, std::string*>, 3> texts{
      {{"path", &request.path}, {"prefix", &request.prefix}, {"suffix", &request.suffix}}};
  for (const auto& [field, into] : texts) {
    const auto* value = object->if_contains(field);
    if (value == nullptr || !value->is_string()) return {*id, bad_field(field, "a string", value)};
    *into = std::string{value->get_string()};
  }
  request.language = language_of_path(request.path);
  if (const auto* language = object->if_contains("language"); language != nullptr && !language->is_null()) {
    if (!language->is_string()) return {*id, bad_field("language", "a string", language)};
    request.language = std::string{language->get_string()};
  }
  if (const auto* tokens = object->if_contains("max_tokens"); tokens != nullptr && !tokens->is_null()) {
    if (!tokens->is_int64() || tokens->get_int64() < 1 || tokens->get_int64() > kMostTokens) {
      return {*id,
              bad_field("max_tokens", "a whole number from 1 to " + std::to_string(kMostTokens), tokens)};
    }
    request.max_tokens = static_cast<int>(tokens->get_int64());
  }
  return {*id, std::move(request)};
}

}  // namespace hearth::lsp
