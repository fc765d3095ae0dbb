#include "indexer/workspace_view.h"

#include <algorithm>
#include <map>

#include "indexer/import_version.h"
#include "indexer/package_map.h"

namespace hearth::indexer {
namespace {

constexpr std::size_t kMaxManifests = 100;
constexpr std::size_t kMaxCounted = 300;  // symbols of a file whose references are counted

Error store_error(const cache::Error& error) { return {ErrorCode::kStore, error.message}; }

}  // namespace

WorkspaceView::WorkspaceView(std::filesystem::path root, cache::StoreReader reader)
    : root_(std::move(root)), reader_(std::make_unique<cache::StoreReader>(std::move(reader))) {}

Result<WorkspaceView> WorkspaceView::open(std::filesystem::path root, const std::filesystem::path& store) {
  auto reader = cache::StoreReader::open(store);
  if (!reader) return store_error(reader.error());
  WorkspaceView view(std::move(root), std::move(*reader));
  if (const Result<void> done = view.read(); !done) return done.error();
  return view;
}

Result<void> WorkspaceView::refresh() {
  const auto generation = reader_->generation();
  if (!generation) return store_error(generation.error());
  if (*generation == held_->generation) return {};
  return read();
}

Result<void> WorkspaceView::read() {
  auto held = std::make_unique<Held>();
  const auto generation = reader_->generation();
  if (!generation) return store_error(generation.error());
  held->generation = *generation;
  std::vector<std::string> files;
  std::map<std::string, std::int64_t> languages;
  const auto read = reader_->each_file([&](const cache::FileRow& file) {
    if (!file.left_out.empty()) return true;
    files.push_back(file.path);
    if (!file.language.empty()) ++languages[file.language];
    return true;
  });
  if (!read) return store_error(read.error());
  held->paths = std::make_unique<WorkspacePaths>(std::move(files));
  held->resolver = std::make_unique<ImportResolver>(*held->paths, read_package_map(root_, *held->paths));
  held->facts.languages.assign(languages.begin(), languages.end());
  std::ranges::stable_sort(held->facts.languages, std::greater<>(),
                           [](const auto& pair) { return pair.second; });
  const auto manifests = reader_->manifest_paths();
  if (!manifests) return store_error(manifests.error());
  for (const std::string& path : *manifests) {
    if (held->facts.manifests.size() == kMaxManifests) break;
    const auto manifest = reader_->manifest(path);
    if (!manifest) return store_error(manifest.error());
    if (*manifest) held->facts.manifests.emplace_back(path, **manifest);
  }
  held->facts.name = root_.filename();
  for (const auto& [path, manifest] : held->facts.manifests) {
    if (path.find('/') != std::string::npos || manifest.name.empty()) continue;
    held->facts.name = manifest.name;
    break;
  }
  held_ = std::move(held);
  return {};
}

std::vector<cache::ManifestRow> WorkspaceView::manifests_above(std::string_view path) const {
  std::vector<std::pair<std::size_t, const cache::ManifestRow*>> above;
  for (const auto& [manifest_path, manifest] : held_->facts.manifests) {
    const std::string_view folder = folder_of(manifest_path);
    const bool holds =
        folder.empty() || (path.starts_with(folder) && path.substr(folder.size()).starts_with('/'));
    if (holds) above.emplace_back(folder.size(), &manifest);
  }
  std::ranges::stable_sort(above, std::greater<>(), [](const auto& pair) { return pair.first; });
  std::vector<cache::ManifestRow> rows;
  for (const auto& [depth, manifest] : above) rows.push_back(*manifest);
  return rows;
}

Result<FileFacts> WorkspaceView::facts(const std::string& path) {
  FileFacts facts{.path = path};
  const auto file = reader_->file(path);
  if (!file) return store_error(file.error());
  if (*file) facts.language = (*file)->language;
  auto imports = reader_->imports(path);
  if (!imports) return store_error(imports.error());
  facts.imports = std::move(*imports);
  const std::vector<cache::ManifestRow> manifests = manifests_above(path);
  for (const cache::ImportRow& import : facts.imports)
    facts.versions.push_back(version_of(import, facts.language, manifests));
  auto symbols = reader_->symbols(path);
  if (!symbols) return store_error(symbols.error());
  facts.symbols = std::move(*symbols);
  for (const cache::SymbolRow& symbol : facts.symbols) {
    if (facts.references.size() == kMaxCounted) break;
    const auto files = reader_->files_with_word(symbol.name);
    if (!files) return store_error(files.error());
    facts.references.push_back(*files);
  }
  return facts;
}

}  // namespace hearth::indexer
