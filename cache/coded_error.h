// Errors as values, for every layer that has codes of its own: a code and a message for people.
#pragma once

#include <boost/system/result.hpp>
#include <stdexcept>
#include <string>

namespace hearth::cache {

template <class Code>
struct CodedError {
  Code code = Code::kInvalid;
  std::string message;
};

template <class Code>
[[noreturn]] void throw_exception_from_error(const CodedError<Code>& error, const boost::source_location&) {
  throw std::runtime_error(error.message);  // only value() on an error gets here: our own bug
}

}  // namespace hearth::cache
