#include "kernels/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cstdint>
#include <thread>
#include <vector>

namespace hearth::kernels {
namespace {

constexpr std::size_t kCacheLine = 64;

// Pauses before sleeping: from about half a microsecond to some twenty.
constexpr int kFewestSpins = 16;
constexpr int kMostSpins = 1024;

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Waits until `word` differs from `old`. Spinning that was in vain is halved the next time, so that a
// loaded machine, where a wait is rarely short, hardly spins.
std::uint32_t wait_for_change(const std::atomic<std::uint32_t>& word, std::uint32_t old, int& spins) {
  for (int i = 0; i < spins; ++i) {
    const std::uint32_t now = word.load(std::memory_order_acquire);
    if (now != old) {
      spins = std::min(2 * spins, kMostSpins);
      return now;
    }
    pause();
  }
  spins = std::max(spins / 2, kFewestSpins);
  word.wait(old, std::memory_order_acquire);
  return word.load(std::memory_order_acquire);
}

}  // namespace

// Parts are claimed, not assigned: whoever comes first takes the next index, so the caller does the
// parts of workers that the system has not woken yet instead of waiting for them.
struct ThreadPool::State {
  explicit State(int size) : count(static_cast<std::uint32_t>(size)) {}

  // Runs the parts of section `epoch` that nobody has claimed.
  void work(std::uint32_t epoch) {
    std::uint64_t ticket = next.load(std::memory_order_acquire);
    while (static_cast<std::uint32_t>(ticket >> 32) == epoch) {
      const auto index = static_cast<std::uint32_t>(ticket);
      if (index >= count) return;
      if (!next.compare_exchange_weak(ticket, ticket + 1, std::memory_order_acq_rel)) continue;
      (*part)(static_cast<int>(index), static_cast<int>(count));
      if (done.fetch_add(1, std::memory_order_acq_rel) + 1 == count) done.notify_one();
      ticket = next.load(std::memory_order_acquire);
    }
  }

  void serve() {
    int spins = kFewestSpins;
    std::uint32_t seen = 0;
    for (;;) {
      seen = wait_for_change(section, seen, spins);
      if (stopping.load(std::memory_order_acquire)) return;
      work(seen);
    }
  }

  const std::uint32_t count;
  const std::function<void(int, int)>* part = nullptr;  // valid while a claimed part is unfinished
  int caller_spins = kMostSpins;
  std::vector<std::thread> workers;
  std::atomic<bool> stopping{false};
  alignas(kCacheLine) std::atomic<std::uint32_t> section{0};  // workers wait for it to change
  alignas(kCacheLine) std::atomic<std::uint64_t> next{0};     // section << 32 | next index
  alignas(kCacheLine) std::atomic<std::uint32_t> done{0};     // finished parts of the section
};

ThreadPool::ThreadPool(int threads) : state_(std::make_unique<State>(std::max(threads, 1))) {
  for (int i = 1; i < size(); ++i) state_->workers.emplace_back([state = state_.get()] { state->serve(); });
}

ThreadPool::~ThreadPool() {
  state_->stopping.store(true, std::memory_order_release);
  state_->section.fetch_add(1, std::memory_order_acq_rel);
  state_->section.notify_all();
  for (std::thread& worker : state_->workers) worker.join();
}

int ThreadPool::size() const { return static_cast<int>(state_->count); }

void ThreadPool::run(const std::function<void(int index, int count)>& part) {
  if (state_->count == 1) {
    part(0, 1);
    return;
  }
  State& s = *state_;
  const std::uint32_t epoch = s.section.load(std::memory_order_relaxed) + 1;
  s.part = &part;
  s.done.store(0, std::memory_order_relaxed);
  s.next.store(std::uint64_t{epoch} << 32, std::memory_order_release);
  s.section.store(epoch, std::memory_order_release);
  s.section.notify_all();
  s.work(epoch);
  for (std::uint32_t done = s.done.load(std::memory_order_acquire); done < s.count;) {
    done = wait_for_change(s.done, done, s.caller_spins);
  }
}

}  // namespace hearth::kernels
