#include "engine/draft_policy.h"

#include <gtest/gtest.h>

namespace hearth::engine {
namespace {

TEST(DraftPolicy, DraftsMoreAfterLongerMatches) {
  const DraftPolicy policy;
  EXPECT_LT(policy.drafts(2, kMostDrafts), policy.drafts(20, kMostDrafts));
  EXPECT_EQ(policy.drafts(20, 1), 1);
  EXPECT_EQ(policy.drafts(20, 0), 0);
}

TEST(DraftPolicy, StopsWhereDraftsAreWrongAndStartsAgainWhereTheyAreRight) {
  DraftPolicy policy;
  for (int i = 0; i < 200; ++i) policy.learn(5, 3, 0);
  EXPECT_EQ(policy.drafts(5, kMostDrafts), 0);
  EXPECT_GT(policy.drafts(20, kMostDrafts), 0) << "another length is another matter";
  for (int i = 0; i < 200; ++i) policy.learn(5, 1, 1);
  EXPECT_GT(policy.drafts(5, kMostDrafts), 2);
}

TEST(DraftPolicy, HeedsWhatBlocksCost) {
  DraftPolicy cheap, dear;
  for (int i = 0; i < 100; ++i) {
    for (int rows = 1; rows <= kMostDrafts + 1; ++rows) {
      cheap.took(rows, 0.01);
      dear.took(rows, 0.01 * rows);
    }
  }
  EXPECT_EQ(cheap.drafts(10, kMostDrafts), kMostDrafts);
  EXPECT_LT(dear.drafts(10, kMostDrafts), 2);
}

TEST(DraftPolicy, ForgetsABadMoment) {
  DraftPolicy policy;
  const int usual = policy.drafts(20, kMostDrafts);
  policy.took(1, 0.01);
  for (int rows = 2; rows <= kMostDrafts + 1; ++rows) {
    for (int i = 0; i < 30; ++i) policy.took(rows, 10);
  }
  EXPECT_EQ(policy.drafts(20, kMostDrafts), 0);
  for (int i = 0; i < 1000; ++i) policy.took(1, 0.01);
  EXPECT_EQ(policy.drafts(20, kMostDrafts), usual);
}

}  // namespace
}  // namespace hearth::engine
