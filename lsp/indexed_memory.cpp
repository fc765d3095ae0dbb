#include "lsp/indexed_memory.h"

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

#include "indexer/file_policy.h"
#include "indexer/read_file.h"
#include "lsp/secret_mask.h"
#include "lsp/text_shape.h"

namespace hearth::lsp {
namespace {

namespace fs = std::filesystem;

// Folders to walk through, up and down.
std::ptrdiff_t distance(const fs::path& from, const fs::path& to) {
  const auto [a, b] = std::mismatch(from.begin(), from.end(), to.begin(), to.end());
  return std::distance(a, from.end()) + std::distance(b, to.end());
}

// Before those of every client, and in the order of the file's own changes.
std::int64_t version_of(const IndexedFile& file) {
  return file.mtime_ns - std::numeric_limits<std::int64_t>::max();
}

}  // namespace

cache::Result<void> add_indexed_files(const fs::path& root, cache::StoreReader& reader,
                                      std::vector<IndexedFile>& files) {
  return reader.each_file([&](const cache::FileRow& row) {
    if (row.left_out.empty()) files.push_back({root, row.path, row.size, row.hash, row.mtime_ns});
    return true;
  });
}

std::vector<IndexedFile> nearest_files(std::vector<IndexedFile> files, const fs::path& near,
                                       std::uint64_t most_bytes) {
  const fs::path folder = near.parent_path(), ending = near.extension();
  std::vector<std::tuple<bool, std::ptrdiff_t, std::size_t>> order;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const fs::path path = files[i].root / files[i].path;
    order.emplace_back(path.extension() != ending, distance(folder, path.parent_path()), i);
  }
  std::ranges::sort(order);
  std::vector<IndexedFile> nearest;
  std::uint64_t bytes = 0;
  for (const auto& [is_other, folders, i] : order) {
    bytes += files[i].size;
    if (bytes > most_bytes) break;
    nearest.push_back(std::move(files[i]));
  }
  return nearest;
}

std::optional<std::string> text_to_remember(const IndexedFile& file) {
  const auto text = indexer::read_file(file.root / file.path, indexer::kMaxIndexedBytes);
  if (!text || indexer::left_out_content(*text, file.path) != indexer::LeftOut::kNot) return std::nullopt;
  return with_lf(with_secrets_masked(*text));
}

IndexedMemory::~IndexedMemory() { want({}); }

void IndexedMemory::want(std::vector<IndexedFile> files) {
  std::set<std::string> names;
  left_.clear();
  for (IndexedFile& file : files) {
    std::string name = file.name();
    const auto told = told_.find(name);
    names.insert(std::move(name));
    if (told == told_.end() || told->second != file.hash) left_.push_back(std::move(file));
  }
  std::erase_if(told_, [&](const auto& told) {
    if (names.contains(told.first)) return false;
    engine_.forget(told.first);
    return true;
  });
}

bool IndexedMemory::tell_one() {
  if (left_.empty()) return false;
  const IndexedFile file = std::move(left_.front());
  left_.pop_front();
  std::string name = file.name();
  auto text = text_to_remember(file);
  if (!text) return true;
  told_[name] = file.hash;
  engine_.remember({std::move(name), version_of(file), {{0, engine::kToTheEnd, std::move(*text)}}});
  return true;
}

}  // namespace hearth::lsp
