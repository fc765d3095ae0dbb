// Processes that die while they parse, for what a later one finds of them.
#pragma once

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include "indexer/parse_journal.h"

namespace hearth::tests {

// Does it in a process that dies of it.
inline void die(const std::function<void()>& doing) {
  const pid_t child = ::fork();
  if (child == 0) {
    doing();
    ::_exit(1);  // without destructors
  }
  int status = 0;
  ::waitpid(child, &status, 0);
}

inline void crash_parsing(const std::filesystem::path& folder, const std::string& file, std::uint64_t hash) {
  die([&] {
    indexer::ParseJournal journal(folder);
    const auto parsing = journal.begin(file, hash);
    std::abort();
  });
}

}  // namespace hearth::tests
