// JSON text from clients. Pure.
#pragma once

#include <boost/json.hpp>
#include <boost/system/error_code.hpp>
#include <string_view>

namespace hearth::lsp {

// Strict JSON in valid UTF-8, but that an escaped half of a surrogate pair (JavaScript writes one where
// a document holds one) is read as U+FFFD, which is one UTF-16 unit too.
boost::json::value parse_json(std::string_view text, boost::system::error_code& error);

}  // namespace hearth::lsp
