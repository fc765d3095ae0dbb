#include "cache/statistics.h"

#include <algorithm>
#include <cmath>

#include "cache/database.h"
#include "cache/store_location.h"

namespace hearth::cache {
namespace {

constexpr double kStepsAnOctave = 6;

}  // namespace

int LatencyCounts::step_of(double milliseconds) {
  return static_cast<int>(std::ceil(kStepsAnOctave * std::log2(std::max(milliseconds, 0.125))));
}

void LatencyCounts::add(const LatencyCounts& other) {
  for (const auto& [step, count] : other.steps_) steps_[step] += count;
}

std::int64_t LatencyCounts::answers() const {
  std::int64_t all = 0;
  for (const auto& [step, count] : steps_) all += count;
  return all;
}

double LatencyCounts::percentile(double share) const {
  const double wanted = share * static_cast<double>(answers());
  std::int64_t seen = 0;
  for (const auto& [step, count] : steps_) {
    seen += count;
    if (static_cast<double>(seen) >= wanted) return std::exp2(step / kStepsAnOctave);
  }
  return 0;
}

Result<void> add_statistics(const std::filesystem::path& store, std::int64_t day,
                            const std::vector<LanguageStatistics>& rows) {
  const auto prepared = prepare_store(store);
  if (!prepared) return prepared.error();
  auto database = Database::open(store, Database::Mode::kReadWrite);
  if (!database) return database.error();
  auto transaction = Transaction::begin(*database);
  if (!transaction) return transaction.error();
  for (const LanguageStatistics& row : rows) {
    const SuggestionCounts& counts = row.suggestions;
    const auto added = database->run(
        "INSERT INTO suggestions(day, language, shown, accepted, partly_accepted, typed_through, displaced, "
        "characters) VALUES(?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT(day, language) DO UPDATE SET "
        "shown = shown + excluded.shown, accepted = accepted + excluded.accepted, "
        "partly_accepted = partly_accepted + excluded.partly_accepted, "
        "typed_through = typed_through + excluded.typed_through, "
        "displaced = displaced + excluded.displaced, characters = characters + excluded.characters",
        day, row.language, counts.shown, counts.accepted, counts.partly_accepted, counts.typed_through,
        counts.displaced, counts.characters);
    if (!added) return added.error();
    for (const auto& [step, count] : row.latency.steps()) {
      const auto timed = database->run(
          "INSERT INTO latencies(day, language, step, answers) VALUES(?, ?, ?, ?) "
          "ON CONFLICT(day, language, step) DO UPDATE SET answers = answers + excluded.answers",
          day, row.language, step, count);
      if (!timed) return timed.error();
    }
  }
  return transaction->commit();
}

Result<std::vector<LanguageStatistics>> read_statistics(const std::filesystem::path& store,
                                                        std::int64_t since_day) {
  std::error_code failure;
  if (!std::filesystem::exists(store, failure)) return std::vector<LanguageStatistics>();
  const auto prepared = prepare_store(store);
  if (!prepared) return prepared.error();
  auto database = Database::open(store, Database::Mode::kReadOnly);
  if (!database) return database.error();
  std::map<std::string, LanguageStatistics> found;
  const auto each = [&](std::string_view literal, const auto& visit) -> Result<void> {
    const auto statement = database->statement(literal);
    if (!statement) return statement.error();
    (*statement)->bind(since_day);
    while (true) {
      const auto row = (*statement)->step();
      if (!row) return row.error();
      if (!*row) return {};
      LanguageStatistics& language = found[(*statement)->text(0)];
      visit(**statement, language);
    }
  };
  const auto suggestions = each(
      "SELECT language, sum(shown), sum(accepted), sum(partly_accepted), sum(typed_through), sum(displaced), "
      "sum(characters) FROM suggestions WHERE day >= ? GROUP BY language",
      [](const Statement& row, LanguageStatistics& language) {
        language.suggestions = {row.integer(1), row.integer(2), row.integer(3),
                                row.integer(4), row.integer(5), row.integer(6)};
      });
  if (!suggestions) return suggestions.error();
  const auto latencies =
      each("SELECT language, step, sum(answers) FROM latencies WHERE day >= ? GROUP BY language, step",
           [](const Statement& row, LanguageStatistics& language) {
             language.latency.add_step(static_cast<int>(row.integer(1)), row.integer(2));
           });
  if (!latencies) return latencies.error();
  std::vector<LanguageStatistics> rows;
  for (auto& [language, row] : found) {
    row.language = language;
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace hearth::cache
