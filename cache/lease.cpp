#include "cache/lease.h"

namespace hearth::cache {

Result<std::optional<ProcessIdentity>> lease_holder(Database& database, std::chrono::sys_seconds now) {
  const Result<Statement*> prepared = database.statement("SELECT process, owner, renewed_at FROM lease");
  if (!prepared) return prepared.error();
  Statement& select = **prepared;
  const Result<bool> row = select.step();
  if (!row) return row.error();
  if (!*row) return std::nullopt;
  const ProcessIdentity holder{select.integer(0), select.text(1)};
  const auto renewed = std::chrono::sys_seconds(std::chrono::seconds(select.integer(2)));
  select.reset();
  switch (liveness(holder)) {
    case Liveness::kAlive: return holder;
    case Liveness::kGone: return std::nullopt;
    case Liveness::kUnknown: break;
  }
  // A clock that was set back must not keep the lease for ever.
  const bool current = now - renewed < kLeaseTime && renewed - now < kLeaseTime;
  return current ? std::optional(holder) : std::nullopt;
}

Result<void> take_lease(Database& database, const ProcessIdentity& owner, std::chrono::sys_seconds now) {
  const Result<std::optional<ProcessIdentity>> holder = lease_holder(database, now);
  if (!holder) return holder.error();
  if (*holder && **holder != owner) {
    return Error{ErrorCode::kBusy, database.path().string() + ": process " +
                                       std::to_string((*holder)->process) + " is indexing this workspace"};
  }
  return database.run("INSERT OR REPLACE INTO lease VALUES(1, ?, ?, ?)", owner.mark, owner.process,
                      now.time_since_epoch().count());
}

Result<void> renew_lease(Database& database, const ProcessIdentity& owner, std::chrono::sys_seconds now) {
  const Result<void> done = database.run("UPDATE lease SET renewed_at = ? WHERE owner = ? AND process = ?",
                                         now.time_since_epoch().count(), owner.mark, owner.process);
  if (!done) return done.error();
  if (database.changed_rows() == 1) return {};
  return Error{ErrorCode::kBusy,
               database.path().string() + ": another process has taken over this workspace"};
}

Result<void> release_lease(Database& database, const ProcessIdentity& owner) {
  return database.run("DELETE FROM lease WHERE owner = ? AND process = ?", owner.mark, owner.process);
}

}  // namespace hearth::cache
