#include "lsp/commands/bench_rival.h"

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/json.hpp>
#include <chrono>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdexcept>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "lsp/commands/bench.h"

namespace hearth::commands {

namespace json = boost::json;
namespace http = boost::beast::http;
using boost::asio::ip::tcp;

namespace {

constexpr int kStartAttempts = 600;  // a tenth of a second apart
constexpr const char* kContext = "4096";

std::uint16_t free_port() {
  boost::asio::io_context io;
  tcp::acceptor probe(io, {boost::asio::ip::address_v4::loopback(), 0});
  return probe.local_endpoint().port();
}

}  // namespace

LlamaServer::LlamaServer(const std::string& program, const std::string& model, int threads,
                         const std::vector<std::string>& more_arguments)
    : port_(free_port()) {
  std::vector<std::string> arguments{program,
                                     "-m",
                                     model,
                                     "--host",
                                     "127.0.0.1",
                                     "--port",
                                     std::to_string(port_),
                                     "-np",
                                     "1",
                                     "-c",
                                     kContext,
                                     "-t",
                                     std::to_string(threads),
                                     "--spm-infill"};
  arguments.insert(arguments.end(), more_arguments.begin(), more_arguments.end());
  std::vector<char*> argv;
  for (auto& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO}) {
    posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0);
  }
  const int failed = posix_spawnp(&child_, program.c_str(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) throw std::runtime_error(program + ": cannot be started");
  for (int attempt = 0; attempt < kStartAttempts; ++attempt) {
    if (waitpid(child_, nullptr, WNOHANG) == child_) {
      child_ = -1;
      throw std::runtime_error(program + ": ended at once");
    }
    try {
      infill("a", "b", 1);
      return;
    } catch (const std::exception&) {
      std::this_thread::sleep_for(
          std::chrono::milliseconds(100));  // another program gives no event to wait on
    }
  }
  throw std::runtime_error(program + ": not ready within a minute");
}

LlamaServer::~LlamaServer() {
  if (child_ <= 0) return;
  kill(child_, SIGKILL);
  waitpid(child_, nullptr, 0);
}

std::string LlamaServer::post(const std::string& target, const std::string& body) {
  boost::asio::io_context io;
  boost::beast::tcp_stream stream(io);
  stream.connect(tcp::endpoint(boost::asio::ip::address_v4::loopback(), port_));
  http::request<http::string_body> request(http::verb::post, target, 11);
  request.set(http::field::host, "127.0.0.1");
  request.set(http::field::content_type, "application/json");
  request.body() = body;
  request.prepare_payload();
  http::write(stream, request);
  boost::beast::flat_buffer buffer;
  http::response<http::string_body> response;
  http::read(stream, buffer, response);
  if (response.result() != http::status::ok) throw std::runtime_error("llama-server: " + response.body());
  return response.body();
}

RivalAnswer LlamaServer::infill(const std::string& prefix, const std::string& suffix, int tokens) {
  const std::string body = json::serialize(json::object{{"input_prefix", prefix},
                                                        {"input_suffix", suffix},
                                                        {"prompt", ""},
                                                        {"n_predict", tokens},
                                                        {"temperature", 0},
                                                        {"top_k", 1},
                                                        {"samplers", {"top_k"}},
                                                        {"cache_prompt", true},
                                                        {"ignore_eos", true}});
  const auto start = std::chrono::steady_clock::now();
  const json::value answer = json::parse(post("/infill", body));
  RivalAnswer out;
  out.ms = milliseconds_since(start);
  out.prefilled = answer.at("timings").at("prompt_n").to_number<int>();
  out.text = std::string(answer.at("content").as_string());
  return out;
}

}  // namespace hearth::commands
