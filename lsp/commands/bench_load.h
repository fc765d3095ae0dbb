// Foreign load: busy processes beside the measured one, as other programs on a shared machine are.
#pragma once

#include <sys/types.h>
#include <vector>

namespace hearth::commands {

// Keeps `threads` processes of one busy thread each while it lives. Throws std::runtime_error.
class ForeignLoad {
 public:
  explicit ForeignLoad(int threads);
  ~ForeignLoad();
  ForeignLoad(const ForeignLoad&) = delete;
  ForeignLoad& operator=(const ForeignLoad&) = delete;

 private:
  void stop();

  std::vector<pid_t> processes_;
};

}  // namespace hearth::commands
