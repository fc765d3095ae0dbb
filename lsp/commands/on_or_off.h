// For an option that holds a bool: `on` or `off`.
#pragma once

#include <CLI/CLI.hpp>

namespace hearth::commands {

CLI::CheckedTransformer on_or_off();

}  // namespace hearth::commands
