// What an answer was and what it cost, for clients that measure. Pure.
#pragma once

#include <boost/json.hpp>
#include <string_view>

#include "lsp/completion_service.h"

namespace hearth::lsp {

std::string_view name_of(AnswerSource source);

// The params of `hearth/answer`; `method` is the request's.
boost::json::object answer_report(std::string_view method, const CompletionAnswer& answer);

}  // namespace hearth::lsp
