// A fixed set of compute threads that run one parallel section at a time. The caller is thread 0, so
// a pool of n uses n - 1 threads of its own. Workers spin briefly between sections, then sleep.
// `run` is called by one thread at a time; it returns when every part is done.
#pragma once

#include <functional>
#include <memory>

namespace hearth::kernels {

class ThreadPool {
 public:
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int size() const;

  // Calls part(index, size()) once for every index below size(), concurrently.
  void run(const std::function<void(int index, int count)>& part);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace hearth::kernels
