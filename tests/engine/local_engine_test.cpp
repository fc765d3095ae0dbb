#include "engine/local_engine.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <thread>
#include <unistd.h>

#include "tests/support/random_model.h"

namespace hearth::engine {
namespace {

using namespace std::chrono_literals;

class ModelFile {
 public:
  explicit ModelFile(const testing::RandomModelOptions& options = {}) {
    std::ofstream(path_, std::ios::binary) << testing::random_model(options);
  }
  ~ModelFile() { std::filesystem::remove(path_); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_ = std::filesystem::temp_directory_path() /
                                ("hearth_local_engine_test_" + std::to_string(::getpid()) + ".gguf");
};

Job job(std::string text, int max_tokens) {
  Job job;
  job.segments = {{.kind = SegmentKind::kPrefix, .text = std::move(text)}};
  job.stop = {.max_tokens = max_tokens, .max_lines = 0};
  return job;
}

// Waits for the finals of all `ids`; a job that gets a second one fails the test.
std::map<JobId, Final> finals_of(EngineClient& engine, std::set<JobId> ids) {
  std::map<JobId, Final> finals;
  const auto deadline = std::chrono::steady_clock::now() + 60s;
  while (!ids.empty() && std::chrono::steady_clock::now() < deadline) {
    const auto event = engine.wait(deadline);
    if (!event) continue;
    if (const auto* final = std::get_if<Final>(&*event)) {
      EXPECT_EQ(ids.erase(final->job), 1u) << "a final nobody asked for";
      finals[final->job] = *final;
    }
  }
  EXPECT_TRUE(ids.empty()) << "no final within a minute";
  return finals;
}

TEST(LocalEngine, AnswersJobsThatCameWhileItLoaded) {
  ModelFile model;
  const auto engine = start_local_engine({.model = model.path()});
  const JobId id = engine->submit(job("return val", 5));
  const auto finals = finals_of(*engine, {id});
  EXPECT_EQ(finals.at(id).reason, FinishReason::kTokens);
  EXPECT_EQ(engine->status().state, "ready");
  EXPECT_EQ(engine->status().model, "random");
  EXPECT_GT(engine->status().context_tokens, 0);
}

TEST(LocalEngine, SaysWhyAMissingModelFailed) {
  const auto engine = start_local_engine({.model = "/nonexistent/m.gguf"});
  const JobId id = engine->submit(job("x", 5));
  const auto finals = finals_of(*engine, {id});
  EXPECT_EQ(finals.at(id).reason, FinishReason::kFailed);
  EXPECT_NE(finals.at(id).error.find("/nonexistent/m.gguf"), std::string::npos);
  EXPECT_EQ(engine->status().state, "failed");
  EXPECT_FALSE(engine->score({}));
  EXPECT_FALSE(engine->count_tokens({"x"}));
}

TEST(LocalEngine, CancelsAtAnyMomentAndAnswersTheRestAsBefore) {
  ModelFile model;
  const auto engine = start_local_engine({.model = model.path(), .threads = 2});
  const Job plain = job("for x in self.value():\n    return val_", 24);
  const JobId first = engine->submit(plain);
  const auto expected = finals_of(*engine, {first}).at(first).alternatives;
  int cancelled = 0;  // the others were done before
  for (int round = 0; round < 200; ++round) {
    const JobId doomed = engine->submit(job(std::string(round * 3, 'x') + "return ", 200));
    const JobId kept = engine->submit(plain);
    if (round % 3 != 0) std::this_thread::sleep_for(std::chrono::microseconds(round * 20));
    engine->cancel(doomed);
    const auto finals = finals_of(*engine, {doomed, kept});
    cancelled += finals.at(doomed).reason == FinishReason::kCancelled ? 1 : 0;
    ASSERT_EQ(finals.at(kept).alternatives, expected) << "round " << round;
  }
  EXPECT_GT(cancelled, 20);
}

TEST(LocalEngine, WakesAWaiter) {
  ModelFile model;
  const auto engine = start_local_engine({.model = model.path()});
  std::thread waker([&] { engine->wake(); });
  EXPECT_FALSE(engine->wait(std::chrono::steady_clock::now() + 60s));
  waker.join();
}

TEST(LocalEngine, ScoresAndCountsFromAnotherThread) {
  ModelFile model;
  const auto engine = start_local_engine({.model = model.path()});
  const auto scores = engine->score({job("return ", 1).segments, {"value", "self"}});
  ASSERT_TRUE(scores);
  EXPECT_EQ(scores->size(), 2u);
  const auto counts = engine->count_tokens({"", "re"});
  ASSERT_TRUE(counts);
  EXPECT_EQ((*counts)[0], 0);
  EXPECT_EQ((*counts)[1], 1);
}

TEST(LocalEngine, StopsInTheMiddleOfWork) {
  ModelFile model;
  for (int round = 0; round < 20; ++round) {
    const auto engine = start_local_engine({.model = model.path()});
    engine->submit(job("return ", 400));
    if (round % 2 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(round));
  }
}

}  // namespace
}  // namespace hearth::engine
