#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>

#include "indexer/languages.h"
#include "indexer/near_copies.h"
#include "indexer/outline.h"
#include "indexer/read_file.h"
#include "indexer/scanner.h"
#include "lsp/commands/bench_quality.h"
#include "lsp/language.h"
#include "lsp/text_shape.h"

namespace hearth::commands {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kParseLimit(5);
constexpr std::size_t kTellingName = 3;  // bytes; shorter names are everywhere

std::vector<std::string> source_paths(const fs::path& root) {
  std::vector<std::string> paths;
  const auto scanned = indexer::scan({.root = root, .global_excludes = {}, .enter = {}},
                                     [&](indexer::ScannedEntry entry) {
                                       if (entry.left_out == indexer::LeftOut::kNot)
                                         paths.push_back(entry.path);
                                     },
                                     {});
  if (!scanned) throw std::runtime_error(scanned.error().message);
  std::ranges::sort(paths);
  return paths;
}

void add_definitions(QualityProject& project, std::size_t file, const indexer::Language& language,
                     indexer::Outliner& outliner) {
  const auto outline = outliner.outline(language, project.files[file].text, kParseLimit, {});
  if (!outline) throw std::runtime_error(outline.error().message);
  if (!*outline) return;
  for (const auto& symbol : (*outline)->symbols) {
    if (symbol.name.size() >= kTellingName) project.definers[symbol.name].insert(file);
  }
}

QualityProject read_project(const fs::path& root, indexer::Outliner& outliner) {
  QualityProject project;
  project.root = root;
  for (const std::string& path : source_paths(root)) {
    const auto text = indexer::read_file(root / path, indexer::kMaxIndexedBytes);
    if (!text || indexer::left_out_content(*text, path) != indexer::LeftOut::kNot) continue;
    const indexer::Language* language = indexer::language_of(path, *text);
    QualityFile file;
    file.path = path;
    file.language =
        language == nullptr ? std::string(lsp::language_of_path(path)) : std::string(language->id);
    file.text = lsp::with_lf(*text);
    file.is_code = language != nullptr && language->imports != indexer::ImportRule::kNone;
    project.files.push_back(std::move(file));
    if (project.files.back().is_code) add_definitions(project, project.files.size() - 1, *language, outliner);
  }
  std::vector<std::string> paths;
  for (const QualityFile& file : project.files) paths.push_back(file.path);
  const indexer::NearCopies copies(root, paths);
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const auto alike = copies.of(project.files[i].text);
    for (std::size_t j = 0; j < paths.size(); ++j) {
      if (j != i && alike.contains(paths[j])) project.files[i].twins.push_back(j);
    }
  }
  return project;
}

}  // namespace

std::vector<std::size_t> QualityProject::masked(std::size_t file) const {
  std::vector<std::size_t> files = this->files[file].twins;
  files.push_back(file);
  return files;
}

std::vector<std::string> QualityProject::paths(const std::vector<std::size_t>& files) const {
  std::vector<std::string> paths;
  for (const std::size_t i : files) paths.push_back(this->files[i].path);
  return paths;
}

QualityProject read_quality_project(const fs::path& root) {
  indexer::Outliner outliner;
  QualityProject project = read_project(root, outliner);
  if (std::ranges::none_of(project.files, &QualityFile::is_code))
    throw std::runtime_error(root.string() + ": holds no source file");
  return project;
}

std::vector<QualityProject> read_quality_projects(const fs::path& folder) {
  std::error_code failure;
  std::vector<fs::path> roots;
  for (const auto& entry : fs::directory_iterator(folder, failure)) {
    if (entry.is_directory(failure)) roots.push_back(fs::canonical(entry.path(), failure));
  }
  if (failure) throw std::runtime_error(folder.string() + ": " + failure.message());
  std::ranges::sort(roots);
  std::vector<QualityProject> projects;
  indexer::Outliner outliner;
  for (const fs::path& root : roots) {
    QualityProject project = read_project(root, outliner);
    if (std::ranges::any_of(project.files, &QualityFile::is_code)) projects.push_back(std::move(project));
  }
  if (projects.empty()) throw std::runtime_error(folder.string() + ": no folder in it holds a source file");
  return projects;
}

std::unique_ptr<Workspaces> indexed_workspace(WorkspaceOptions options, int threads) {
  if (const auto updated = update_index(options.folder, threads); !updated)
    throw std::runtime_error(updated.error().message);
  auto workspaces = std::make_unique<Workspaces>(std::move(options));
  if (const auto ready = workspaces->prepare(); !ready) throw std::runtime_error(ready.error().message);
  return workspaces;
}

}  // namespace hearth::commands
