#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

#include "lsp/commands/bench.h"
#include "lsp/uri.h"

namespace hearth::commands {

namespace json = boost::json;

namespace {

constexpr int kPatienceMs = 60'000;

}  // namespace

BenchServer::BenchServer(const std::string& model, int threads, json::object initialization_options,
                         const std::string& folder) {
  int in[2], out[2];
  if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0)
    throw std::runtime_error("no pipe for the server");
  to_ = in[1];
  from_ = out[0];
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  const std::string count = std::to_string(threads);
  std::vector<std::string> arguments{"hearth",    "lsp", "--model",     model,
                                     "--threads", count, "--log-level", "error"};
  std::vector<char*> argv;
  for (auto& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  const int failed = posix_spawn(&child_, "/proc/self/exe", &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(in[0]);
  close(out[1]);
  if (failed != 0) throw std::runtime_error("the server cannot be started");
  signal(SIGPIPE, SIG_IGN);
  const json::value initialized = result_of(request(
      "initialize", {{"processId", nullptr},
                     {"rootUri", folder.empty() ? json::value(nullptr)
                                                : json::value(lsp::canonical_uri("file://" + folder))},
                     {"capabilities", {{"textDocument", {{"inlineCompletion", json::object()}}}}},
                     {"initializationOptions", {{"hearth", std::move(initialization_options)}}}}));
  notify("initialized", {});
}

BenchServer::~BenchServer() {
  close(to_);  // the server leaves when its input ends
  close(from_);
  waitpid(child_, nullptr, 0);
}

void BenchServer::send(const json::object& message) {
  const std::string frame = lsp::encode_frame(json::serialize(message));
  for (std::size_t sent = 0; sent < frame.size();) {
    const ssize_t n = write(to_, frame.data() + sent, frame.size() - sent);
    if (n <= 0) throw std::runtime_error("the server does not read any more");
    sent += static_cast<std::size_t>(n);
  }
}

void BenchServer::notify(std::string_view method, json::object params) {
  send({{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}});
}

std::int64_t BenchServer::request(std::string_view method, json::object params) {
  send({{"jsonrpc", "2.0"}, {"id", ++last_id_}, {"method", method}, {"params", std::move(params)}});
  return last_id_;
}

// The first message that is wanted; the others are kept in order.
json::object BenchServer::take(const std::function<bool(const json::object&)>& wanted) {
  for (auto kept = kept_.begin(); kept != kept_.end(); ++kept) {
    if (!wanted(*kept)) continue;
    json::object message = std::move(*kept);
    kept_.erase(kept);
    return message;
  }
  while (true) {
    while (auto frame = decoder_.next()) {
      const auto* body = std::get_if<std::string>(&*frame);
      if (body == nullptr) throw std::runtime_error(std::get<lsp::FramingError>(*frame).message);
      json::object message = json::parse(*body).as_object();
      if (wanted(message)) return message;
      kept_.push_back(std::move(message));
    }
    pollfd readable{from_, POLLIN, 0};
    char buffer[1 << 16];
    if (poll(&readable, 1, kPatienceMs) <= 0)
      throw std::runtime_error("the server said nothing for a minute");
    const ssize_t n = read(from_, buffer, sizeof buffer);
    if (n <= 0) throw std::runtime_error("the server ended");
    decoder_.feed({buffer, static_cast<std::size_t>(n)});
  }
}

json::value BenchServer::result_of(std::int64_t id) {
  json::object message = take([id](const json::object& m) {
    const json::value* its = m.if_contains("id");
    return its != nullptr && its->is_int64() && its->as_int64() == id && !m.contains("method");
  });
  const json::value* result = message.if_contains("result");
  return result == nullptr ? json::value(nullptr) : *result;
}

json::value BenchServer::notification(std::string_view method) {
  return take([method](const json::object& m) {
           const json::value* its = m.if_contains("method");
           return its != nullptr && its->is_string() && its->as_string() == method;
         })
      .at("params");
}

}  // namespace hearth::commands
