// A thread for what has to be written into stores, which may have to be waited for: one task after another.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace hearth::commands {

class StoreThread {
 public:
  StoreThread() : thread_([this] { run(); }) {}
  ~StoreThread();  // after all that it was given is done

  // Any thread; returns at once.
  void add(std::function<void()> task);

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable news_;
  std::deque<std::function<void()>> tasks_;  // guarded by mutex_
  bool ending_ = false;                      // guarded by mutex_
  std::thread thread_;
};

}  // namespace hearth::commands
