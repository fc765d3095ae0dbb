// What commands share about workspaces: where stores are, how one is opened for writing, and what a prompt
// may say of one.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "indexer/near_copies.h"
#include "indexer/workspace_index.h"
#include "indexer/workspace_view.h"
#include "lsp/prompt_context.h"
#include "lsp/settings.h"

namespace hearth::commands {

std::chrono::sys_seconds system_seconds();

// kInvalid where the environment says of no place.
indexer::Result<std::filesystem::path> stores_folder();

indexer::IndexOptions index_options(std::filesystem::path root, int threads);

// kBusy: another process indexes it.
indexer::Result<indexer::WorkspaceIndex> open_index(const std::filesystem::path& root, int threads);

// The workspace's store, brought up to date.
indexer::Result<indexer::IndexReport> update_index(const std::filesystem::path& root, int threads);

struct WorkspaceOptions {
  bool use_index = true;
  bool use_memory = true;
  std::string folder;      // empty: what each file lies in
  int related_tokens = 0;  // that a prompt may have of it
};

// `--index on|off`, `--memory on|off`, `--workspace DIR` and `--related-tokens N`.
void add_workspace_options(CLI::App& command, WorkspaceOptions& options);

// Where a file stands in its workspace.
struct FilePlace {
  std::filesystem::path root;
  std::string path;  // from the root
};

// The workspaces of a command's files, each opened once. One thread.
class Workspaces {
 public:
  explicit Workspaces(WorkspaceOptions options) : options_(std::move(options)) {}

  // Before anything else: a folder that was named and is not in a store yet is indexed now.
  indexer::Result<void> prepare();

  // Nothing for a file in no workspace. A relative path is the folder's that was named, else this process's.
  std::optional<FilePlace> place_of(const std::string& file) const;

  enum class Hidden : std::uint8_t {
    kFile,           // only the file itself
    kFileAndCopies,  // also what says nearly the same: the text's end is what is asked for
  };

  // Nothing without a store, with `--index off` or without tokens for it. `context_tokens` is the model's.
  std::shared_ptr<const lsp::PromptContext> context(const FilePlace& place, std::string_view text,
                                                    std::size_t cursor, Hidden hidden, int context_tokens,
                                                    const indexer::CountTokens& count);

  // Texts of the files that the store knows, by their paths from the root: those nearest to `place` (at most
  // 4 MiB), its own and what it must not be answered from included. None without a store.
  std::map<std::string, std::string> documents(const FilePlace& place);

  // Files that say nearly the same as the text.
  std::vector<std::string> copies(const FilePlace& place, std::string_view text);

  // Whether the workspace was named, or is one that Hearth knows.
  bool is_known(const FilePlace& place) const;

  // What is open of a workspace; nullptr without a store.
  indexer::WorkspaceView* view(const std::filesystem::path& root);

 private:
  struct Opened {
    std::optional<indexer::WorkspaceView> view;
    std::optional<indexer::NearCopies> copies;
  };

  WorkspaceOptions options_;
  std::optional<std::filesystem::path> named_root_;
  indexer::DocumentOutliner outliner_;
  std::map<std::filesystem::path, Opened> opened_;
};

}  // namespace hearth::commands
