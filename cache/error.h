// Errors of the store are values. The message names the file and what SQLite or the system said of it.
#pragma once

#include "cache/coded_error.h"

namespace hearth::cache {

enum class ErrorCode {
  kUnreadable,  // the system refused to open, read or write
  kCorrupt,     // the file is no database, or a broken one
  kNewer,       // written by a later version of the program
  kFull,        // no room: the disk is full or a limit is reached
  kBusy,        // another process has it
  kInvalid,     // a request that makes no sense
};

using Error = CodedError<ErrorCode>;

template <class T>
using Result = boost::system::result<T, Error>;

}  // namespace hearth::cache
