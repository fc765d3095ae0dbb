#include "cache/plans.h"

#include "cache/database.h"
#include "cache/store_location.h"

namespace hearth::cache {

Result<void> put_plan(const std::filesystem::path& store, const std::string& path, const std::string& plan,
                      std::chrono::sys_seconds now, int most) {
  const Result<PreparedStore> prepared = prepare_store(store);
  if (!prepared) return prepared.error();
  Result<Database> database = Database::open(store, Database::Mode::kReadWrite);
  if (!database) return database.error();
  Result<Transaction> transaction = Transaction::begin(*database);
  if (!transaction) return transaction.error();
  const Result<void> put = database->run("INSERT OR REPLACE INTO plans(path, plan, used_at) VALUES(?, ?, ?)",
                                         path, plan, now.time_since_epoch().count());
  if (!put) return put.error();
  const Result<void> trimmed = database->run(
      "DELETE FROM plans WHERE path IN (SELECT path FROM plans ORDER BY used_at DESC LIMIT -1 OFFSET ?)",
      most);
  if (!trimmed) return trimmed.error();
  return transaction->commit();
}

Result<std::optional<std::string>> plan_of(const std::filesystem::path& store, const std::string& path) {
  Result<Database> database = open_to_read(store, workspace_form(), std::chrono::milliseconds(0));
  if (!database) return database.error();
  const Result<Statement*> statement = database->statement("SELECT plan FROM plans WHERE path = ?");
  if (!statement) return statement.error();
  (*statement)->bind(path);
  const Result<bool> row = (*statement)->step();
  if (!row) return row.error();
  return *row ? std::optional((*statement)->text(0)) : std::nullopt;
}

}  // namespace hearth::cache
