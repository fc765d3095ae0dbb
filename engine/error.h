// Errors of the engine are values. The message names the file, the field and the value.
#pragma once

#include <boost/system/result.hpp>
#include <stdexcept>
#include <string>

namespace hearth::engine {

enum class ErrorCode {
  kNotFound,     // a file or a name that is not there
  kUnreadable,   // the system refused to read or write
  kMalformed,    // bytes that break their format
  kUnsupported,  // well-formed, but nothing here can use it
  kMismatch,     // parts that do not belong together
  kInvalid,      // a request that makes no sense
};

struct Error {
  ErrorCode code = ErrorCode::kInvalid;
  std::string message;
};

[[noreturn]] inline void throw_exception_from_error(const Error& error, const boost::source_location&) {
  throw std::runtime_error(error.message);  // only value() on an error gets here: our own bug
}

template <class T>
using Result = boost::system::result<T, Error>;

}  // namespace hearth::engine
