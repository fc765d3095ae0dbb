#include "lsp/commands/json_line.h"

#include <iostream>

#include "lsp/utf8.h"

namespace hearth::commands {

void print_json_line(const boost::json::value& value) {
  std::cout << lsp::as_valid_utf8(boost::json::serialize(value)) << std::endl;
}

}  // namespace hearth::commands
