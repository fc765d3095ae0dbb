// One session of the language server: from `initialize` to `exit`. Messages come in by `receive` and go
// out by the function handed in. The protocol thread owns it; no call blocks.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

#include "lsp/client_options.h"
#include "lsp/clock.h"
#include "lsp/completion_items.h"
#include "lsp/completion_service.h"
#include "lsp/document_store.h"
#include "lsp/engine_watch.h"
#include "lsp/index_watch.h"
#include "lsp/json_rpc.h"
#include "lsp/logger.h"
#include "lsp/memory_feed.h"
#include "lsp/notebooks.h"
#include "lsp/settings.h"
#include "lsp/suggestion_statistics.h"
#include "lsp/word_items.h"
#include "lsp/workspace_contexts.h"

namespace hearth::lsp {

struct ServerOptions {
  std::string version;
  std::string session;  // names it to the engine
  enum class LogLevelFrom { kSettings, kCommandLine } log_level_from = LogLevelFrom::kSettings;
};

// What a session may ask of its surroundings.
struct ServerHooks {
  Endpoint::Send send;
  // The engine's router, which outlives the server; called once, with the settings that the client
  // initialized with.
  std::function<JobRouter&(const Settings& settings)> engine;
  // What the session's workspaces can say, with news of their index to `told`; empty: nothing. Called once,
  // after `engine`.
  std::function<std::unique_ptr<WorkspaceContexts>(JobRouter& engine,
                                                   std::function<void(const IndexNews&)> told)>
      workspaces;
  std::function<void(pid_t process)> watch_client;  // the session ends with this process
  std::function<void()> exit;                       // the client said `exit`
  PlanStore* plans = nullptr;                       // outlives the server
  // Called now and then, and at the session's end, with what became of suggestions meanwhile.
  std::function<void(std::vector<FolderStatistics> statistics)> keep_statistics;
  std::shared_ptr<indexer::ParseJournal> journal;  // of what is parsed; none: nobody is told
};

class Server {
 public:
  Server(ServerOptions options, ServerHooks hooks, Clock& clock, Logger& logger);
  ~Server();

  // False when the body is not JSON (the client has been told).
  bool receive(std::string_view body) { return endpoint_.receive(body); }

  // The stream held something that is no message.
  void receive_broken(std::string_view problem);

  // 0 after an orderly `shutdown`, else 1 (LSP, "Exit Notification").
  int exit_code() const { return phase_ == Phase::kShutDown ? 0 : 1; }

 private:
  enum class Phase { kFresh, kRunning, kShutDown };

  std::optional<RpcError> gate(std::string_view method) const;
  void register_lifecycle();
  void register_documents();
  void register_features();

  boost::json::value initialize(InitializeParams params);
  void initialized();
  void pull_configuration();
  // Gives what is wrong with them.
  std::vector<std::string> take_settings(const boost::json::value& client_settings);
  void configure(const boost::json::value& client_settings);

  void complete(CompletionParams params, Reply reply);
  bool wants_words(const CompletionQuery& query, const CompletionContext& context,
                   const CompletionAnswer& answer) const;
  void complete_inline(InlineCompletionParams params, Reply reply);
  void explain(WhyParams params, Reply reply);
  using Finish = std::function<void(const CompletionAnswer& answer, const std::shared_ptr<Reply>& asker)>;
  void ask(CompletionQuery query, Reply reply, Finish finish);
  void note_shown(const DocumentPlace& client, const CompletionAnswer& answer);
  void report(const char* method, const CompletionAnswer& answer);
  Urgency urgency_of(const InlineCompletionContext& context);
  boost::json::object status(const StatusParams& params) const;
  void opened(const Snapshot& document);
  void changed(const Snapshot& document);
  void closed(const std::string& uri);
  void touched(const Snapshot& document, std::size_t cursor, Attention attention);
  void note_left_out(const Snapshot& document);  // the memory and prompts heed what has changed
  Silence left_out(const std::string& uri) const;
  CompletionQuery query_at(const DocumentPlace& place, CompletionMethod method) const;
  void keep_statistics_later();
  void keep_statistics();
  void serve_workspaces();

  const ServerOptions options_;
  const ServerHooks hooks_;
  Clock& clock_;
  Logger& logger_;

  Phase phase_ = Phase::kFresh;
  Endpoint endpoint_;
  DocumentStore documents_;
  Notebooks notebooks_;
  std::map<std::string, Silence> left_out_;     // by URI: open documents that are not for the model
  std::map<std::string, std::string> kept_in_;  // by URI of others: the workspace that they may be kept with
  ClientOptions client_options_;
  InitializeParams client_;
  Settings settings_;
  std::vector<std::string> roots_;  // paths of the workspace's folders
  bool trace_ = false;
  bool initialized_ = false;  // workspaces are served
  SentMenu sent_menu_;
  SuggestionStatistics statistics_;
  std::optional<Clock::TimerId> keeping_;
  std::optional<MemoryFeed> memory_;  // from `initialize` on, as all that follows
  std::optional<CompletionService> completions_;
  std::optional<EngineWatch> engine_watch_;
  std::optional<IndexWatch> index_watch_;
  std::unique_ptr<WorkspaceContexts> workspaces_;  // goes first: it answers to the others
};

}  // namespace hearth::lsp
