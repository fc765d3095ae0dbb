#include "lsp/logger.h"

#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <string>

namespace hearth::lsp {
namespace {

constexpr char letter_of(LogLevel level) { return "EWID"[static_cast<int>(level)]; }

}  // namespace

Logger::Logger(std::FILE* stream, LogLevel level) : stream_(stream), level_(level) {}

void Logger::set_level(LogLevel level) {
  const std::lock_guard lock(mutex_);
  level_ = level;
}

void Logger::write(LogLevel level, std::string_view message) {
  const std::lock_guard lock(mutex_);
  if (!stream_ || level > level_) return;
  std::tm now{};
  const std::time_t seconds = std::time(nullptr);
  localtime_r(&seconds, &now);
  const std::string line = fmt::format("{} {:%H:%M:%S} {}\n", letter_of(level), now, message);
  std::fwrite(line.data(), 1, line.size(), stream_);
  std::fflush(stream_);
}

}  // namespace hearth::lsp
