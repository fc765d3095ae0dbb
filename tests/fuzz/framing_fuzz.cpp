// A whole session fed with anything: framing, JSON-RPC, documents, completion requests. The first byte says
// how the stream is chopped up; with its high bit set the session is initialized first.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "lsp/framing.h"
#include "lsp/job_router.h"
#include "lsp/server.h"
#include "tests/support/fake_engine.h"
#include "tests/support/manual_clock.h"

using namespace hearth;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t chunk = 1 + (data[0] & 0x7f);
  const bool initialized = (data[0] & 0x80) != 0;
  const std::string_view stream(reinterpret_cast<const char*>(data) + 1, size - 1);

  tests::FakeEngine engine;
  tests::ManualClock clock;
  lsp::Logger logger(nullptr);
  lsp::JobRouter router(engine);
  lsp::Server server({.version = "0", .session = "fuzz"},
                     {.send = [](std::string_view) {},
                      .engine = [&](const lsp::Settings&) -> lsp::JobRouter& { return router; },
                      .watch_client = [](pid_t) {},
                      .exit = [] {}},
                     clock, logger);
  if (initialized) {
    server.receive(R"({"jsonrpc":"2.0","id":"i","method":"initialize","params":{"capabilities":{}}})");
    server.receive(R"({"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":)"
                   R"({"uri":"file:///a","languageId":"python","version":1,"text":"def f(x):\n    \n"}}})");
  }
  lsp::FrameDecoder decoder;
  for (std::size_t at = 0; at < stream.size(); at += chunk) {
    decoder.feed(stream.substr(at, chunk));
    while (const auto frame = decoder.next()) {
      if (const auto* error = std::get_if<lsp::FramingError>(&*frame)) {
        server.receive_broken(error->message);
        continue;
      }
      const std::string& body = std::get<std::string>(*frame);
      if (!server.receive(body)) decoder.reject(body);
      for (const engine::JobId job : engine.open(engine::Priority::kWarm))
        engine.finish(job, {"return x", "x"});
      while (const auto event = engine.wait(std::chrono::steady_clock::time_point::min()))
        router.deliver(*event);
      clock.advance(std::chrono::milliseconds(100));
    }
  }
  return 0;
}
