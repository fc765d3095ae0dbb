// Tells a process that still runs from one that is gone, by what /proc says of both. Any thread.
#pragma once

#include <cstdint>
#include <string>

namespace hearth::cache {

struct ProcessIdentity {
  std::int64_t process = 0;  // its id, as it sees itself
  // The boot, the id namespace and the process's start: together with the id they are never reused.
  std::string mark;

  bool operator==(const ProcessIdentity&) const = default;
};

ProcessIdentity own_identity();

enum class Liveness { kAlive, kGone, kUnknown };  // unknown: in a container whose processes are not seen here
Liveness liveness(const ProcessIdentity& other);

}  // namespace hearth::cache
