#include "cache/plans.h"

#include "tests/support/store_fixture.h"

namespace hearth::cache {
namespace {

class Plans : public testing::StoreTest {};

TEST_F(Plans, AreKeptByPathInTheWorkspacesStore) {
  EXPECT_FALSE(plan_of(path(), "a.py")) << "no store yet";
  ASSERT_TRUE(put_plan(path(), "a.py", "one", now_));
  ASSERT_TRUE(put_plan(path(), "b.py", "two", now_));
  ASSERT_TRUE(put_plan(path(), "a.py", "three", now_));
  EXPECT_EQ("three", plan_of(path(), "a.py")->value());
  EXPECT_EQ("two", plan_of(path(), "b.py")->value());
  EXPECT_EQ(std::nullopt, plan_of(path(), "c.py").value());
  const StoreWriter indexing = writer();
  EXPECT_TRUE(put_plan(path(), "c.py", "four", now_)) << "beside whoever indexes";
}

TEST_F(Plans, LeaveWhenThereAreManyNewerOnes) {
  ASSERT_TRUE(put_plan(path(), "old.py", "old", now_, 3));
  for (int i = 1; i <= 3; ++i) {
    now_ += std::chrono::seconds(1);
    ASSERT_TRUE(put_plan(path(), std::to_string(i) + ".py", "new", now_, 3));
  }
  EXPECT_EQ(std::nullopt, plan_of(path(), "old.py").value());
  EXPECT_EQ("new", plan_of(path(), "1.py")->value());
}

}  // namespace
}  // namespace hearth::cache
