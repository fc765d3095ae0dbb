// A line on a terminal's standard error that says how far a command is; nothing where standard error is
// no terminal. One thread at a time.
#pragma once

#include <cstdint>
#include <string>

namespace hearth::commands {

class ProgressBar {
 public:
  ProgressBar();
  ~ProgressBar();  // clears
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  // Bytes; `total` is 0 where it is not known.
  void show(const std::string& doing, std::uint64_t done, std::uint64_t total);

  // Leaves the line empty, for other output.
  void clear();

 private:
  bool terminal_;
  std::string shown_;
};

}  // namespace hearth::commands
