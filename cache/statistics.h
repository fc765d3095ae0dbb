// What became of suggestions, by day and language, in a workspace's store: counts only, no text. Each call
// opens the store, and beside one that indexes it waits for its turn: not for a thread that may not wait.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "cache/error.h"

namespace hearth::cache {

struct SuggestionCounts {
  std::int64_t shown = 0;
  std::int64_t accepted = 0;         // to their end
  std::int64_t partly_accepted = 0;  // some words or lines
  std::int64_t typed_through = 0;    // to their end, by hand
  std::int64_t displaced = 0;        // by other text, or left
  std::int64_t characters = 0;       // that were accepted and so not typed

  bool operator==(const SuggestionCounts&) const = default;
};

// Answers by the time they took, in steps of a sixth of an octave; a percentile is the upper end of a step.
class LatencyCounts {
 public:
  void add(double milliseconds) { ++steps_[step_of(milliseconds)]; }
  void add_step(int step, std::int64_t count) { steps_[step] += count; }
  void add(const LatencyCounts& other);

  std::int64_t answers() const;
  double percentile(double share) const;  // of 0 to 1; 0 where there are no answers
  const std::map<int, std::int64_t>& steps() const { return steps_; }

  bool operator==(const LatencyCounts&) const = default;

 private:
  static int step_of(double milliseconds);

  std::map<int, std::int64_t> steps_;
};

struct LanguageStatistics {
  std::string language;
  SuggestionCounts suggestions;
  LatencyCounts latency;

  bool operator==(const LanguageStatistics&) const = default;
};

// Adds to what the day has; `day` counts from the epoch. The store is made when there is none.
Result<void> add_statistics(const std::filesystem::path& store, std::int64_t day,
                            const std::vector<LanguageStatistics>& rows);

// The sums from that day on, by language. Empty where there is no store.
Result<std::vector<LanguageStatistics>> read_statistics(const std::filesystem::path& store,
                                                        std::int64_t since_day);

}  // namespace hearth::cache
