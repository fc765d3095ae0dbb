// One process indexes a workspace at a time: a row in its store that names the process. A lease ends when
// it is released, when its process is gone, or, where that cannot be seen, when it was not renewed for a
// minute. The functions run inside the caller's transaction and belong to its connection's thread.
#pragma once

#include <chrono>
#include <optional>

#include "cache/database.h"
#include "cache/process_identity.h"

namespace hearth::cache {

inline constexpr std::chrono::seconds kLeaseTime{60};

// kBusy names the process that has it.
Result<void> take_lease(Database& database, const ProcessIdentity& owner, std::chrono::sys_seconds now);

// kBusy when another process has taken it meanwhile.
Result<void> renew_lease(Database& database, const ProcessIdentity& owner, std::chrono::sys_seconds now);

Result<void> release_lease(Database& database, const ProcessIdentity& owner);

// The process that holds it now.
Result<std::optional<ProcessIdentity>> lease_holder(Database& database, std::chrono::sys_seconds now);

}  // namespace hearth::cache
