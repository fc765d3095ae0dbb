#include "cache/statistics.h"

#include <cmath>

#include "tests/support/store_fixture.h"

namespace hearth::cache {
namespace {

class StatisticsTest : public testing::StoreTest {};

LanguageStatistics counts(const std::string& language, SuggestionCounts suggestions, std::vector<double> ms) {
  LanguageStatistics row{language, suggestions, {}};
  for (const double time : ms) row.latency.add(time);
  return row;
}

TEST_F(StatisticsTest, SumsTheDaysByLanguage) {
  ASSERT_TRUE(add_statistics(path(), 10, {counts("go", {1, 1, 1, 1, 1, 1}, {5})}));
  ASSERT_TRUE(
      add_statistics(path(), 20, {counts("go", {4, 1, 0, 2, 1, 30}, {10, 20}), counts("c", {1}, {})}));
  ASSERT_TRUE(add_statistics(path(), 20, {counts("go", {2, 0, 1, 0, 1, 5}, {20})}));
  ASSERT_TRUE(add_statistics(path(), 21, {counts("go", {1, 0, 0, 0, 1, 0}, {40})}));
  const auto rows = read_statistics(path(), 20);
  ASSERT_TRUE(rows) << rows.error().message;
  EXPECT_EQ(*rows, (std::vector{counts("c", {1}, {}), counts("go", {7, 1, 1, 2, 3, 35}, {10, 20, 20, 40})}));
}

TEST_F(StatisticsTest, AreEmptyWhereThereIsNoStore) {
  const auto rows = read_statistics(path(), 0);
  ASSERT_TRUE(rows);
  EXPECT_TRUE(rows->empty());
  EXPECT_FALSE(std::filesystem::exists(path()));
}

TEST_F(StatisticsTest, AreAddedWhileAnotherProcessIndexes) {
  const StoreWriter indexing = writer();
  ASSERT_TRUE(add_statistics(path(), 1, {counts("go", {1}, {1})}));
  EXPECT_EQ(read_statistics(path(), 0)->size(), 1u);
}

TEST(LatencyCounts, TellsPercentilesToASixthOfAnOctave) {
  LatencyCounts latency;
  EXPECT_EQ(latency.percentile(0.5), 0);
  for (int ms = 1; ms <= 1000; ++ms) latency.add(ms);
  EXPECT_EQ(latency.answers(), 1000);
  for (const double share : {0.1, 0.5, 0.95, 1.0}) {
    EXPECT_GE(latency.percentile(share), 1000 * share);
    EXPECT_LE(latency.percentile(share), 1000 * share * std::exp2(1.0 / 6));
  }
}

}  // namespace
}  // namespace hearth::cache
