// What the process was started with, for code that takes it handed in.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>

namespace hearth::commands {

inline std::optional<std::string> environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

}  // namespace hearth::commands
