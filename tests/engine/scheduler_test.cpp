#include "engine/scheduler.h"

#include <gtest/gtest.h>
#include <map>
#include <random>

#include "engine/healing.h"
#include "tests/support/scheduler_bench.h"
#include "tests/support/temporary_folder.h"

namespace hearth::engine {
namespace {

using namespace std::chrono_literals;

using tests::kNever;
using tests::random_text;
using tests::simple_job;
using Bench = tests::SchedulerBench;

Job random_job(std::mt19937& random) {
  Job job;
  if (random() % 3 == 0) job.document = "d1";
  if (random() % 3 == 0) job.masked = {"d2", "d3"};
  job.switches.memory = random() % 4 != 0;
  job.segments = {
      {.kind = SegmentKind::kPath, .text = "a/b.py"},
      {.kind = SegmentKind::kSuffix, .text = random_text(random, static_cast<int>(random() % 20))},
      {.kind = SegmentKind::kPrefix, .text = random_text(random, static_cast<int>(random() % 60))},
      {.kind = SegmentKind::kTyped, .text = random_text(random, static_cast<int>(random() % 6))}};
  job.stop = {.max_tokens = 1 + static_cast<int>(random() % 24), .max_lines = static_cast<int>(random() % 3)};
  return job;
}

void expect_the_same_however_the_work_is_cut(Bench& plain, Bench& busy) {
  std::mt19937 random(11);
  for (int i = 0; i < 6; ++i) {
    const MemoryUpdate update{"d" + std::to_string(i), 1, {{0, 0, random_text(random, 400)}}};
    plain.remember(update);
    busy.remember(update);
  }
  int accepted = 0;
  for (int round = 0; round < 60; ++round) {
    // Several jobs at once, some cancelled midway, some warm, some repeated with more typed.
    std::map<JobId, Job> asked;
    const int jobs = 1 + static_cast<int>(random() % 5);
    Job last;
    for (int i = 0; i < jobs; ++i) {
      Job job = random_job(random);
      if (i > 0 && random() % 2 == 0) {
        job = last;
        job.segments.back().text += random_text(random, 1);
      }
      if (random() % 5 == 0) job.priority = Priority::kWarm;
      last = job;
      asked[++busy.last_id] = job;
      busy.scheduler.submit(busy.last_id, job, busy.now);
    }
    std::map<JobId, Final> finals;
    const int cancel_after = static_cast<int>(random() % 12);
    const JobId cancelled = random() % 2 == 0 ? busy.last_id : 0;
    for (int steps = 0; !busy.scheduler.idle(); ++steps) {
      ASSERT_LT(steps, 5000);
      int polls = 0;
      const int cancel_poll = static_cast<int>(random() % 4);
      busy.scheduler.step([&] {
        if (steps == cancel_after && polls++ == cancel_poll && cancelled != 0)
          busy.scheduler.cancel(cancelled);
        return true;
      });
      busy.collect(finals);
    }
    ASSERT_EQ(finals.size(), asked.size());
    for (const auto& [id, job] : asked) {
      const Final& final = finals.at(id);
      if (final.reason == FinishReason::kCancelled || job.priority == Priority::kWarm) continue;
      ASSERT_NE(final.reason, FinishReason::kFailed) << final.error;
      Job undrafted = job;
      undrafted.switches.drafts = false;
      const Final expected = plain.complete(undrafted);
      ASSERT_EQ(final.alternatives.size(), 1u);
      EXPECT_EQ(final.alternatives[0].text, expected.alternatives[0].text);
      EXPECT_EQ(final.alternatives[0].log_probability, expected.alternatives[0].log_probability);
      EXPECT_EQ(final.reason, expected.reason);
      EXPECT_EQ((busy.told[{id, 0}]), final.alternatives[0].text);
      accepted += final.usage.accepted_tokens;
    }
  }
  EXPECT_GT(accepted, 50) << "drafts were hardly tried";
}

TEST(Scheduler, AnswersTheSameHoweverTheWorkIsCut) {
  Bench plain({.prefill_rows = 1}, 1);
  Bench busy({.cache_bytes = 1 << 19, .prefill_rows = 5, .largest_step = 23}, 3);
  expect_the_same_however_the_work_is_cut(plain, busy);
}

// A line and what follows it are read in one step, so they have to fit one, and the cache a job's four lines.
TEST(Scheduler, WeighsTheSameHoweverTheWorkIsCut) {
  Bench plain({.prefill_rows = 1, .weigh_lines = true}, 1);
  Bench busy({.cache_bytes = 1 << 20, .prefill_rows = 5, .weigh_lines = true}, 3);
  expect_the_same_however_the_work_is_cut(plain, busy);
}

TEST(Scheduler, FindsThePromptAndTheAnswerInMemory) {
  Bench bench;
  const std::string text = "for x in self.value():\n    return val_";
  const Final cold = bench.complete(simple_job(text));
  EXPECT_EQ(cold.usage.cached_tokens, 0);
  const Final again = bench.complete(simple_job(text));
  EXPECT_EQ(again.usage.cached_tokens, again.usage.prompt_tokens - 1);
  EXPECT_EQ(again.alternatives, cold.alternatives);
  EXPECT_GE(again.usage.accepted_tokens, cold.usage.generated_tokens / 2) << "the last answer is the draft";
}

// Typing the first character of an answer leaves the cut where it was, so the same tokens are the best ones
// still, and the rest of the answer is the answer.
TEST(Scheduler, HealsToTheSameAnswerWhileItIsTyped) {
  Bench bench;
  std::mt19937 random(5);
  int typed = 0;
  for (int round = 0; round < 200; ++round) {
    const std::string text = random_text(random, 1 + static_cast<int>(random() % 12));
    Job job = simple_job(text);
    job.switches.memory = job.switches.rival = false;  // which say what they say by all that was typed
    const std::string answer = bench.complete(job).alternatives.at(0).text;
    if (answer.empty()) continue;
    const std::string more = text + answer[0];
    if (static_cast<unsigned char>(answer[0]) >= 0x80 || healing_cut(more) != healing_cut(text)) continue;
    job.segments[0].text = more;
    const std::string rest = bench.complete(job).alternatives.at(0).text;
    EXPECT_TRUE(rest.starts_with(answer.substr(1))) << text << " -> " << answer << " -> " << rest;
    ++typed;
  }
  EXPECT_GT(typed, 10);
}

// The weights of a model that trusts its memory wholly.
const MixtureWeights kTrusting{100};

TEST(Scheduler, MixesInWhatTheWorkspaceHolds) {
  Bench bench({.mixture = kTrusting});
  bench.remember({"other", 1, {{0, 0, "def f(self):\n    total = first_value + 12\n"}}});
  Job job = simple_job("x = 3\n    total = ", 24);
  job.stop.max_lines = 1;
  EXPECT_EQ(bench.complete(job).alternatives.at(0).text, "first_value + 12");
  EXPECT_GT(bench.complete(job).usage.accepted_tokens, 0);
  Job typed = simple_job("x = 3\n    total = first_va", 24);
  typed.stop.max_lines = 1;
  EXPECT_EQ(bench.complete(typed).alternatives.at(0).text, "lue + 12") << "a cut word is healed";
  Job masked = job;
  masked.masked = {"other"};
  const std::string without = bench.complete(masked).alternatives.at(0).text;
  EXPECT_NE(without, "first_value + 12");
  Job off = job;
  off.switches.memory = false;
  EXPECT_EQ(bench.complete(off).alternatives.at(0).text, without);
  bench.scheduler.memory().forget("other");
  EXPECT_EQ(bench.complete(job).alternatives.at(0).text, without);
}

// Word by word the greedy line is the likeliest one, as a whole it need not be.
TEST(Scheduler, AnswersWithTheLikelierOfTheGreedyLineAndTheMemorysOwn) {
  std::mt19937 random(3);
  Bench bench({.mixture = MixtureWeights{0}});  // as much trust in the memory as in the model
  int others = 0;
  for (int round = 0; round < 60; ++round) {
    // What stood here before went on in another way each time.
    const std::string start = "\n" + random_text(random, 20);
    std::string remembered;
    for (int i = 0; i < 3; ++i) remembered += start + random_text(random, 12) + "\n";
    bench.remember({"other", round + 1, {{0, kToTheEnd, remembered}}});
    Job job = simple_job(start);
    job.alternatives = 2;  // the first of which is the greedy one
    job.stop = {.max_tokens = 12, .max_lines = 1};
    const Final greedy = bench.complete(job);
    job.alternatives = 1;
    const Final answer = bench.complete(job);
    ASSERT_EQ(answer.alternatives.size(), 1u);
    EXPECT_GE(answer.alternatives[0].confidence, greedy.alternatives[0].confidence * (1 - 1e-6));
    others += answer.alternatives[0].text != greedy.alternatives[0].text ? 1 : 0;
    EXPECT_EQ((bench.told[{bench.last_id, 0}]), answer.alternatives[0].text);
  }
  EXPECT_GT(others, 0);
}

TEST(Scheduler, MixesInWhatTheFileItselfHolds) {
  Bench bench({.mixture = kTrusting});
  Job job = simple_job("total = first_value + 12\nx = 3\ntotal = ", 24);
  job.stop.max_lines = 1;
  EXPECT_EQ(bench.complete(job).alternatives.at(0).text, "first_value + 12");
  // What the memory knows of the file and may not tell, the text around the cursor tells still.
  bench.remember({"mine", 1, {{0, 0, "total = other_value + 3\n"}}});
  job.document = "mine";
  job.masked = {"mine"};
  EXPECT_EQ(bench.complete(job).alternatives.at(0).text, "first_value + 12");
}

TEST(Scheduler, OffersDistinctAlternativesTheGreedyOneFirst) {
  Bench bench;
  Job job = simple_job("for x in self.value():\n    return ");
  const Final one = bench.complete(job);
  job.alternatives = 4;
  const Final four = bench.complete(job);
  ASSERT_GE(four.alternatives.size(), 2u);
  EXPECT_EQ(four.alternatives[0].text, one.alternatives[0].text);
  for (std::size_t i = 0; i < four.alternatives.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(four.alternatives[i].text, four.alternatives[j].text);
  }
}

TEST(Scheduler, SamplesTheSameWithTheSameSeed) {
  Bench bench;
  Job job = simple_job("for x in ");
  job.sampling = {.temperature = 1.5, .top_p = 0.95, .seed = 4};
  const Final first = bench.complete(job);
  EXPECT_EQ(bench.complete(job).alternatives, first.alternatives);
  job.sampling.seed = 5;
  EXPECT_NE(bench.complete(job).alternatives, first.alternatives);
}

TEST(Scheduler, AnswersAtTheSoftDeadlineWithAWordAndAtTheHardOneWithWhatThereIs) {
  Bench bench;
  Job job = simple_job("for x in self.value():\n    return ", 200);
  job.soft_ms = 50;
  bench.scheduler.submit(++bench.last_id, job, bench.now);
  std::map<JobId, Final> finals;
  while (!bench.scheduler.idle()) {
    bench.scheduler.step(kNever);
    bench.now += 20ms;
    bench.collect(finals);
  }
  EXPECT_EQ(finals.at(1).reason, FinishReason::kDeadline);
  EXPECT_FALSE(finals.at(1).alternatives.at(0).text.empty());
  job.hard_ms = 10;
  bench.scheduler.submit(++bench.last_id, job, bench.now);
  bench.scheduler.step([&] {
    bench.now += 20ms;  // time passes inside the first step
    return true;
  });
  finals.clear();
  bench.collect(finals);
  ASSERT_TRUE(finals.contains(2));
  EXPECT_EQ(finals.at(2).reason, FinishReason::kDeadline);
}

TEST(Scheduler, LetsAnUrgentJobPassAWarmOne) {
  Bench bench({.prefill_rows = 4});
  std::mt19937 random(3);
  Job warm = simple_job(random_text(random, 60));
  warm.priority = Priority::kWarm;
  bench.scheduler.submit(1, warm, bench.now);
  bench.scheduler.step(kNever);
  int polls = 0;
  bench.scheduler.step([&] {
    if (polls++ == 1) bench.scheduler.submit(2, simple_job("return self", 3), bench.now);
    return true;
  });
  EXPECT_EQ(polls, 2) << "the warm step was given up at once";
  std::vector<JobId> order;
  while (!bench.scheduler.idle()) {
    bench.scheduler.step(kNever);
    for (const auto& event : bench.scheduler.take_events()) {
      if (const auto* final = std::get_if<Final>(&event)) order.push_back(final->job);
    }
  }
  EXPECT_EQ(order, (std::vector<JobId>{2, 1}));
  const Final after = bench.complete([&] {
    Job job = warm;
    job.priority = Priority::kAutomatic;
    return job;
  }());
  EXPECT_EQ(after.usage.cached_tokens, after.usage.prompt_tokens - 1);
}

TEST(Scheduler, AnswersAheadAfterWhatIsAskedForAndBeforeWarmOnes) {
  Bench bench({.prefill_rows = 4});
  std::mt19937 random(3);
  Job warm = simple_job(random_text(random, 60));
  warm.priority = Priority::kWarm;
  Job ahead = simple_job("return self", 3), asked = simple_job("import os", 3);
  const std::string text = bench.complete(ahead).alternatives.at(0).text;
  ahead.priority = Priority::kAhead;
  bench.scheduler.submit(1001, warm, bench.now);
  bench.scheduler.submit(1002, ahead, bench.now);
  bench.scheduler.step(kNever);
  bench.scheduler.submit(1003, asked, bench.now);
  std::vector<JobId> order;
  while (!bench.scheduler.idle()) {
    bench.scheduler.step(kNever);
    for (const auto& event : bench.scheduler.take_events()) {
      const auto* final = std::get_if<Final>(&event);
      if (final == nullptr) continue;
      order.push_back(final->job);
      if (final->job == 1002) {
        EXPECT_EQ(final->alternatives.at(0).text, text);
      }
    }
  }
  EXPECT_EQ(order, (std::vector<JobId>{1003, 1002, 1001}));
}

void add_optional_suffix(Job& job, std::string text) {
  job.segments.insert(
      job.segments.begin(),
      {.kind = SegmentKind::kSuffix, .priority = 1, .required = false, .text = std::move(text)});
}

TEST(Scheduler, TakesOptionalSegmentsAsFarAsTheTimeAllows) {
  Bench bench;
  std::mt19937 random(9);
  Job job = simple_job(random_text(random, 40));
  add_optional_suffix(job, random_text(random, 80));
  const Final free = bench.complete(job);
  EXPECT_EQ(free.segments_taken, (std::vector<std::size_t>{0, 1}));
  Bench slow;
  std::map<JobId, Final> finals;
  slow.scheduler.submit(1, simple_job(random_text(random, 80)), slow.now);
  while (!slow.scheduler.idle()) {  // a machine on which a step takes long
    int polls = 0;
    slow.scheduler.step([&] {
      if (polls++ == 0) slow.now += 40ms;
      return true;
    });
  }
  slow.collect(finals);
  job.soft_ms = 180;
  const Final timed = slow.complete(job);
  EXPECT_EQ(timed.segments_taken, (std::vector<std::size_t>{1}));
  job.priority = Priority::kWarm;
  job.soft_ms.reset();
  slow.complete(job);
  job.priority = Priority::kAutomatic;
  job.soft_ms = 600;
  EXPECT_EQ(slow.complete(job).segments_taken, (std::vector<std::size_t>{0, 1}))
      << "what is warm costs nothing";
}

// After a start nobody knows how fast decoding is; the first key must not pay for that.
TEST(Scheduler, TakesWhatIsRequiredWhileSpeedsAreNotKnown) {
  Bench bench;
  std::mt19937 random(9);
  Job job = simple_job(random_text(random, 40));
  add_optional_suffix(job, random_text(random, 80));
  job.soft_ms = 180;
  EXPECT_EQ(bench.complete(job).segments_taken, (std::vector<std::size_t>{1}));
}

TEST(Scheduler, WarmsWhatIsRequiredFirstWhereAllTakesLong) {
  std::mt19937 random(9);
  Job job = simple_job(random_text(random, 40));
  Bench whole;
  const int required = whole.complete(job).usage.prompt_tokens;
  add_optional_suffix(job, random_text(random, 120));
  job.priority = Priority::kWarm;
  Bench slow;
  const auto step = [&] {
    int polls = 0;
    slow.scheduler.step([&] {
      if (polls++ == 0) slow.now += 200ms;
      return true;
    });
  };
  slow.scheduler.submit(3, simple_job("x", 2), slow.now);
  while (!slow.scheduler.idle()) step();  // it is known how fast it is
  const std::uint64_t before = slow.scheduler.prefilled_tokens();
  slow.scheduler.submit(1, job, slow.now);
  while (slow.scheduler.prefilled_tokens() - before < static_cast<std::uint64_t>(required)) step();
  Job asked = job;
  asked.priority = Priority::kAutomatic;
  asked.soft_ms = 180;
  slow.scheduler.submit(2, asked, slow.now);
  const auto finals = slow.run_to_the_end();
  EXPECT_EQ(finals.at(2).segments_taken, (std::vector<std::size_t>{1}));
  EXPECT_GE(finals.at(2).usage.cached_tokens, finals.at(2).usage.prompt_tokens - 1);
  EXPECT_EQ(finals.at(1).reason, FinishReason::kWarmed);
  EXPECT_EQ(finals.at(1).segments_taken, (std::vector<std::size_t>{0, 1})) << "and then all";
}

SchedulerOptions storing_in(const testing::TemporaryFolder& folder) {
  return {.stored_kv = StoredKvOptions{folder / "kv/kv.db", 100'000'000, "test",
                                       [] { return std::chrono::sys_seconds(1'000'000s); }}};
}

TEST(Scheduler, WakesInALaterLifeWhatWasWarmOfAWorkspace) {
  const testing::TemporaryFolder folder;
  const SchedulerOptions options = storing_in(folder);
  std::mt19937 random(5);
  Job job = simple_job(random_text(random, 90));
  job.document = "a.py";
  job.workspace = "/w";
  job.segments.push_back({.kind = SegmentKind::kTyped, .text = "\n    return self"});
  const Final want = Bench().complete(job);
  Job warm = job;
  warm.priority = Priority::kWarm;
  {
    Bench first(options);
    first.scheduler.stored_kv()->wait_until_open(60s);
    first.complete(warm);
  }
  Bench later(options);
  later.scheduler.stored_kv()->wait_until_open(60s);
  const Final got = later.complete(job);
  EXPECT_EQ(got.alternatives, want.alternatives);
  const int stable = want.usage.prompt_tokens - 16 - 8;  // less a page in part and what is typed
  EXPECT_GE(got.usage.cached_tokens, stable);
  EXPECT_LT(later.scheduler.prefilled_tokens(), 32U);
}

TEST(Scheduler, KeepsNothingOfWhatBelongsToNoWorkspace) {
  const testing::TemporaryFolder folder;
  const SchedulerOptions options = storing_in(folder);
  std::mt19937 random(5);
  Job warm = simple_job(random_text(random, 90));
  warm.priority = Priority::kWarm;
  Bench first(options);
  first.complete(warm);
  EXPECT_FALSE(first.scheduler.stored_kv()->due());
}

TEST(Scheduler, RefusesAPromptThatDoesNotFit) {
  Bench bench({.context_tokens = 32});
  std::mt19937 random(9);
  const Final final = bench.complete(simple_job(random_text(random, 100)));
  EXPECT_EQ(final.reason, FinishReason::kFailed);
  EXPECT_NE(final.error.find("32"), std::string::npos) << final.error;
}

TEST(Scheduler, SaysSoWhenTheCacheIsTooSmall) {
  Bench bench({.cache_bytes = 1});
  std::mt19937 random(9);
  const Final final = bench.complete(simple_job(random_text(random, 60)));
  EXPECT_EQ(final.reason, FinishReason::kFailed);
  EXPECT_NE(final.error.find("cache"), std::string::npos) << final.error;
  EXPECT_EQ(bench.complete(simple_job("x", 4)).reason, FinishReason::kTokens) << "and goes on";
}

TEST(Scheduler, ScoresCandidatesAsGenerationWould) {
  Bench bench;
  Job job = simple_job("for x in self.value():\n    return ", 3);
  job.switches.healing = false;
  const Final best = bench.complete(job);
  const auto scores = bench.scheduler.score({job.segments, {best.alternatives[0].text, "zzz", ""}}, kNever);
  ASSERT_TRUE(scores && *scores);
  ASSERT_EQ((*scores)->size(), 3u);
  EXPECT_LT((**scores)[1], 0);
  const auto again = bench.scheduler.score({job.segments, {best.alternatives[0].text, "zzz", ""}}, kNever);
  EXPECT_EQ(**again, **scores);
  EXPECT_FALSE(bench.scheduler.score({job.segments, {"something new"}}, [] { return false; }));
}

TEST(Scheduler, ScoresManyCandidatesTogetherAsEachAloneAndKeepsNoneOfThem) {
  Bench bench({.prefill_rows = 16, .largest_step = 24});  // several passes
  std::mt19937 random(5);
  const Job job = simple_job(random_text(random, 90));
  std::vector<std::string> candidates{"", "value", "value_of", "values", "x"};
  for (int i = 0; i < 30; ++i) candidates.push_back(random_text(random, 1 + i % 4));
  ASSERT_TRUE(*bench.scheduler.score({job.segments, {"a"}}, kNever));
  const std::uint64_t with_the_prompt = bench.scheduler.cache_bytes();
  const auto together = bench.scheduler.score({job.segments, candidates}, kNever);
  ASSERT_TRUE(together && *together);
  EXPECT_EQ(bench.scheduler.cache_bytes(), with_the_prompt);
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    Bench fresh;
    EXPECT_EQ((**fresh.scheduler.score({job.segments, {candidates[i]}}, kNever)).front(), (**together)[i])
        << candidates[i];
  }
}

TEST(Scheduler, ScoresNothingThatDoesNotFit) {
  std::mt19937 random(6);
  const Job job = simple_job(random_text(random, 40));
  Bench narrow({.prefill_rows = 8, .largest_step = 8});
  EXPECT_FALSE(*narrow.scheduler.score({job.segments, {random_text(random, 400)}}, kNever));
  EXPECT_TRUE(*narrow.scheduler.score({job.segments, {"x"}}, kNever)) << "and goes on";
  Bench small({.cache_bytes = 1});
  const auto full = small.scheduler.score({job.segments, {"x"}}, kNever);
  ASSERT_TRUE(full && !*full);
  EXPECT_NE(full->error().message.find("cache"), std::string::npos);
}

}  // namespace
}  // namespace hearth::engine
