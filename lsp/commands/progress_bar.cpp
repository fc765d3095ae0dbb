#include "lsp/commands/progress_bar.h"

#include <algorithm>
#include <iostream>
#include <unistd.h>

namespace hearth::commands {
namespace {

constexpr std::uint64_t kWidth = 30;
constexpr const char* kClearLine = "\r\033[K";

std::string megabytes(std::uint64_t bytes) { return std::to_string(bytes / 1'000'000); }

}  // namespace

ProgressBar::ProgressBar() : terminal_(::isatty(STDERR_FILENO) == 1) {}

ProgressBar::~ProgressBar() { clear(); }

void ProgressBar::clear() {
  if (!shown_.empty()) std::cerr << kClearLine << std::flush;
  shown_.clear();
}

void ProgressBar::show(const std::string& doing, std::uint64_t done, std::uint64_t total) {
  if (!terminal_) return;
  std::string line = doing + ' ';
  if (total > 0) {
    const std::uint64_t filled = std::min(done, total) * kWidth / total;
    line += '[' + std::string(filled, '#') + std::string(kWidth - filled, ' ') + "] ";
  }
  line += megabytes(done) + (total > 0 ? " of " + megabytes(total) : "") + " MB";
  if (line == shown_) return;
  shown_ = line;
  std::cerr << kClearLine << line << std::flush;
}

}  // namespace hearth::commands
