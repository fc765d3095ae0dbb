// Splits items over a thread pool. Threads take runs of items, long ones first and single ones at the
// end, so that memory is read in order and nobody waits long for a slow neighbour.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "kernels/thread_pool.h"

namespace hearth::kernels {

// Calls work(item, thread) once for every item below `items`; `thread` is below threads.size() and no
// two calls with the same one overlap.
template <class Work>
void parallel_for(ThreadPool& threads, std::size_t items, const Work& work) {
  if (items <= 1 || threads.size() == 1) {
    for (std::size_t i = 0; i < items; ++i) work(i, 0);
    return;
  }
  struct Section {
    alignas(64) std::atomic<std::size_t> next{0};
    const Work& work;
    std::size_t items;
  } section{.work = work, .items = items};
  // One pointer is captured, so that the function object allocates nothing.
  threads.run([s = &section](int thread, int count) {
    std::size_t begin = s->next.load(std::memory_order_relaxed);
    while (begin < s->items) {
      const std::size_t run =
          std::max<std::size_t>((s->items - begin) / (2 * static_cast<std::size_t>(count)), 1);
      if (!s->next.compare_exchange_weak(begin, begin + run, std::memory_order_relaxed)) continue;
      for (std::size_t i = begin; i < begin + run; ++i) s->work(i, thread);
      begin = s->next.load(std::memory_order_relaxed);
    }
  });
}

}  // namespace hearth::kernels
