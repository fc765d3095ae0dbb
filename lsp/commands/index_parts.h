// The parts of `hearth index` that are not indexing.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>

#include "indexer/index_run.h"

namespace hearth::commands {

struct IndexFigures {
  indexer::IndexReport report;
  std::size_t parsed_files = 0;
  std::uint64_t parsed_bytes = 0, store_bytes = 0;
  double index_seconds = 0, parse_seconds = 0;  // medians, in turn, cold, files in memory
  double processor_ratio = 0;           // the same of processor time, which a busy machine does not change
  std::optional<double> ctags_seconds;  // where it is installed
};

// `folder`: where its own stores may lie meanwhile.
indexer::Result<IndexFigures> bench_index(const std::filesystem::path& root,
                                          const std::filesystem::path& folder, int threads,
                                          const std::stop_token& stop);

void print_figures(const IndexFigures& figures, int threads, bool json);

}  // namespace hearth::commands
