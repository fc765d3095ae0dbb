#include "lsp/session.h"

#include <boost/json.hpp>
#include <gtest/gtest.h>
#include <optional>
#include <signal.h>
#include <string>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "lsp/engine_pump.h"
#include "tests/support/fake_engine.h"

namespace hearth::lsp {
namespace {

namespace json = boost::json;
using Descriptor = Transport::Descriptor;

// A session on a socket pair, with a real event loop and the pump's thread; the test is the client.
class SessionFixture {
 public:
  SessionFixture() {
    signal(SIGPIPE, SIG_IGN);
    int ends[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    client_ = ends[0];
    session_.emplace(context_, ServerOptions{.version = "1", .session = "test"}, Descriptor(io_, ends[1]),
                     Descriptor(io_, dup(ends[1])), [this](int code) { exit_code = code; });
    session_->start();
  }

  ~SessionFixture() { close_client(); }

  void close_client() {
    if (client_ >= 0) close(client_);
    client_ = -1;
  }

  void half_close_client() { shutdown(client_, SHUT_WR); }

  void send_bytes(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(client_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent > 0) {
        bytes.remove_prefix(static_cast<std::size_t>(sent));
      } else {
        io_.run_one();
      }
    }
  }

  void send(const json::object& message) { send_bytes(encode_frame(json::serialize(message))); }

  void request(int id, std::string_view method, json::value params) {
    send({{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", std::move(params)}});
  }

  void notify(std::string_view method, json::value params) {
    send({{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}});
  }

  // The next message that answers something; notifications are skipped.
  json::object next_answer() {
    while (true) {
      while (auto frame = decoder_.next()) {
        json::object message = json::parse(std::get<std::string>(*frame)).as_object();
        if (!message.contains("method")) return message;
      }
      char chunk[4096];
      const ssize_t got = recv(client_, chunk, sizeof chunk, MSG_DONTWAIT);
      if (got > 0) {
        decoder_.feed({chunk, static_cast<std::size_t>(got)});
      } else if (got == 0 || io_.run_one_for(std::chrono::seconds(20)) == 0) {
        return {};  // closed, or nothing more happens
      }
    }
  }

  void initialize(json::value process = nullptr) {
    request(1, "initialize", {{"processId", std::move(process)}, {"capabilities", json::object()}});
    EXPECT_EQ(next_answer().at("id"), 1);
    notify("initialized", json::object());
  }

  void run_to_the_end() {
    while (!exit_code && io_.run_one_for(std::chrono::seconds(20)) > 0) {
    }
  }

  std::optional<int> exit_code;
  tests::FakeEngine engine;

 private:
  boost::asio::io_context io_{1};
  AsioClock clock_{io_};
  Logger logger_{nullptr};
  JobRouter router_{engine};
  EnginePump pump_{router_, io_};
  SessionContext context_{io_, clock_, logger_, [this](const Settings&) -> JobRouter& { return router_; }};
  std::optional<Session> session_;
  FrameDecoder decoder_;
  int client_ = -1;
};

TEST(Session, GoesFromInitializeToExit) {
  SessionFixture fixture;
  fixture.initialize();
  fixture.notify(
      "textDocument/didOpen",
      {{"textDocument",
        {{"uri", "file:///a.py"}, {"languageId", "python"}, {"version", 1}, {"text", "value = \n"}}}});
  fixture.request(2, "textDocument/inlineCompletion",
                  {{"textDocument", {{"uri", "file:///a.py"}}},
                   {"position", {{"line", 0}, {"character", 8}}},
                   {"context", {{"triggerKind", 0}}}});
  fixture.request(3, "hearth/status", nullptr);
  EXPECT_EQ(fixture.next_answer().at("id"), 3);  // the protocol thread does not wait for the engine
  fixture.engine.finish(fixture.engine.open().front(), {"compute()"});
  EXPECT_EQ(fixture.next_answer().at("result").at("items").at(0).at("insertText"), "compute()");
  fixture.request(4, "shutdown", nullptr);
  EXPECT_EQ(fixture.next_answer().at("id"), 4);
  fixture.notify("exit", nullptr);
  fixture.run_to_the_end();
  EXPECT_EQ(fixture.exit_code, 0);
}

TEST(Session, EndsWhenTheClientClosesTheStream) {
  SessionFixture fixture;
  fixture.initialize();
  fixture.close_client();
  fixture.run_to_the_end();
  EXPECT_EQ(fixture.exit_code, 1);
}

TEST(Session, WritesWhatItHasAnsweredBeforeItEnds) {
  SessionFixture fixture;
  fixture.request(1, "initialize", {{"capabilities", json::object()}});
  fixture.request(2, "shutdown", nullptr);
  fixture.half_close_client();
  EXPECT_EQ(fixture.next_answer().at("id"), 1);
  EXPECT_EQ(fixture.next_answer().at("id"), 2);
  fixture.run_to_the_end();
  EXPECT_EQ(fixture.exit_code, 0);
}

TEST(Session, EndsInTheMiddleOfAMessage) {
  SessionFixture fixture;
  fixture.initialize();
  fixture.send_bytes("Content-Length: 100\r\n\r\n{");
  fixture.half_close_client();
  fixture.run_to_the_end();
  EXPECT_EQ(fixture.exit_code, 1);
}

TEST(Session, EndsWhenTheClientsProcessDies) {
  SessionFixture fixture;
  const pid_t child = fork();
  if (child == 0) {
    pause();
    _exit(0);
  }
  fixture.initialize(child);
  EXPECT_FALSE(fixture.exit_code);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  fixture.run_to_the_end();
  EXPECT_EQ(fixture.exit_code, 1);
}

TEST(Session, EndsAtOnceWhenTheClientsProcessIsGoneAlready) {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  waitpid(child, nullptr, 0);
  SessionFixture fixture;
  fixture.initialize(child);
  fixture.run_to_the_end();
  EXPECT_EQ(fixture.exit_code, 1);
}

TEST(Session, AnswersBrokenMessagesAndGoesOn) {
  const std::string status = encode_frame(R"({"jsonrpc":"2.0","id":9,"method":"hearth/status"})");
  struct Case {
    const char* name;
    std::string bytes;
  };
  const std::vector<Case> cases{
      {"no length", "Content-Type: x\r\n\r\n{}"},
      {"no number", "Content-Length: x\r\n\r\n{}"},
      {"too much", "Content-Length: 99999999999\r\n\r\n{}"},
      {"too short", "Content-Length: 4\r\n\r\n{\"jsonrpc\":\"2.0\"}"},
      {"too long", "Content-Length: 9\r\n\r\n{}"},
      {"not JSON", encode_frame("{]")},
      {"not UTF-8", encode_frame("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\xfe\"}")},
      {"64 MiB of nothing", encode_frame(std::string(kMaxBodyBytes, 'x'))},
  };
  SessionFixture fixture;
  fixture.initialize();
  for (const Case& item : cases) {
    fixture.send_bytes(item.bytes + status);
    const json::object error = fixture.next_answer();
    ASSERT_TRUE(error.contains("error")) << item.name;
    EXPECT_EQ(error.at("id"), nullptr) << item.name;
    EXPECT_EQ(error.at("error").at("code"), -32700) << item.name;
    EXPECT_EQ(fixture.next_answer().at("id"), 9) << item.name;
  }
}

TEST(Session, TakesADocumentOf64MiB) {
  SessionFixture fixture;
  fixture.initialize();
  const std::string start =
      R"({"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///big.c","languageId":"c","version":1,"text":")";
  const std::string end = "\"}}}";
  std::string text(kMaxBodyBytes - start.size() - end.size(), 'x');
  for (std::size_t at = 100; at + 1 < text.size(); at += 100) text.replace(at, 2, "\\n");
  fixture.send_bytes(encode_frame(start + text + end));
  fixture.request(2, "hearth/status", nullptr);
  EXPECT_EQ(fixture.next_answer().at("result").at("documents"), 1);
}

}  // namespace
}  // namespace hearth::lsp
