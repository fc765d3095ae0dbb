#include "kernels/thread_pool.h"

#include <atomic>
#include <gtest/gtest.h>
#include <numeric>
#include <thread>
#include <vector>

#include "kernels/cpu/parallel.h"

namespace hearth::kernels {
namespace {

TEST(ThreadPool, CallsEveryPartOnceInEverySection) {
  for (const int size : {1, 2, 3, 9}) {
    ThreadPool pool(size);
    EXPECT_EQ(pool.size(), size);
    std::vector<int> calls(static_cast<std::size_t>(size));
    for (int section = 1; section <= 2000; ++section) {
      pool.run([&](int index, int count) {
        EXPECT_EQ(count, size);
        ++calls[static_cast<std::size_t>(index)];
      });
      for (const int count : calls) ASSERT_EQ(count, section);
    }
  }
}

TEST(ThreadPool, OfOneRunsInTheCaller) {
  ThreadPool pool(1);
  std::thread::id id;
  pool.run([&](int, int) { id = std::this_thread::get_id(); });
  EXPECT_EQ(id, std::this_thread::get_id());
}

TEST(ThreadPool, WakesSleepersAgain) {
  ThreadPool pool(4);
  std::atomic<int> calls{0};
  volatile unsigned work = 0;
  for (int round = 0; round < 5; ++round) {
    pool.run([&](int, int) { ++calls; });
    for (int i = 0; i < 1'000'000; ++i) work = work + 1;  // alone, for longer than workers spin
  }
  EXPECT_EQ(calls, 20);
}

TEST(ThreadPool, IsBuiltAndLeftWithoutWork) {
  for (int i = 0; i < 50; ++i) ThreadPool pool(3);
}

TEST(ParallelFor, VisitsEveryItemOnceAndEveryThreadAlone) {
  for (const int size : {1, 2, 5}) {
    ThreadPool pool(size);
    for (const std::size_t items : {0, 1, 2, 7, 64, 1000}) {
      std::vector<int> visits(items);
      std::vector<std::atomic<int>> busy(static_cast<std::size_t>(size));
      parallel_for(pool, items, [&](std::size_t item, int thread) {
        EXPECT_EQ(busy[static_cast<std::size_t>(thread)].fetch_add(1), 0);
        ++visits[item];
        busy[static_cast<std::size_t>(thread)].fetch_sub(1);
      });
      EXPECT_EQ(std::accumulate(visits.begin(), visits.end(), 0), static_cast<int>(items));
      for (const int count : visits) EXPECT_EQ(count, 1);
    }
  }
}

}  // namespace
}  // namespace hearth::kernels
