// A line of `hearth complete --batch`: one place to complete, as JSON. Pure.
#pragma once

#include <boost/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "engine/error.h"

namespace hearth::lsp {

struct BatchRequest {
  boost::json::value id;  // a string or a number, given back as it is
  std::string path, prefix, suffix;
  std::string language;  // of the path where the line names none
  std::optional<int> max_tokens;
};

struct BatchLine {
  boost::json::value id;                 // null where the line has none to be read
  engine::Result<BatchRequest> request;  // an Error names line number and field
};

BatchLine read_batch_line(std::string_view line, std::size_t number);

}  // namespace hearth::lsp
