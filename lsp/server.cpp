#include "lsp/server.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "lsp/uri.h"

namespace hearth::lsp {

namespace json = boost::json;

namespace {

constexpr int kSyncIncremental = 2;    // TextDocumentSyncKind
constexpr int kMessageWarning = 2;     // MessageType
constexpr int kInvokedCompletion = 1;  // CompletionTriggerKind

json::array trigger_characters() { return {".", ":", ">", "(", "[", "{", ",", "=", "\"", "'", "/"}; }

// UTF-16 whenever offered and by default (LSP, "PositionEncodingKind"), else the client's first choice.
PositionEncoding negotiated(const std::optional<std::vector<std::string>>& offered) {
  if (!offered || offered->empty()) return PositionEncoding::kUtf16;
  for (const auto encoding : {PositionEncoding::kUtf16, PositionEncoding::kUtf8, PositionEncoding::kUtf32}) {
    if (std::find(offered->begin(), offered->end(), name_of(encoding)) != offered->end()) return encoding;
  }
  return PositionEncoding::kUtf16;
}

std::string_view name_of(AnswerSource source) {
  switch (source) {
    case AnswerSource::kEngine: return "engine";
    case AnswerSource::kTypedThrough: return "typedThrough";
    case AnswerSource::kNone: return "none";
    case AnswerSource::kSuperseded: return "superseded";
  }
  return {};
}

const char* name_of(CompletionMethod method) {
  switch (method) {
    case CompletionMethod::kCompletion: return "textDocument/completion";
    case CompletionMethod::kInlineCompletion: return "textDocument/inlineCompletion";
    case CompletionMethod::kWhy: return "hearth/why";
  }
  return {};
}

}  // namespace

// Params that nobody reads.
struct AnyParams {};
static bool from_json(const json::value&, AnyParams&, const JsonPath&) { return true; }

struct AcceptParams {
  bool partial = false;
};
static bool from_json(const json::value& value, AcceptParams& out, const JsonPath& path) {
  const ObjectMapper fields(value, path);
  std::optional<bool> partial;
  if (!fields || !fields.map_optional("partial", partial)) return false;
  out.partial = partial.value_or(false);
  return true;
}

Server::Server(ServerOptions options, ServerHooks hooks, Clock& clock, Logger& logger)
    : options_(std::move(options)),
      hooks_(std::move(hooks)),
      clock_(clock),
      logger_(logger),
      endpoint_(
          hooks_.send, [this](std::string_view method) { return gate(method); }, logger),
      documents_(logger) {
  register_lifecycle();
  register_documents();
  register_features();
}

Server::~Server() = default;

void Server::receive_broken(std::string_view problem) {
  endpoint_.report({RpcCode::kParseError, std::string(problem)});
}

std::optional<RpcError> Server::gate(std::string_view method) const {
  if (method == "exit") return std::nullopt;
  if (phase_ == Phase::kShutDown) return RpcError{RpcCode::kInvalidRequest, "the server has been shut down"};
  if (method == "initialize") {
    if (phase_ == Phase::kFresh) return std::nullopt;
    return RpcError{RpcCode::kInvalidRequest, "the server has been initialized already"};
  }
  if (phase_ == Phase::kFresh) {
    return RpcError{RpcCode::kServerNotInitialized, "the first request must be initialize"};
  }
  return std::nullopt;
}

void Server::register_lifecycle() {
  endpoint_.on_request<InitializeParams>("initialize", [this](InitializeParams params, Reply reply) {
    reply.result(initialize(std::move(params)));
  });
  endpoint_.on_notification<AnyParams>("initialized", [this](AnyParams) { initialized(); });
  endpoint_.on_request<AnyParams>("shutdown", [this](AnyParams, Reply reply) {
    completions_->drain();
    phase_ = Phase::kShutDown;
    reply.result(nullptr);
  });
  endpoint_.on_notification<AnyParams>("exit", [this](AnyParams) { hooks_.exit(); });
  endpoint_.on_notification<SetTraceParams>(
      "$/setTrace", [this](SetTraceParams params) { trace_ = std::string_view(params.value) != "off"; });
  endpoint_.on_notification<DidChangeConfigurationParams>(
      "workspace/didChangeConfiguration", [this](DidChangeConfigurationParams params) {
        if (params.settings.is_null() && client_.configuration) return pull_configuration();
        configure(params.settings);
      });
  endpoint_.on_notification<DidChangeWorkspaceFoldersParams>(
      "workspace/didChangeWorkspaceFolders", [this](DidChangeWorkspaceFoldersParams params) {
        for (const WorkspaceFolder& folder : params.removed) {
          if (const auto path = path_of_uri(folder.uri)) std::erase(roots_, *path);
        }
        for (const WorkspaceFolder& folder : params.added) {
          if (auto path = path_of_uri(folder.uri)) roots_.push_back(std::move(*path));
        }
      });
}

void Server::register_documents() {
  endpoint_.on_notification<DidOpenTextDocumentParams>(
      "textDocument/didOpen", [this](DidOpenTextDocumentParams params) {
        touched(documents_.open(std::move(params.textDocument)), 0);
      });
  endpoint_.on_notification<DidChangeTextDocumentParams>(
      "textDocument/didChange", [this](DidChangeTextDocumentParams params) {
        if (const Snapshot document = documents_.change(params)) touched(document, document->last_edit());
      });
  endpoint_.on_notification<DidCloseTextDocumentParams>("textDocument/didClose",
                                                        [this](DidCloseTextDocumentParams params) {
                                                          documents_.close(params.textDocument.uri);
                                                          completions_->closed(params.textDocument.uri);
                                                        });
  endpoint_.on_notification<DidFocusParams>("hearth/didFocus", [this](DidFocusParams params) {
    const Snapshot document = params.textDocument ? documents_.find(params.textDocument->uri) : nullptr;
    if (!document) return;
    touched(document, params.position ? document->offset(*params.position, documents_.encoding())
                                      : document->last_edit());
  });
}

void Server::register_features() {
  endpoint_.on_request<CompletionParams>(
      "textDocument/completion",
      [this](CompletionParams params, Reply reply) { complete(std::move(params), std::move(reply)); });
  endpoint_.on_request<InlineCompletionParams>("textDocument/inlineCompletion",
                                               [this](InlineCompletionParams params, Reply reply) {
                                                 complete_inline(std::move(params), std::move(reply));
                                               });
  endpoint_.on_request<StatusParams>(
      "hearth/status", [this](StatusParams params, Reply reply) { reply.result(status(params)); });
  endpoint_.on_request<WhyParams>(
      "hearth/why", [this](WhyParams params, Reply reply) { explain(std::move(params), std::move(reply)); });
  endpoint_.on_request<ExecuteCommandParams>(
      "workspace/executeCommand", [this](ExecuteCommandParams params, Reply reply) {
        if (params.command != kAcceptedCommand) {
          return reply.error({RpcCode::kInvalidParams, fmt::format("no command {}", params.command)});
        }
        ++accepted_;
        reply.result(nullptr);
      });
  endpoint_.on_notification<AcceptParams>(
      "hearth/didAccept", [this](AcceptParams params) { ++(params.partial ? partly_accepted_ : accepted_); });
  endpoint_.on_notification<AnyParams>("hearth/didReject", [this](AnyParams) { ++rejected_; });
}

json::value Server::initialize(InitializeParams params) {
  client_ = std::move(params);
  documents_.set_encoding(negotiated(client_.positionEncodings));
  if (client_.workspaceFolders) {
    for (const WorkspaceFolder& folder : *client_.workspaceFolders) {
      if (auto path = path_of_uri(folder.uri)) roots_.push_back(std::move(*path));
    }
  } else if (client_.rootUri) {
    if (auto path = path_of_uri(*client_.rootUri)) roots_.push_back(std::move(*path));
  }
  client_options_ = read_client_options(client_.initializationOptions);
  configure(nullptr);
  JobRouter& router = hooks_.engine(settings_);
  engine_watch_.emplace(router, endpoint_,
                        client_.workDoneProgress ? ProgressSupport::kWorkDone : ProgressSupport::kNone);
  completions_.emplace(options_.session, router, clock_, logger_, [this] { engine_watch_->refresh(); });
  completions_->configure(settings_);
  completions_->run_exactly(client_options_.exact_tokens);
  if (client_.processId && *client_.processId > 0)
    hooks_.watch_client(static_cast<pid_t>(*client_.processId));
  phase_ = Phase::kRunning;
  return {{"capabilities",
           {{"positionEncoding", lsp::name_of(documents_.encoding())},
            {"textDocumentSync", {{"openClose", true}, {"change", kSyncIncremental}}},
            {"completionProvider", {{"triggerCharacters", trigger_characters()}, {"resolveProvider", false}}},
            {"inlineCompletionProvider", json::object()},
            {"executeCommandProvider", {{"commands", {kAcceptedCommand}}}},
            {"workspace", {{"workspaceFolders", {{"supported", true}, {"changeNotifications", true}}}}}}},
          {"serverInfo", {{"name", "hearth"}, {"version", options_.version}}}};
}

void Server::initialized() {
  engine_watch_->start();
  if (client_.configuration) pull_configuration();
}

void Server::pull_configuration() {
  endpoint_.request("workspace/configuration", {{"items", {{{"section", "hearth"}}}}},
                    [this](const json::value* result) {
                      const json::array* items = result ? result->if_array() : nullptr;
                      if (items && !items->empty() && items->front().is_object()) configure(items->front());
                    });
}

void Server::configure(const json::value& client_settings) {
  const std::string model = settings_.model_path;
  SettingsReading reading = read_settings(merged_settings(client_options_.settings, client_settings));
  settings_ = std::move(reading.settings);
  if (options_.log_level_from == ServerOptions::LogLevelFrom::kSettings)
    logger_.set_level(settings_.log_level);
  for (const std::string& problem : reading.problems) {
    logger_.write(LogLevel::kWarning, problem);
    endpoint_.notify("window/logMessage", {{"type", kMessageWarning}, {"message", "Hearth: " + problem}});
  }
  if (!completions_) return;
  if (settings_.model_path != model) {
    logger_.write(LogLevel::kInfo, "another model.path is used from the next start on");
  }
  completions_->configure(settings_);
}

void Server::touched(const Snapshot& document, std::size_t cursor) {
  completions_->touched(document, cursor, path_in_workspace(document->uri(), roots_));
}

Urgency Server::urgency_of(const InlineCompletionContext& context) {
  constexpr int kInvoked318 = 1, kAutomatic318 = 2;
  if (context.triggerKind == kAutomatic318) client_options_.trigger_kinds = TriggerKinds::k318;
  const bool by_hand = context.triggerKind == 0 || (context.triggerKind == kInvoked318 &&
                                                    client_options_.trigger_kinds == TriggerKinds::k318);
  return by_hand ? Urgency::kByHand : Urgency::kAutomatic;
}

void Server::complete(CompletionParams params, Reply reply) {
  const Snapshot document = documents_.find(params.textDocument.uri);
  if (!document) {
    return reply.error({RpcCode::kInvalidParams, fmt::format("{} is not open", params.textDocument.uri)});
  }
  if (!settings_.completion_menu) {
    return reply.result({{"isIncomplete", false}, {"items", json::array()}});
  }
  // Editors that draw inline completions ask for both at each key; the others ask for what the user wants.
  const bool typing = client_.inlineCompletion ||
                      params.context.value_or(CompletionContext{}).triggerKind != kInvokedCompletion;
  const PopupLines lines =
      settings_.completion_multi_line == MultiLine::kAlways ? PopupLines::kAll : PopupLines::kFirst;
  CompletionQuery query;
  query.document = document;
  query.cursor = document->offset(params.position, documents_.encoding());
  query.method = CompletionMethod::kCompletion;
  query.urgency = typing ? Urgency::kAutomatic : Urgency::kByHand;
  query.extent = lines == PopupLines::kFirst && !client_.inlineCompletion ? Extent::kLine : Extent::kAuto;
  const std::size_t cursor = query.cursor;
  ask(std::move(query), std::move(reply),
      [document, cursor, lines, encoding = documents_.encoding()](const CompletionAnswer& answer) {
        return json::value(completion_list(*document, cursor, answer.insertions, lines, encoding));
      });
}

void Server::complete_inline(InlineCompletionParams params, Reply reply) {
  const Snapshot document = documents_.find(params.textDocument.uri);
  if (!document) {
    return reply.error({RpcCode::kInvalidParams, fmt::format("{} is not open", params.textDocument.uri)});
  }
  const InlineCompletionContext context = params.context.value_or(InlineCompletionContext{});
  InlinePlace place =
      inline_place(document, params.position, context.selectedCompletionInfo, documents_.encoding());
  CompletionQuery query;
  query.document = place.document;
  query.cursor = place.cursor;
  query.method = CompletionMethod::kInlineCompletion;
  query.urgency = urgency_of(context);
  query.extent = params.extent;
  ask(std::move(query), std::move(reply),
      [place = std::move(place), encoding = documents_.encoding()](const CompletionAnswer& answer) {
        return json::value(inline_completion_list(place, answer.insertions, encoding));
      });
}

void Server::ask(CompletionQuery query, Reply reply,
                 std::function<json::value(const CompletionAnswer&)> as_result) {
  query.path = path_in_workspace(query.document->uri(), roots_);
  const char* const method = name_of(query.method);
  // Shared, because functions must be copyable.
  const auto shared_reply = std::make_shared<Reply>(std::move(reply));
  const CompletionService::Ticket ticket = completions_->ask(
      std::move(query),
      [this, shared_reply, method, as_result = std::move(as_result)](CompletionAnswer answer) {
        const bool superseded = answer.source == AnswerSource::kSuperseded;
        shared_reply->result(superseded ? json::value(nullptr) : as_result(answer));
        report(method, answer);
      });
  shared_reply->on_cancel([this, ticket] { completions_->cancel(ticket); });
}

void Server::report(const char* method, const CompletionAnswer& answer) {
  if (client_options_.reports == AnswerReports::kOn) {
    endpoint_.notify("hearth/answer", {{"method", method},
                                       {"source", name_of(answer.source)},
                                       {"suggestions", answer.insertions.size()},
                                       {"usage",
                                        {{"promptTokens", answer.usage.prompt_tokens},
                                         {"cachedTokens", answer.usage.cached_tokens},
                                         {"generatedTokens", answer.usage.generated_tokens},
                                         {"draftedTokens", answer.usage.drafted_tokens},
                                         {"acceptedTokens", answer.usage.accepted_tokens}}},
                                       {"timings",
                                        {{"queueMs", answer.timings.queue_ms},
                                         {"prefillMs", answer.timings.prefill_ms},
                                         {"firstTokenMs", answer.timings.first_token_ms},
                                         {"decodeMs", answer.timings.decode_ms},
                                         {"totalMs", answer.timings.total_ms}}}});
  }
  if (trace_) {
    endpoint_.notify("$/logTrace",
                     {{"message", fmt::format("{}: {}, {} suggestions", method, name_of(answer.source),
                                              answer.insertions.size())}});
  }
}

void Server::explain(WhyParams params, Reply reply) {
  const Snapshot document = documents_.find(params.textDocument.uri);
  if (!document) {
    return reply.error({RpcCode::kInvalidParams, fmt::format("{} is not open", params.textDocument.uri)});
  }
  const engine::EngineStatus status = engine_watch_->engine_status();
  const Silence silence = silence_here(*document, settings_, status);
  if (silence != Silence::kNone) return reply.result(explanation(silence, *document, settings_, status));
  CompletionQuery query;
  query.document = document;
  query.cursor = document->offset(params.position, documents_.encoding());
  query.method = CompletionMethod::kWhy;
  query.urgency = Urgency::kByHand;
  ask(std::move(query), std::move(reply), [this, document, status](const CompletionAnswer& answer) {
    return json::value(explanation(answer.silence, *document, settings_, status));
  });
}

json::object Server::status(const StatusParams& params) const {
  json::object out = engine_watch_->status();
  if (const Snapshot here = params.textDocument ? documents_.find(params.textDocument->uri) : nullptr) {
    const engine::EngineStatus status = engine_watch_->engine_status();
    out["here"] = explanation(silence_here(*here, settings_, status), *here, settings_, status);
  }
  const CompletionCounts& counts = completions_->counts();
  out["engine"] = engine_watch_->load();
  out["enabled"] = settings_.enable;
  out["version"] = options_.version;
  out["documents"] = documents_.size();
  out["completions"] = {{"queries", counts.queries},
                        {"engineAnswers", counts.engine_answers},
                        {"typedThrough", counts.typed_through},
                        {"empty", counts.empty},
                        {"superseded", counts.superseded},
                        {"cancelled", counts.cancelled},
                        {"accepted", accepted_},
                        {"partlyAccepted", partly_accepted_},
                        {"rejected", rejected_}};
  return out;
}

}  // namespace hearth::lsp
