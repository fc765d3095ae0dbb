#include "lsp/commands/workspace.h"

#include <iostream>
#include <thread>

#include "cache/store_location.h"
#include "indexer/find_workspace.h"
#include "indexer/ignore_rules.h"
#include "indexer/scanner.h"
#include "lsp/commands/environment.h"
#include "lsp/commands/on_or_off.h"
#include "lsp/indexed_memory.h"

namespace hearth::commands {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kRememberedBytes = 4 << 20;  // tokenised in a second or two

}  // namespace

std::chrono::sys_seconds system_seconds() {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
}

indexer::Result<fs::path> stores_folder() {
  const auto folder = cache::stores_folder(environment("XDG_CACHE_HOME"), environment("HOME"));
  if (!folder)
    return indexer::Error{indexer::ErrorCode::kInvalid,
                          "no folder for the store: neither XDG_CACHE_HOME nor HOME is set"};
  return *folder;
}

indexer::IndexOptions index_options(fs::path root, int threads) {
  indexer::IndexOptions options;
  options.root = std::move(root);
  options.global_excludes =
      indexer::global_excludes_file(environment("XDG_CONFIG_HOME"), environment("HOME"));
  options.threads = threads;
  return options;
}

indexer::Result<indexer::WorkspaceIndex> open_index(const fs::path& root, int threads) {
  const auto folder = stores_folder();
  if (!folder) return folder.error();
  cache::WriterOptions writer;
  writer.now = system_seconds;
  indexer::IndexOptions options = index_options(root, threads);
  options.journal = std::make_shared<indexer::ParseJournal>(*folder);
  return indexer::WorkspaceIndex::open(std::move(options), cache::store_path(*folder, root), writer);
}

indexer::Result<indexer::IndexReport> update_index(const fs::path& root, int threads) {
  auto index = open_index(root, threads);
  if (!index) return index.error();
  return index->update([](const indexer::IndexProgress&) {}, {});
}

void add_workspace_options(CLI::App& command, WorkspaceOptions& options) {
  command
      .add_option("--index", options.use_index,
                  "on or off: whether the prompt says what the workspace's store knows")
      ->transform(on_or_off());
  command
      .add_option("--memory", options.use_memory,
                  "on or off: what stands in the workspace's other files is mixed into what the model says")
      ->transform(on_or_off());
  command.add_option("--workspace", options.folder,
                     "The workspace's root; else the nearest folder above with a store, a repository or a "
                     "manifest");
  command
      .add_option("--related-tokens", options.related_tokens,
                  "Tokens that the prompt may have of what the store knows; 0: none")
      ->check(CLI::Range(0, 8192))
      ->capture_default_str();
}

indexer::Result<void> Workspaces::prepare() {
  if (options_.folder.empty()) return {};
  const auto root = indexer::workspace_root(options_.folder, environment("HOME"));
  if (!root) return root.error();
  named_root_ = *root;
  if (!options_.use_index) return {};
  const auto folder = stores_folder();
  if (!folder) return folder.error();
  std::error_code failure;
  if (fs::exists(cache::store_path(*folder, *root), failure)) return {};
  std::cerr << "hearth: " << root->string() << " is not indexed yet; it is read now\n";
  const auto report = update_index(*root, static_cast<int>(std::thread::hardware_concurrency()));
  if (!report) return report.error();
  return {};
}

std::optional<FilePlace> Workspaces::place_of(const std::string& file) const {
  std::error_code failure;
  fs::path path = file;
  if (path.is_relative()) {
    const bool in_named =
        named_root_ && (fs::exists(*named_root_ / path, failure) || !fs::exists(path, failure));
    path = in_named ? *named_root_ / path : fs::absolute(path, failure);
  }
  path = path.lexically_normal();
  std::optional<fs::path> root = named_root_;
  if (!root) {
    const auto folder = stores_folder();
    root =
        indexer::find_workspace(path, {folder ? std::optional(*folder) : std::nullopt, environment("HOME")});
  }
  if (!root) return std::nullopt;
  const std::optional<std::string> inside = indexer::path_in(*root, path);
  if (!inside) return std::nullopt;
  return FilePlace{*root, *inside};
}

std::map<std::string, std::string> Workspaces::documents(const FilePlace& place) {
  std::map<std::string, std::string> texts;
  indexer::WorkspaceView* const opened =
      options_.use_index && options_.use_memory ? view(place.root) : nullptr;
  std::vector<lsp::IndexedFile> files;
  if (opened == nullptr || !lsp::add_indexed_files(place.root, opened->reader(), files)) return texts;
  for (const auto& file : lsp::nearest_files(std::move(files), place.root / place.path, kRememberedBytes)) {
    if (auto text = lsp::text_to_remember(file)) texts.emplace(file.path, std::move(*text));
  }
  return texts;
}

std::vector<std::string> Workspaces::copies(const FilePlace& place, std::string_view text) {
  indexer::WorkspaceView* const opened = view(place.root);
  if (opened == nullptr) return {};
  std::optional<indexer::NearCopies>& copies = opened_.at(place.root).copies;
  if (!copies) copies.emplace(place.root, opened->files());
  const auto alike = copies->of(text);
  return {alike.begin(), alike.end()};
}

bool Workspaces::is_known(const FilePlace& place) const {
  if (named_root_ == place.root) return true;
  const auto folder = stores_folder();
  std::error_code failure;
  return folder && fs::exists(cache::store_path(*folder, place.root), failure);
}

indexer::WorkspaceView* Workspaces::view(const fs::path& root) {
  const auto known = opened_.find(root);
  if (known != opened_.end()) return known->second.view ? &*known->second.view : nullptr;
  Opened& opened = opened_[root];
  const auto folder = stores_folder();
  if (!folder) return nullptr;
  const fs::path store = cache::store_path(*folder, root);
  if (std::error_code failure; !fs::exists(store, failure)) return nullptr;
  auto view = indexer::WorkspaceView::open(root, store);
  if (!view) {
    std::cerr << "hearth: the workspace's store is not used: " << view.error().message << '\n';
    return nullptr;
  }
  opened.view = std::move(*view);
  return &*opened.view;
}

std::shared_ptr<const lsp::PromptContext> Workspaces::context(const FilePlace& place, std::string_view text,
                                                              std::size_t cursor, Hidden hidden,
                                                              int context_tokens,
                                                              const indexer::CountTokens& count) {
  if (!options_.use_index || options_.related_tokens == 0) return nullptr;
  indexer::WorkspaceView* const opened = view(place.root);
  if (opened == nullptr) return nullptr;
  const lsp::ContextLimits limits =
      lsp::context_limits(options_.related_tokens, lsp::Settings().completion_context_tokens, context_tokens);
  lsp::ContextPlace in{.path = place.path, .text = std::string(text), .cursor = cursor};
  if (hidden == Hidden::kFileAndCopies) {
    const auto masked = copies(place, text);
    in.masked.insert(masked.begin(), masked.end());
  }
  auto context = lsp::make_context(*opened, outliner_, in, limits, count);
  if (!context) {
    std::cerr << "hearth: the workspace's store is not used: " << context.error().message << '\n';
    return nullptr;
  }
  return std::make_shared<const lsp::PromptContext>(std::move(*context));
}

}  // namespace hearth::commands
