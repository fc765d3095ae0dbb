// A server driven by hand: messages in by calls, messages out in a list, a fake engine behind it and a
// clock that the test turns. Everything runs inline.
#pragma once

#include <boost/json.hpp>
#include <cstdio>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lsp/job_router.h"
#include "lsp/server.h"
#include "tests/support/fake_contexts.h"
#include "tests/support/fake_engine.h"
#include "tests/support/manual_clock.h"

namespace hearth::tests {

namespace json = boost::json;

class ServerFixture {
 public:
  explicit ServerFixture(lsp::PlanStore* plans = nullptr)
      : server(
            {.version = "1.2.3", .session = "test"},
            {.send =
                 [this](std::string_view body) {
                   outgoing.push_back(json::parse(json::string_view(body.data(), body.size())).as_object());
                 },
             .engine = [this](const lsp::Settings& settings) -> lsp::JobRouter& {
               engine_settings = settings;
               return router;
             },
             .workspaces =
                 [this](lsp::JobRouter&, std::function<void(const lsp::IndexNews&)> told) {
                   auto made = std::make_unique<FakeContexts>();
                   contexts = made.get();
                   tell_of_index = std::move(told);
                   return made;
                 },
             .watch_client = [this](pid_t process) { watched = process; },
             .exit = [this] { ++exits; },
             .plans = plans,
             .keep_statistics =
                 [this](std::vector<lsp::FolderStatistics> statistics) {
                   for (lsp::FolderStatistics& folder : statistics) kept.push_back(std::move(folder));
                 }},
            clock, logger) {}

  void notify(std::string_view method, json::value params) {
    server.receive(
        json::serialize(json::object{{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}}));
  }

  std::int64_t request(std::string_view method, json::value params) {
    const std::int64_t id = ++last_id;
    server.receive(json::serialize(
        json::object{{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", std::move(params)}}));
    return id;
  }

  // Initialized, with what was sent so far forgotten.
  json::object initialize(json::object capabilities = {}, json::value options = nullptr,
                          std::string_view root = "file:///project") {
    const std::int64_t id = request("initialize", {{"processId", nullptr},
                                                   {"rootUri", root},
                                                   {"capabilities", std::move(capabilities)},
                                                   {"initializationOptions", std::move(options)}});
    notify("initialized", json::object());
    json::object result = response(id).at("result").as_object();
    outgoing.clear();
    return result;
  }

  void open(std::string_view text, std::string_view uri = "file:///project/a.py",
            std::string_view language = "python") {
    notify("textDocument/didOpen",
           {{"textDocument", {{"uri", uri}, {"languageId", language}, {"version", 1}, {"text", text}}}});
  }

  void insert(std::uint32_t line, std::uint32_t character, std::string_view text,
              std::string_view uri = "file:///project/a.py") {
    const json::object at{{"line", line}, {"character", character}};
    notify("textDocument/didChange",
           {{"textDocument", {{"uri", uri}, {"version", nullptr}}},
            {"contentChanges", {{{"range", {{"start", at}, {"end", at}}}, {"text", text}}}}});
  }

  std::int64_t ask_inline(std::uint32_t line, std::uint32_t character, int trigger = 1,
                          std::string_view uri = "file:///project/a.py") {
    return request("textDocument/inlineCompletion", {{"textDocument", {{"uri", uri}}},
                                                     {"position", {{"line", line}, {"character", character}}},
                                                     {"context", {{"triggerKind", trigger}}}});
  }

  std::int64_t ask_popup(std::uint32_t line, std::uint32_t character,
                         std::string_view uri = "file:///project/a.py") {
    return request("textDocument/completion", {{"textDocument", {{"uri", uri}}},
                                               {"position", {{"line", line}, {"character", character}}},
                                               {"context", {{"triggerKind", 1}}}});
  }

  // Lets the server see what the engine did.
  void pump() {
    while (const auto event = engine.wait(std::chrono::steady_clock::time_point::min()))
      router.deliver(*event);
  }

  // Ends warm-ups until there are no more.
  void warm_all() {
    for (auto jobs = engine.open(engine::Priority::kWarm); !jobs.empty();
         jobs = engine.open(engine::Priority::kWarm)) {
      engine.finish({.job = jobs.front(), .reason = engine::FinishReason::kWarmed});
      pump();
    }
  }

  // Ends the one open job that is no warm-up.
  void engine_says(const std::vector<std::string>& texts) {
    engine.finish(engine.open().front(), texts);
    pump();
  }

  std::vector<json::object> responses(const json::value& id) const {
    std::vector<json::object> found;
    for (const json::object& message : outgoing) {
      if (!message.contains("method") && message.at("id") == id) found.push_back(message);
    }
    return found;
  }

  bool answered(std::int64_t id) const { return !responses(id).empty(); }

  // The one response to a request; empty when there is none or more than one.
  json::object response(std::int64_t id) const {
    const auto found = responses(id);
    return found.size() == 1 ? found.front() : json::object();
  }

  json::value result(std::int64_t id) const {
    const json::object message = response(id);
    return message.contains("result") ? message.at("result") : json::value("no single result");
  }

  int error_code(std::int64_t id) const {
    const json::object message = response(id);
    return message.contains("error") ? static_cast<int>(message.at("error").at("code").as_int64()) : 0;
  }

  std::vector<json::value> notifications(std::string_view method) const {
    std::vector<json::value> found;
    for (const json::object& message : outgoing) {
      const json::value* name = message.if_contains("method");
      if (name && name->as_string() == method) found.push_back(message.at("params"));
    }
    return found;
  }

  // The texts of a list of inline completions.
  std::vector<std::string> inline_texts(std::int64_t id) const {
    std::vector<std::string> texts;
    const json::value list = result(id);
    if (!list.is_object()) return {"no list"};
    for (const json::value& item : list.at("items").as_array()) {
      texts.emplace_back(item.at("insertText").as_string());
    }
    return texts;
  }

  FakeContexts* contexts = nullptr;  // from `initialize` on
  std::function<void(const lsp::IndexNews&)> tell_of_index;
  FakeEngine engine;
  lsp::JobRouter router{engine};
  ManualClock clock;
  lsp::Logger logger{nullptr};
  std::vector<json::object> outgoing;
  std::optional<lsp::Settings> engine_settings;
  std::optional<pid_t> watched;
  std::vector<lsp::FolderStatistics> kept;
  int exits = 0;
  std::int64_t last_id = 0;
  lsp::Server server;
};

}  // namespace hearth::tests
