#include "lsp/workspace_hub.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <utility>

#include "cache/store_location.h"
#include "indexer/file_policy.h"
#include "indexer/find_workspace.h"
#include "indexer/folder_watch.h"
#include "indexer/ignore_rules.h"
#include "indexer/scanner.h"
#include "lsp/known_symbols.h"
#include "lsp/language.h"
#include "lsp/uri.h"

namespace hearth::lsp {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kRecent = 20;
// Of the engine's memory, five for the text and its tokens; the rest is for what is open.
constexpr std::uint64_t kMemoryBytesPerTextByte = 7;

struct PlaceInRoot {
  fs::path root;
  std::string path;  // from the root
};

// In the innermost of the roots, which are a map's keys, that hold the file.
template <class Value>
std::optional<PlaceInRoot> innermost(const std::map<fs::path, Value>& roots, std::string_view file) {
  std::optional<PlaceInRoot> place;
  for (const auto& [root, value] : roots) {
    std::optional<std::string> inside = indexer::path_in(root, file);
    if (!inside || (place && root.native().size() < place->root.native().size())) continue;
    place = {root, std::move(*inside)};
  }
  return place;
}

std::optional<PlaceInRoot> place_of(const std::string& uri, const std::map<fs::path, fs::path>& stores) {
  const std::optional<std::string> file = path_of_uri(uri);
  return file ? innermost(stores, *file) : std::nullopt;
}

}  // namespace

WorkspaceHub::WorkspaceHub(HubOptions options, JobRouter& router, Logger& logger,
                           std::function<void(std::function<void()>)> post,
                           std::function<void(const IndexNews&)> told)
    : options_(std::move(options)),
      engine_(router.engine()),
      logger_(logger),
      post_(std::move(post)),
      told_(std::move(told)),
      outliner_(options_.journal),
      memory_(engine_),
      reader_([this](const std::stop_token& stop) { read(stop); }),
      load_watch_(router.watch([this](EngineLoad load) {
        const std::lock_guard lock(mutex_);
        load_ = load;
        filled_.notify_one();
      })) {}

WorkspaceHub::~WorkspaceHub() {
  *alive_ = false;
  roots_.clear();  // their threads call `remember_again`
}

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
  served_.remembered_bytes =
      settings.memory_enable
          ? (static_cast<std::uint64_t>(settings.memory_size_mb) << 20) / kMemoryBytesPerTextByte
          : 0;
  stale_ = true;
  filled_.notify_one();
}

void WorkspaceHub::remember_again() {
  const std::lock_guard lock(mutex_);
  stale_ = true;
  filled_.notify_one();
}

void WorkspaceHub::opened(const std::string& path) {
  if (!fs::path(path).is_absolute()) return;  // no file
  if (const auto place = innermost(roots_, path)) roots_.at(place->root).indexer->use(place->path);
  const std::lock_guard lock(mutex_);
  const bool elsewhere = fs::path(served_.at_hand).parent_path() != fs::path(path).parent_path();
  served_.at_hand = path;
  served_.released.push_back(path);
  if (!partial_ || !elsewhere) return;
  stale_ = true;
  filled_.notify_one();
}

void WorkspaceHub::use(const std::vector<IndexedFile>& files) {
  for (const IndexedFile& file : files) {
    const auto root = roots_.find(file.root);
    if (root != roots_.end()) root->second.indexer->use(file.path);
  }
}

void WorkspaceHub::forgotten(const std::string& path) {
  const std::lock_guard lock(mutex_);
  served_.released.push_back(path);
  stale_ = true;
  filled_.notify_one();
}

std::string WorkspaceHub::keeper_of(const std::string& path) const {
  const std::optional<PlaceInRoot> place = innermost(roots_, path);
  if (!place || indexer::is_secret_path(place->path)) return {};
  const indexer::IgnoredBy by = indexer::ignored_in_workspace(place->root, options_.global_excludes,
                                                              place->path, indexer::EntryKind::kFile);
  return by == indexer::IgnoredBy::kNothing ? place->root.string() : std::string();
}

void WorkspaceHub::start(const fs::path& root) {
  Root& parts = roots_[root];
  parts.store = cache::store_path(*options_.stores, root);
  RootIndexerOptions options;
  options.index.root = root;
  options.index.global_excludes = options_.global_excludes;
  options.index.threads = options_.threads;
  options.index.journal = options_.journal;
  options.store = parts.store;
  options.writer.now = options_.now;
  options.watches = indexer::watch_budget();
  parts.indexer.emplace(
      std::move(options), [this, post = post_, told = told_, alive = alive_](IndexNews news) {
        using enum IndexNews::Kind;
        if (news.kind == kDone || news.kind == kElsewhere || news.kind == kFailed || news.kind == kFollowed)
          remember_again();
        post([told, alive, news = std::move(news)] {
          if (*alive) told(news);
        });
      });
}

void WorkspaceHub::ask(ContextQuery query, std::function<void(std::shared_ptr<const PromptContext>)> done) {
  const std::lock_guard lock(mutex_);
  std::erase_if(asked_, [&](const Asked& asked) {
    const auto* older = std::get_if<AskedContext>(&asked);
    return older != nullptr && older->query.document->uri() == query.document->uri();
  });
  asked_.emplace_back(AskedContext{std::move(query), std::move(done)});
  filled_.notify_one();
}

// Somebody waits for them: before all contexts, which are for a pause.
void WorkspaceHub::ask_words(WordQuery query, std::function<void(MenuWords)> done) {
  const std::lock_guard lock(mutex_);
  std::erase_if(asked_, [&](const Asked& asked) {
    const auto* older = std::get_if<AskedWords>(&asked);
    if (older == nullptr || older->query.document->uri() != query.document->uri()) return false;
    post_([alive = alive_, late = older->done] {
      if (*alive) late({});
    });
    return true;
  });
  asked_.emplace_front(AskedWords{std::move(query), std::move(done)});
  filled_.notify_one();
}

void WorkspaceHub::read(const std::stop_token& stop) {
  bool more_to_tell = false;
  while (true) {
    std::optional<Asked> asked;
    bool stale = false;
    Served served;
    {
      std::unique_lock lock(mutex_);
      const auto due = [&] {
        return !asked_.empty() || stale_ || (more_to_tell && load_ == EngineLoad::kIdle);
      };
      if (!filled_.wait(lock, stop, due) || stop.stop_requested()) return;
      if (!asked_.empty()) {
        asked = std::move(asked_.front());
        asked_.pop_front();
      } else {
        stale = std::exchange(stale_, false);
      }
      served = served_;
      if (stale) served_.released.clear();
    }
    if (asked) {
      std::erase_if(views_, [&](const auto& view) { return !served.stores.contains(view.first); });
      post_([alive = alive_,
             run = std::visit([&](auto& one) { return answer(std::move(one), served, stop); }, *asked)] {
        if (*alive) run();
      });
    } else if (stale) {
      choose_remembered(served);
      more_to_tell = true;
    } else {
      more_to_tell = memory_.tell_one();
    }
  }
}

void WorkspaceHub::choose_remembered(const Served& served) {
  for (const std::string& path : served.released) memory_.release(path);
  std::vector<IndexedFile> files;
  if (served.remembered_bytes > 0) {
    for (const auto& [root, store] : served.stores) {
      indexer::WorkspaceView* const opened = view(root, served);
      if (opened != nullptr && !add_indexed_files(root, opened->reader(), files)) views_.erase(root);
    }
  }
  const std::size_t all = files.size();
  files = nearest_files(std::move(files), served.at_hand, served.remembered_bytes);
  {
    const std::lock_guard lock(mutex_);
    partial_ = files.size() < all;
  }
  if (files.size() < all) {
    post_([this, alive = alive_, files] {
      if (*alive) use(files);
    });
  }
  memory_.want(std::move(files));
}

indexer::WorkspaceView* WorkspaceHub::view(const fs::path& root, const Served& served) {
  const auto known = views_.find(root);
  if (known != views_.end()) return &known->second;
  auto opened = indexer::WorkspaceView::open(root, served.stores.at(root));
  return opened ? &views_.emplace(root, std::move(*opened)).first->second : nullptr;  // not there yet
}

void WorkspaceHub::say_if_crashed(const Document& document) {
  const std::string file = path_of_uri(document.uri()).value_or(document.uri());
  if (!options_.journal || !options_.journal->ever_crashed(file) || !crashed_.insert(file).second) return;
  logger_.write(LogLevel::kWarning, file + ": its parser crashed at a text of it, which is not parsed again");
}

std::function<void()> WorkspaceHub::answer(AskedContext asked, const Served& served,
                                           const std::stop_token& stop) {
  const auto where = place_of(asked.query.document->uri(), served.stores);
  return [this, root = where ? where->root : fs::path(), done = std::move(asked.done),
          said = context(asked.query, served, stop)] {
    const auto taken_from = roots_.find(root);
    if (said && taken_from != roots_.end()) {
      for (const PromptContext::Part& file : said->files) taken_from->second.indexer->use(file.path);
    }
    done(said);
  };
}

std::function<void()> WorkspaceHub::answer(AskedWords asked, const Served& served,
                                           const std::stop_token& stop) {
  return [done = std::move(asked.done), menu = words(asked.query, served, stop)] { done(menu); };
}

MenuWords WorkspaceHub::words(const WordQuery& query, const Served& served, const std::stop_token& stop) {
  const Document& document = *query.document;
  say_if_crashed(document);
  const NearNames near = near_names(document.text(), query.cursor, syntax_of(document.language()));
  if (!near.word.in_code) return {};
  const auto typed =
      std::string_view(document.text()).substr(near.word.begin, query.cursor - near.word.begin);
  const std::optional<PlaceInRoot> where = place_of(document.uri(), served.stores);
  indexer::WorkspaceView* const opened = where ? view(where->root, served) : nullptr;
  std::optional<IndexedPlace> index;
  if (opened != nullptr) index.emplace(IndexedPlace{opened->reader(), where->path});
  const KnownSymbols known = known_symbols(document, typed, outliner_, index, stop);
  MenuWords menu = menu_words(near, typed, document.language(), known);
  if (query.before.empty() || menu.words.size() < 2 || engine_.status().state != "ready") return menu;
  engine::ScoreRequest request{query.before, {}};
  for (const MenuWord& word : menu.words) {
    if (request.candidates.size() == kMostScoredWords) break;
    request.candidates.push_back(word.name);
  }
  if (const auto scores = engine_.score(std::move(request))) {
    put_in_order(menu, *scores);
  } else {
    logger_.write(LogLevel::kDebug, scores.error().message);
  }
  return menu;
}

std::shared_ptr<const PromptContext> WorkspaceHub::context(const ContextQuery& query, const Served& served,
                                                           const std::stop_token& stop) {
  say_if_crashed(*query.document);
  const std::optional<PlaceInRoot> where = place_of(query.document->uri(), served.stores);
  if (!where || served.related_tokens == 0) return nullptr;
  const std::optional<std::string> file = path_of_uri(query.document->uri());
  std::erase(recent_, *file);
  recent_.push_front(*file);
  if (recent_.size() > kRecent) recent_.pop_back();

  indexer::WorkspaceView* const opened = view(where->root, served);
  if (opened == nullptr) return nullptr;
  const engine::EngineStatus status = engine_.status();
  bool counted = status.context_tokens > 0;
  const indexer::CountTokens count = [&](const std::vector<std::string>& texts) {
    const auto tokens = engine_.count_tokens(texts);
    counted = counted && tokens.has_value();
    return tokens ? *tokens : std::vector<int>(texts.size(), 0);
  };
  ContextPlace place{.path = where->path, .text = query.document->text(), .cursor = query.cursor};
  for (const std::string& other : recent_) {
    const std::optional<std::string> inside = indexer::path_in(where->root, other);
    if (inside && *inside != where->path) place.recent.push_back(*inside);
  }
  auto context =
      make_context(*opened, outliner_, place,
                   context_limits(served.related_tokens, served.prompt_tokens, status.context_tokens), count,
                   query.previous.get(), stop);
  if (!context) {
    logger_.write(LogLevel::kDebug, context.error().message);
    views_.erase(where->root);  // it may have been set aside, and made anew
    return nullptr;
  }
  if (!counted) return nullptr;
  return std::make_shared<const PromptContext>(std::move(*context));
}

}  // namespace hearth::lsp
