// A workspace as its store has it, with what many questions need held in memory: paths, packages, manifests.
// One thread at a time; nobody who writes is waited for.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cache/store_reader.h"
#include "indexer/error.h"
#include "indexer/import_resolver.h"
#include "indexer/summary.h"

namespace hearth::indexer {

class WorkspaceView {
 public:
  // kStore when there is no store that can be read.
  static Result<WorkspaceView> open(std::filesystem::path root, const std::filesystem::path& store);

  // After somebody wrote: reads again what is held in memory.
  Result<void> refresh();

  const std::filesystem::path& root() const { return root_; }
  cache::StoreReader& reader() { return *reader_; }
  const ImportResolver& resolver() const { return *held_->resolver; }
  const std::vector<std::string>& files() const { return held_->paths->files(); }  // that are indexed
  bool has_file(std::string_view path) const { return held_->paths->has_file(path); }

  const WorkspaceFacts& workspace_facts() const { return held_->facts; }

  // What a summary is made of.
  Result<FileFacts> facts(const std::string& path);

 private:
  struct Held {
    std::int64_t generation = 0;
    std::unique_ptr<WorkspacePaths> paths;
    std::unique_ptr<ImportResolver> resolver;
    WorkspaceFacts facts;
  };

  WorkspaceView(std::filesystem::path root, cache::StoreReader reader);
  Result<void> read();
  std::vector<cache::ManifestRow> manifests_above(std::string_view path) const;

  std::filesystem::path root_;
  std::unique_ptr<cache::StoreReader> reader_;
  std::unique_ptr<Held> held_;
};

}  // namespace hearth::indexer
