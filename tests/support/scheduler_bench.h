// A model of random weights with a scheduler, run inline, and simple jobs for it.
#pragma once

#include <gtest/gtest.h>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "engine/scheduler.h"
#include "tests/support/test_model.h"

namespace hearth::tests {

using namespace engine;

inline const auto kNever = [] { return true; };

// A model on the CPU with a scheduler of its own and a clock that the test moves.
struct SchedulerBench {
  explicit SchedulerBench(SchedulerOptions options = {}, int threads = 2,
                          testing::RandomModelOptions model = {})
      : pool(threads),
        model(model, kernels::make_cpu_device(pool)),
        scheduler(this->model.model(), options, [this] { return now; }) {}

  std::map<JobId, Final> run_to_the_end() {
    std::map<JobId, Final> finals;
    for (int steps = 0; !scheduler.idle() && steps < 5000; ++steps) {
      scheduler.step(kNever);
      collect(finals);
    }
    collect(finals);
    return finals;
  }

  void collect(std::map<JobId, Final>& finals) {
    for (auto& event : scheduler.take_events()) {
      if (auto* delta = std::get_if<Delta>(&event)) told[{delta->job, delta->alternative}] += delta->text;
      auto* final = std::get_if<Final>(&event);
      if (final == nullptr) continue;
      ASSERT_FALSE(finals.contains(final->job)) << "two finals";
      finals[final->job] = std::move(*final);
    }
  }

  void remember(MemoryUpdate update) {
    scheduler.memory().remember(std::move(update));
    while (scheduler.memory().work(WorkspaceMemory::Urgency::kAll)) {
    }
  }

  Final complete(Job job) {
    scheduler.submit(++last_id, std::move(job), now);
    return run_to_the_end().at(last_id);
  }

  kernels::ThreadPool pool;
  testing::TestModel model;
  TimePoint now{};
  Scheduler scheduler;
  JobId last_id = 0;
  std::map<std::pair<JobId, int>, std::string> told;
};

inline std::string random_text(std::mt19937& random, int words) {
  static const std::vector<std::string> kWords = {"return", " value", "self",     "val_", "in", "\n    ",
                                                  "\n",     "(self",  "):",       " = ",  "x",  ".",
                                                  " int",   "for",    "\xD0\xBF", "  "};
  std::string text;
  for (int i = 0; i < words; ++i) text += kWords[random() % kWords.size()];
  return text;
}

inline Job simple_job(std::string text, int max_tokens = 12) {
  Job job;
  job.segments = {{.kind = SegmentKind::kPrefix, .text = std::move(text)}};
  job.stop = {.max_tokens = max_tokens, .max_lines = 0};
  return job;
}

}  // namespace hearth::tests
