// An error of the store as the indexer's own.
#pragma once

#include "cache/error.h"
#include "indexer/error.h"

namespace hearth::indexer {

inline Error store_error(const cache::Error& error) {
  return {error.code == cache::ErrorCode::kBusy ? ErrorCode::kBusy : ErrorCode::kStore, error.message};
}

}  // namespace hearth::indexer
