// Errors of the indexer are values. The message names the file and what is wrong with it.
#pragma once

#include <boost/system/result.hpp>
#include <stdexcept>
#include <string>

namespace hearth::indexer {

enum class ErrorCode {
  kUnreadable,  // the system refused to open, read or watch
  kForbidden,   // a folder that is never indexed
  kMalformed,   // text that breaks its format
  kStore,       // the store cannot be used; the message is its own
  kInvalid,     // a request that makes no sense
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

}  // namespace hearth::indexer
