// The workspaces of a session: an indexer for each root, and one thread that reads their stores to say what a
// prompt may say and, while the engine has nothing else to do, to tell its memory what stands in them. The
// protocol thread owns it; answers and news are posted to it.
#pragma once

#include <condition_variable>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "indexer/document_outliner.h"
#include "indexer/workspace_view.h"
#include "lsp/indexed_memory.h"
#include "lsp/job_router.h"
#include "lsp/logger.h"
#include "lsp/root_indexer.h"
#include "lsp/workspace_contexts.h"

namespace hearth::lsp {

struct HubOptions {
  std::optional<std::filesystem::path> stores;  // the folder of stores; none: nothing is indexed
  std::optional<std::string> home;
  std::optional<std::filesystem::path> global_excludes;
  int threads = 1;  // of an indexer
  std::function<std::chrono::sys_seconds()> now;
  std::shared_ptr<indexer::ParseJournal> journal;
};

class WorkspaceHub : public WorkspaceContexts {
 public:
  // `post` runs a function on the protocol thread, any time later; it may outlive the hub.
  WorkspaceHub(HubOptions options, JobRouter& router, Logger& logger,
               std::function<void(std::function<void()>)> post, std::function<void(const IndexNews&)> told);
  ~WorkspaceHub() override;

  void serve(const std::vector<std::string>& roots, const Settings& settings) override;
  void opened(const std::string& path) override;
  void forgotten(const std::string& path) override;
  std::string keeper_of(const std::string& path) const override;
  void ask(ContextQuery query, std::function<void(std::shared_ptr<const PromptContext>)> done) override;
  void ask_words(WordQuery query, std::function<void(MenuWords)> done) override;

 private:
  struct AskedContext {
    ContextQuery query;
    std::function<void(std::shared_ptr<const PromptContext>)> done;
  };
  struct AskedWords {
    WordQuery query;
    std::function<void(MenuWords)> done;
  };
  using Asked = std::variant<AskedContext, AskedWords>;
  struct Root {
    std::filesystem::path store;
    std::optional<RootIndexer> indexer;
  };
  // What the reading thread works with; a copy of what the protocol thread last said.
  struct Served {
    std::map<std::filesystem::path, std::filesystem::path> stores;  // by root
    int related_tokens = 0, prompt_tokens = 0;
    std::uint64_t remembered_bytes = 0;  // of text, at most
    std::string at_hand;                 // the file opened last
    std::vector<std::string> released;   // files that the client has opened or closed since
  };

  void read(const std::stop_token& stop);
  void say_if_crashed(const Document& document);
  MenuWords words(const WordQuery& query, const Served& served, const std::stop_token& stop);
  // What is to be run on the protocol thread.
  std::function<void()> answer(AskedContext asked, const Served& served, const std::stop_token& stop);
  std::function<void()> answer(AskedWords asked, const Served& served, const std::stop_token& stop);
  std::shared_ptr<const PromptContext> context(const ContextQuery& query, const Served& served,
                                               const std::stop_token& stop);
  void start(const std::filesystem::path& root);
  void use(const std::vector<IndexedFile>& files);  // the protocol thread, as `start`
  void remember_again();
  void choose_remembered(const Served& served);
  indexer::WorkspaceView* view(const std::filesystem::path& root, const Served& served);

  const HubOptions options_;
  engine::EngineClient& engine_;
  Logger& logger_;
  const std::function<void(std::function<void()>)> post_;
  const std::function<void(const IndexNews&)> told_;
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // the protocol thread's
  std::map<std::filesystem::path, Root> roots_;                       // the protocol thread's

  std::mutex mutex_;
  std::condition_variable_any filled_;
  std::deque<Asked> asked_;  // guarded by mutex_, as what follows
  Served served_;
  bool stale_ = false;    // what is to be remembered is to be chosen anew
  bool partial_ = false;  // not all of it has room
  EngineLoad load_ = EngineLoad::kIdle;

  // The reading thread's.
  indexer::DocumentOutliner outliner_;
  std::map<std::filesystem::path, indexer::WorkspaceView> views_;
  std::deque<std::string> recent_;  // documents that were asked about, the last first
  std::set<std::string> crashed_;   // files of which it was said that their parser crashed
  IndexedMemory memory_;

  std::jthread reader_;
  std::shared_ptr<const JobRouter::Told> load_watch_;
};

}  // namespace hearth::lsp
