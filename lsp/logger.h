// Where the server says what it does: one line a message, with time and level. It is never given text
// that the user typed at a level above kDebug. Thread-safe.
#pragma once

#include <cstdio>
#include <mutex>
#include <optional>
#include <string_view>

#include "lsp/settings.h"

namespace hearth::lsp {

class Logger {
 public:
  // Borrows the stream; nullptr drops everything.
  explicit Logger(std::FILE* stream, LogLevel level = LogLevel::kInfo);

  void set_level(LogLevel level);
  void write(LogLevel level, std::string_view message);

 private:
  std::mutex mutex_;
  std::FILE* stream_;
  LogLevel level_;  // guarded by mutex_
};

}  // namespace hearth::lsp
