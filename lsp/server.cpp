#include "lsp/server.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "lsp/answer_report.h"
#include "lsp/left_out.h"
#include "lsp/uri.h"

namespace hearth::lsp {

namespace json = boost::json;

namespace {

constexpr std::chrono::seconds kKeepEvery(30);  // statistics
constexpr int kSyncIncremental = 2;             // TextDocumentSyncKind

json::array trigger_characters() { return {".", ":", ">", "(", "[", "{", ",", "=", "\"", "'", "/"}; }

// UTF-16 whenever offered and by default (LSP, "PositionEncodingKind"), else the client's first choice.
PositionEncoding negotiated(const std::optional<std::vector<std::string>>& offered) {
  if (!offered || offered->empty()) return PositionEncoding::kUtf16;
  for (const auto encoding : {PositionEncoding::kUtf16, PositionEncoding::kUtf8, PositionEncoding::kUtf32}) {
    if (std::find(offered->begin(), offered->end(), name_of(encoding)) != offered->end()) return encoding;
  }
  return PositionEncoding::kUtf16;
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

Server::Server(ServerOptions options, ServerHooks hooks, Clock& clock, Logger& logger)
    : options_(std::move(options)),
      hooks_(std::move(hooks)),
      clock_(clock),
      logger_(logger),
      endpoint_(
          hooks_.send, [this](std::string_view method) { return gate(method); }, logger),
      documents_(logger),
      notebooks_(documents_) {
  register_lifecycle();
  register_documents();
  register_features();
}

Server::~Server() {
  if (keeping_) clock_.cancel(*keeping_);
  statistics_.close_all();
  keep_statistics();
}

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
    if (workspaces_) workspaces_->serve({}, settings_);
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
        serve_workspaces();
      });
}

void Server::register_documents() {
  endpoint_.on_notification<DidOpenTextDocumentParams>(
      "textDocument/didOpen",
      [this](DidOpenTextDocumentParams params) { opened(documents_.open(std::move(params.textDocument))); });
  endpoint_.on_notification<DidChangeTextDocumentParams>(
      "textDocument/didChange", [this](DidChangeTextDocumentParams params) {
        if (const Snapshot document = documents_.change(params)) changed(document);
      });
  endpoint_.on_notification<DidCloseTextDocumentParams>("textDocument/didClose",
                                                        [this](DidCloseTextDocumentParams params) {
                                                          documents_.close(params.textDocument.uri);
                                                          closed(params.textDocument.uri);
                                                        });
  endpoint_.on_notification<DidOpenNotebookDocumentParams>(
      "notebookDocument/didOpen", [this](DidOpenNotebookDocumentParams params) {
        const std::vector<NotebookCell> cells = params.cells;
        notebooks_.open(std::move(params));
        for (const NotebookCell& cell : cells) {
          if (const Snapshot document = documents_.find(cell.document)) opened(document);
        }
      });
  endpoint_.on_notification<DidChangeNotebookDocumentParams>(
      "notebookDocument/didChange", [this](const DidChangeNotebookDocumentParams& params) {
        notebooks_.change(params);
        for (const TextDocumentIdentifier& cell : params.didClose) closed(cell.uri);
        for (const TextDocumentItem& cell : params.didOpen) {
          if (const Snapshot document = documents_.find(cell.uri)) opened(document);
        }
        for (const DidChangeTextDocumentParams& text : params.textContent) {
          if (const Snapshot document = documents_.find(text.textDocument.uri)) changed(document);
        }
      });
  endpoint_.on_notification<DidCloseNotebookDocumentParams>(
      "notebookDocument/didClose", [this](const DidCloseNotebookDocumentParams& params) {
        notebooks_.close(params);
        for (const TextDocumentIdentifier& cell : params.cellTextDocuments) closed(cell.uri);
        completions_->closed(params.uri);
      });
  endpoint_.on_notification<DidFocusParams>("hearth/didFocus", [this](DidFocusParams params) {
    const Snapshot document = params.textDocument ? documents_.find(params.textDocument->uri) : nullptr;
    if (!document) return;
    note_left_out(document);
    const std::size_t cursor =
        params.position ? document->offset(*params.position, documents_.encoding()) : document->last_edit();
    touched(document, cursor, Attention::kLooks);
  });
}

void Server::register_features() {
  endpoint_.on_request<CompletionParams>(
      "textDocument/completion",
      [this](CompletionParams params, Reply reply) { complete(std::move(params), std::move(reply)); });
  endpoint_.on_request<CompletionItem>("completionItem/resolve", [this](CompletionItem item, Reply reply) {
    reply.result(resolved_item(std::move(item.all), sent_menu_));
  });
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
        const json::string* uri = params.arguments.empty() ? nullptr : params.arguments.front().if_string();
        statistics_.confirmed(uri ? canonical_uri(*uri) : "");
        reply.result(nullptr);
      });
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
  std::vector<std::string> problems = take_settings(nullptr);
  JobRouter& router = hooks_.engine(settings_);
  engine_watch_.emplace(router, endpoint_,
                        client_.workDoneProgress ? ProgressSupport::kWorkDone : ProgressSupport::kNone);
  engine_watch_->set_problems(std::move(problems));
  memory_.emplace(router.engine(), clock_.now().time_since_epoch().count());
  memory_->set_enabled(settings_.memory_enable);
  completions_.emplace(options_.session, router, clock_, logger_, [this] { engine_watch_->refresh(); });
  if (hooks_.workspaces) {
    index_watch_.emplace(endpoint_, logger_,
                         client_.workDoneProgress ? ProgressSupport::kWorkDone : ProgressSupport::kNone);
    workspaces_ = hooks_.workspaces(router, [this](const IndexNews& news) { index_watch_->hear(news); });
    completions_->use(*workspaces_);
  }
  if (hooks_.plans) completions_->use(*hooks_.plans);
  completions_->use(hooks_.journal);
  completions_->configure(settings_);
  completions_->run_exactly(client_options_.exact_tokens);
  if (client_.processId && *client_.processId > 0)
    hooks_.watch_client(static_cast<pid_t>(*client_.processId));
  phase_ = Phase::kRunning;
  return {{"capabilities",
           {{"positionEncoding", lsp::name_of(documents_.encoding())},
            {"textDocumentSync", {{"openClose", true}, {"change", kSyncIncremental}}},
            {"notebookDocumentSync",
             {{"notebookSelector", {{{"notebook", "*"}, {"cells", {{{"language", "*"}}}}}}}}},
            {"completionProvider", {{"triggerCharacters", trigger_characters()}, {"resolveProvider", true}}},
            {"inlineCompletionProvider", json::object()},
            {"executeCommandProvider", {{"commands", {kAcceptedCommand}}}},
            {"workspace", {{"workspaceFolders", {{"supported", true}, {"changeNotifications", true}}}}}}},
          {"serverInfo", {{"name", "hearth"}, {"version", options_.version}}}};
}

void Server::initialized() {
  engine_watch_->start();
  // Settings that are about to come may forbid it.
  if (!client_.configuration) serve_workspaces();
  if (client_.configuration) pull_configuration();
}

void Server::pull_configuration() {
  endpoint_.request("workspace/configuration", {{"items", {{{"section", "hearth"}}}}},
                    [this](const json::value* result) {
                      const json::array* items = result ? result->if_array() : nullptr;
                      if (items && !items->empty() && items->front().is_object()) configure(items->front());
                      if (!initialized_ && phase_ == Phase::kRunning) serve_workspaces();
                    });
}

std::vector<std::string> Server::take_settings(const json::value& client_settings) {
  SettingsReading reading = read_settings(configured(client_options_.settings, client_settings));
  settings_ = std::move(reading.settings);
  if (options_.log_level_from == ServerOptions::LogLevelFrom::kSettings)
    logger_.set_level(settings_.log_level);
  for (const std::string& problem : reading.problems) logger_.write(LogLevel::kWarning, problem);
  return std::move(reading.problems);
}

void Server::configure(const json::value& client_settings) {
  const std::string model = settings_.model_path;
  engine_watch_->set_problems(take_settings(client_settings));
  engine_watch_->refresh();
  if (settings_.model_path != model) {
    logger_.write(LogLevel::kInfo, "another model.path is used from the next start on");
  }
  memory_->set_enabled(settings_.memory_enable);
  completions_->configure(settings_);
  if (phase_ == Phase::kRunning && initialized_) serve_workspaces();
}

void Server::serve_workspaces() {
  initialized_ = true;
  if (workspaces_) workspaces_->serve(roots_, settings_);
}

void Server::opened(const Snapshot& document) {
  left_out_.erase(document->uri());  // it may hold another text than when it was open before
  note_left_out(document);
  touched(document, 0, Attention::kLooks);
}

void Server::changed(const Snapshot& document) {
  statistics_.edited(document);
  memory_->changed(document);
  touched(document, document->last_edit(), Attention::kChanges);
}

void Server::closed(const std::string& uri) {
  left_out_.erase(uri);
  kept_in_.erase(notebooks_.owner(uri));
  statistics_.closed(uri);
  if (const auto let_go = memory_->closed(uri); let_go && workspaces_) workspaces_->forgotten(*let_go);
  completions_->closed(uri);
}

void Server::note_left_out(const Snapshot& document) {
  const std::string& uri = document->uri();
  const std::string owner = notebooks_.owner(uri);
  const Silence why = left_out_of(owner, roots_);
  if (why == Silence::kNone && workspaces_) {
    kept_in_[owner] = workspaces_->keeper_of(document_name(owner));
  } else {
    kept_in_.erase(owner);
  }
  const auto [known, is_new] = left_out_.try_emplace(uri, why);
  if (!is_new && std::exchange(known->second, why) == why) return;
  if (why == Silence::kNone) {
    if (workspaces_) workspaces_->opened(document_name(uri));
    return memory_->opened(document);
  }
  memory_->forget(uri);
  completions_->forget(uri);
}

Silence Server::left_out(const std::string& uri) const {
  const auto found = left_out_.find(uri);
  return found == left_out_.end() ? Silence::kNone : found->second;
}

void Server::touched(const Snapshot& document, std::size_t cursor, Attention attention) {
  if (left_out(document->uri()) != Silence::kNone) return;
  const DocumentPlace place = notebooks_.joined({document, cursor});
  completions_->touched(query_at(place, CompletionMethod::kInlineCompletion), attention);
}

void Server::keep_statistics_later() {
  if (keeping_) return;
  keeping_ = clock_.after(kKeepEvery, [this] {
    keeping_.reset();
    keep_statistics();
  });
}

void Server::keep_statistics() {
  std::vector<FolderStatistics> statistics = statistics_.take();
  if (!statistics.empty() && hooks_.keep_statistics) hooks_.keep_statistics(std::move(statistics));
}

Urgency Server::urgency_of(const InlineCompletionContext& context) {
  constexpr int kInvoked318 = 1, kAutomatic318 = 2;
  if (context.triggerKind == kAutomatic318) client_options_.trigger_kinds = TriggerKinds::k318;
  const bool by_hand = context.triggerKind == 0 || (context.triggerKind == kInvoked318 &&
                                                    client_options_.trigger_kinds == TriggerKinds::k318);
  return by_hand ? Urgency::kByHand : Urgency::kAutomatic;
}

void Server::complete_inline(InlineCompletionParams params, Reply reply) {
  const Snapshot document = documents_.find(params.textDocument.uri);
  if (!document) {
    return reply.error({RpcCode::kInvalidParams, fmt::format("{} is not open", params.textDocument.uri)});
  }
  const InlineCompletionContext context = params.context.value_or(InlineCompletionContext{});
  InlinePlace place =
      inline_place(document, params.position, context.selectedCompletionInfo, documents_.encoding());
  CompletionQuery query =
      query_at(notebooks_.joined({place.document, place.cursor}), CompletionMethod::kInlineCompletion);
  query.left_out = left_out(document->uri());
  query.urgency = urgency_of(context);
  query.extent = params.extent;
  ask(std::move(query), std::move(reply),
      [this, place = std::move(place), encoding = documents_.encoding()](
          const CompletionAnswer& answer, const std::shared_ptr<Reply>& asker) {
        if (place.selected_text.empty()) note_shown({place.client, place.begin}, answer);
        asker->result(inline_completion_list(place, answer.insertions, encoding));
      });
}

CompletionQuery Server::query_at(const DocumentPlace& place, CompletionMethod method) const {
  CompletionQuery query;
  query.document = place.document;
  query.cursor = place.cursor;
  query.path = path_in_workspace(place.document->uri(), roots_);
  query.method = method;
  if (const auto kept = kept_in_.find(place.document->uri()); kept != kept_in_.end())
    query.workspace = kept->second;
  return query;
}

void Server::note_shown(const DocumentPlace& client, const CompletionAnswer& answer) {
  if (answer.source == AnswerSource::kNone) return;
  statistics_.shown(client.document, folder_of_uri(notebooks_.owner(client.document->uri()), roots_),
                    client.cursor, answer.insertions);
}

void Server::ask(CompletionQuery query, Reply reply, Finish finish) {
  const CompletionMethod asked_for = query.method;
  const char* const method = name_of(asked_for);
  // Shared, because functions must be copyable.
  const auto shared_reply = std::make_shared<Reply>(std::move(reply));
  const auto asked = clock_.now();
  const Snapshot document = query.document;
  const CompletionService::Ticket ticket =
      completions_->ask(std::move(query), [this, shared_reply, asked_for, method, asked, document,
                                           finish = std::move(finish)](const CompletionAnswer& answer) {
        const bool superseded = answer.source == AnswerSource::kSuperseded;
        const bool made =
            answer.source == AnswerSource::kEngine || answer.source == AnswerSource::kTypedThrough;
        if (made && asked_for != CompletionMethod::kWhy) {
          statistics_.answered(document, folder_of_uri(document->uri(), roots_), clock_.now() - asked);
          keep_statistics_later();
        }
        superseded ? shared_reply->result(nullptr) : finish(answer, shared_reply);
        report(method, answer);
      });
  shared_reply->on_cancel([this, ticket] { completions_->cancel(ticket); });
}

void Server::report(const char* method, const CompletionAnswer& answer) {
  if (client_options_.reports == AnswerReports::kOn)
    endpoint_.notify("hearth/answer", answer_report(method, answer));
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
  Silence silence = left_out(document->uri());
  if (silence == Silence::kNone) silence = silence_here(*document, settings_, status);
  if (silence != Silence::kNone) return reply.result(explanation(silence, *document, settings_, status));
  const std::size_t cursor = document->offset(params.position, documents_.encoding());
  CompletionQuery query = query_at(notebooks_.joined({document, cursor}), CompletionMethod::kWhy);
  query.urgency = Urgency::kByHand;
  ask(std::move(query), std::move(reply),
      [this, document, status](const CompletionAnswer& answer, const std::shared_ptr<Reply>& asker) {
        asker->result(explanation(answer.silence, *document, settings_, status));
      });
}

json::object Server::status(const StatusParams& params) const {
  json::object out = engine_watch_->status();
  if (const Snapshot here = params.textDocument ? documents_.find(params.textDocument->uri) : nullptr) {
    const engine::EngineStatus status = engine_watch_->engine_status();
    Silence silence = left_out(here->uri());
    if (silence == Silence::kNone) silence = silence_here(*here, settings_, status);
    json::object about = explanation(silence, *here, settings_, status);
    about["disabledAs"] = disabled_as(*here, settings_);
    about["text"] = {{"version", here->version()},
                     {"bytes", here->text().size()},
                     {"hash", fmt::format("{:016x}", here->hash())}};
    out["here"] = std::move(about);
  }
  const CompletionCounts& counts = completions_->counts();
  out["engine"] = engine_watch_->load();
  out["enabled"] = settings_.enable;
  if (index_watch_) out["index"] = index_watch_->status();
  out["version"] = options_.version;
  out["documents"] = documents_.size();
  out["completions"] = {{"queries", counts.queries},
                        {"engineAnswers", counts.engine_answers},
                        {"typedThrough", counts.typed_through},
                        {"empty", counts.empty},
                        {"superseded", counts.superseded},
                        {"cancelled", counts.cancelled}};
  const cache::SuggestionCounts& session = statistics_.session();
  out["suggestions"] = {{"shown", session.shown},
                        {"accepted", session.accepted},
                        {"partlyAccepted", session.partly_accepted},
                        {"typedThrough", session.typed_through},
                        {"displaced", session.displaced},
                        {"characters", session.characters}};
  return out;
}

}  // namespace hearth::lsp
