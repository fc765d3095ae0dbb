// An error of the store as the indexer's own.
#pragma once

#include "cache/error.h"
#include "indexer/error.h"

namespace hearth::indexer {

inline Error store_error(const cache::Error& error) {
  switch (error.code) {
    case cache::ErrorCode::kBusy: return {ErrorCode::kBusy, error.message};
    case cache::ErrorCode::kFull: return {ErrorCode::kFull, error.message};
    default: return {ErrorCode::kStore, error.message};
  }
}

}  // namespace hearth::indexer
