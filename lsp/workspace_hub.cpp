#include "lsp/workspace_hub.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <utility>

#include "cache/store_location.h"
#include "indexer/find_workspace.h"
#include "indexer/folder_watch.h"
#include "indexer/scanner.h"
#include "lsp/uri.h"

namespace hearth::lsp {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kRecent = 20;

}  // namespace

WorkspaceHub::WorkspaceHub(HubOptions options, engine::EngineClient& engine, Logger& logger,
                           std::function<void(std::function<void()>)> post,
                           std::function<void(const IndexNews&)> told)
    : options_(std::move(options)),
      engine_(engine),
      logger_(logger),
      post_(std::move(post)),
      told_(std::move(told)),
      reader_([this](const std::stop_token& stop) { read(stop); }) {}

WorkspaceHub::~WorkspaceHub() { *alive_ = false; }

void WorkspaceHub::serve(const std::vector<std::string>& roots, const Settings& settings) {
  std::set<fs::path> wanted;
  std::vector<fs::path> gone;
  if (settings.index_enabled && options_.stores) {
    for (const std::string& folder : roots) {
      const auto root = indexer::workspace_root(folder, options_.home);
      if (root) {
        wanted.insert(*root);
      } else {
        logger_.write(LogLevel::kInfo, "not indexed: " + root.error().message);
      }
    }
  }
  std::erase_if(roots_, [&](const auto& root) {
    if (wanted.contains(root.first)) return false;
    gone.push_back(root.first);
    return true;
  });
  for (const fs::path& root : gone) {  // behind what their indexers have posted
    post_([told = told_, alive = alive_, root] {
      if (*alive) told({IndexNews::Kind::kStopped, root.string(), {}, 0});
    });
  }
  for (const fs::path& root : wanted) {
    if (!roots_.contains(root)) start(root);
  }
  const std::lock_guard lock(mutex_);
  served_.stores.clear();
  for (const auto& [root, parts] : roots_) served_.stores.emplace(root, parts.store);
  served_.related_tokens = settings.completion_related_tokens;
  served_.prompt_tokens = settings.completion_context_tokens;
}

void WorkspaceHub::start(const fs::path& root) {
  Root& parts = roots_[root];
  parts.store = cache::store_path(*options_.stores, root);
  RootIndexerOptions options;
  options.index.root = root;
  options.index.global_excludes = options_.global_excludes;
  options.index.threads = options_.threads;
  options.store = parts.store;
  options.writer.now = options_.now;
  options.watches = indexer::watch_budget();
  parts.indexer.emplace(std::move(options), [post = post_, told = told_, alive = alive_](IndexNews news) {
    post([told, alive, news = std::move(news)] {
      if (*alive) told(news);
    });
  });
}

void WorkspaceHub::ask(ContextQuery query, std::function<void(std::shared_ptr<const PromptContext>)> done) {
  const std::lock_guard lock(mutex_);
  const auto same = [&](const Asked& asked) { return asked.query.document->uri() == query.document->uri(); };
  std::erase_if(asked_, same);
  asked_.push_back({std::move(query), std::move(done)});
  filled_.notify_one();
}

void WorkspaceHub::read(const std::stop_token& stop) {
  while (true) {
    Asked asked;
    Served served;
    {
      std::unique_lock lock(mutex_);
      if (!filled_.wait(lock, stop, [this] { return !asked_.empty(); })) return;
      asked = std::move(asked_.front());
      asked_.pop_front();
      served = served_;
    }
    std::shared_ptr<const PromptContext> said = context(asked.query, served, stop);
    post_([alive = alive_, done = std::move(asked.done), said = std::move(said)] {
      if (*alive) done(said);
    });
  }
}

std::shared_ptr<const PromptContext> WorkspaceHub::context(const ContextQuery& query, const Served& served,
                                                           const std::stop_token& stop) {
  std::erase_if(views_, [&](const auto& view) { return !served.stores.contains(view.first); });
  const std::optional<std::string> file = path_of_uri(query.document->uri());
  if (!file || served.related_tokens == 0) return nullptr;
  std::optional<fs::path> root;
  std::string path;
  for (const auto& [candidate, store] : served.stores) {
    const std::optional<std::string> inside = indexer::path_in(candidate, *file);
    if (!inside || (root && candidate.native().size() < root->native().size())) continue;
    root = candidate;
    path = *inside;
  }
  if (!root) return nullptr;
  std::erase(recent_, *file);
  recent_.push_front(*file);
  if (recent_.size() > kRecent) recent_.pop_back();

  auto view = views_.find(*root);
  if (view == views_.end()) {
    auto opened = indexer::WorkspaceView::open(*root, served.stores.at(*root));
    if (!opened) return nullptr;  // not there yet
    view = views_.emplace(*root, std::move(*opened)).first;
  }
  const engine::EngineStatus status = engine_.status();
  bool counted = status.context_tokens > 0;
  const indexer::CountTokens count = [&](const std::vector<std::string>& texts) {
    const auto tokens = engine_.count_tokens(texts);
    counted = counted && tokens.has_value();
    return tokens ? *tokens : std::vector<int>(texts.size(), 0);
  };
  ContextPlace place{.path = path, .text = query.document->text(), .cursor = query.cursor};
  for (const std::string& other : recent_) {
    const std::optional<std::string> inside = indexer::path_in(*root, other);
    if (inside && *inside != path) place.recent.push_back(*inside);
  }
  auto context =
      make_context(view->second, outliner_, place,
                   context_limits(served.related_tokens, served.prompt_tokens, status.context_tokens), count,
                   query.previous.get(), stop);
  if (!context) {
    logger_.write(LogLevel::kDebug, context.error().message);
    views_.erase(view);  // it may have been set aside, and made anew
    return nullptr;
  }
  if (!counted) return nullptr;
  return std::make_shared<const PromptContext>(std::move(*context));
}

}  // namespace hearth::lsp
