// JSON on the standard output, one value a line, for other programs: at once, and valid whatever bytes the
// names of files hold (those that are no UTF-8 are U+FFFD).
#pragma once

#include <boost/json.hpp>

namespace hearth::commands {

void print_json_line(const boost::json::value& value);

}  // namespace hearth::commands
