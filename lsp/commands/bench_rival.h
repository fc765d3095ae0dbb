// llama-server as a rival in the same run: the same model file, threads and documents, one /infill request
// a key, suffix-first, with its prompt cache. One thread; calls block.
#pragma once

#include <cstdint>
#include <string>
#include <sys/types.h>
#include <vector>

namespace hearth::commands {

struct RivalAnswer {
  double ms = 0;      // as the client sees it
  int prefilled = 0;  // prompt tokens that were computed
  std::string text;
};

class LlamaServer {
 public:
  // Starts `program` on a loopback port of its own and waits until it is ready. Throws std::runtime_error.
  LlamaServer(const std::string& program, const std::string& model, int threads,
              const std::vector<std::string>& more_arguments);
  ~LlamaServer();
  LlamaServer(const LlamaServer&) = delete;
  LlamaServer& operator=(const LlamaServer&) = delete;

  RivalAnswer infill(const std::string& prefix, const std::string& suffix, int tokens);

 private:
  std::string post(const std::string& target, const std::string& body);

  pid_t child_ = -1;
  std::uint16_t port_ = 0;
};

}  // namespace hearth::commands
