// Errors of the indexer are values. The message names the file and what is wrong with it.
#pragma once

#include "cache/coded_error.h"

namespace hearth::indexer {

enum class ErrorCode {
  kUnreadable,  // the system refused to open, read or watch
  kForbidden,   // a folder that is never indexed
  kMalformed,   // text that breaks its format
  kStore,       // the store cannot be used; the message is its own
  kBusy,        // another process has it
  kFull,        // the store's disk has no room
  kInvalid,     // a request that makes no sense
};

using Error = cache::CodedError<ErrorCode>;

template <class T>
using Result = boost::system::result<T, Error>;

}  // namespace hearth::indexer
