// Whether a workspace's store says what the disk says. Writes nothing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cache/store_reader.h"
#include "indexer/index_run.h"

namespace hearth::indexer {

struct IndexFault {
  std::string path;  // from the root; empty: the store itself
  std::string what;
};

struct CheckReport {
  std::int64_t files = 0;          // that were looked at, those that are left out included
  std::vector<IndexFault> faults;  // in the order of paths
};

// Reads every indexed file. An error is the workspace's or the store's: one of them cannot be read.
Result<CheckReport> check_index(const IndexOptions& options, cache::StoreReader& reader,
                                std::stop_token stop);

}  // namespace hearth::indexer
