// Errors of the engine are values. The message names the file, the field and the value.
#pragma once

#include "cache/coded_error.h"

namespace hearth::engine {

enum class ErrorCode {
  kNotFound,     // a file or a name that is not there
  kUnreadable,   // the system refused to read or write
  kMalformed,    // bytes that break their format
  kUnsupported,  // well-formed, but nothing here can use it
  kMismatch,     // parts that do not belong together
  kInvalid,      // a request that makes no sense
};

using Error = cache::CodedError<ErrorCode>;

template <class T>
using Result = boost::system::result<T, Error>;

}  // namespace hearth::engine
