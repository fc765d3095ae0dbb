// The option that says how the KV cache keeps its numbers.
#pragma once

#include <CLI/CLI.hpp>

#include "engine/kv_type.h"

namespace hearth::commands {

// Adds --kv-type to a command.
void add_kv_type_option(CLI::App& command, engine::KvType& type);

}  // namespace hearth::commands
