// Which of several lines the scheduler gives (engine/scheduler.cpp, engine/weighing.cpp).
#include <gtest/gtest.h>
#include <random>

#include "engine/scheduler.h"
#include "tests/support/scheduler_bench.h"

namespace hearth::engine {
namespace {

using tests::kNever;
using tests::random_text;
using tests::simple_job;
using Bench = tests::SchedulerBench;

TEST(Rivals, GiveTheLikeliestLine) {
  Bench bench;
  std::mt19937 random(6);
  int likelier = 0;
  for (int round = 0; round < 60; ++round) {
    Job job = simple_job(random_text(random, 1 + static_cast<int>(random() % 12)), 24);
    job.stop.max_lines = 1;
    const Alternative weighed = bench.complete(job).alternatives.at(0);
    job.switches.rival = false;
    const Alternative greedy = bench.complete(job).alternatives.at(0);
    EXPECT_TRUE(weighed == greedy || weighed.confidence > greedy.confidence) << greedy.text;
    likelier += weighed.text != greedy.text ? 1 : 0;
  }
  EXPECT_GT(likelier, 5);
}

// A model without markers reads nothing behind the cursor, so only the weighing can tell what that changed.
TEST(Rivals, GiveTheLineThatWhatFollowsFits) {
  Bench bench({.weigh_lines = true}, 2, {.fim_order = "none"});
  const std::string head = "\n    return self.value";
  std::mt19937 random(7);
  int others = 0;
  double gained = 0;
  for (int round = 0; round < 60; ++round) {
    Job job = simple_job(random_text(random, 1 + static_cast<int>(random() % 12)), 12);
    job.stop.max_lines = 1;
    job.switches.memory = false;
    const std::vector<Segment> before = job.segments;
    job.segments.push_back({.kind = SegmentKind::kSuffix, .text = head});
    const Alternative fitting = bench.complete(job).alternatives.at(0);
    job.soft_ms = 50;  // no time to weigh: the bench's clock stands still, and nothing is known of the speed
    const std::string likeliest = bench.complete(job).alternatives.at(0).text;
    EXPECT_GT(fitting.confidence, 0);
    EXPECT_LE(fitting.confidence, 1);
    if (fitting.text == likeliest) continue;
    ++others;
    const auto scores = bench.scheduler.score({before, {fitting.text + head, likeliest + head}}, kNever);
    ASSERT_TRUE(scores && *scores);
    gained += (**scores)[0] - (**scores)[1];
  }
  EXPECT_GT(others, 5);
  EXPECT_GT(gained / others, 0.1) << "nats by which what follows is likelier, line included";
}

}  // namespace
}  // namespace hearth::engine
