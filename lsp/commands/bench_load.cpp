#include "lsp/commands/bench_load.h"

#include <signal.h>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace hearth::commands {

ForeignLoad::ForeignLoad(int threads) {
  for (int i = 0; i < threads; ++i) {
    const pid_t process = fork();
    if (process == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      for (volatile unsigned work = 0;;) work = work + 1;
    }
    if (process < 0) {
      stop();
      throw std::runtime_error("no process for the foreign load");
    }
    processes_.push_back(process);
  }
}

ForeignLoad::~ForeignLoad() { stop(); }

void ForeignLoad::stop() {
  for (const pid_t process : processes_) kill(process, SIGKILL);
  for (const pid_t process : processes_) waitpid(process, nullptr, 0);
}

}  // namespace hearth::commands
