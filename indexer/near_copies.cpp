#include "indexer/near_copies.h"

#include <algorithm>
#include <unordered_set>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "indexer/file_policy.h"
#include "indexer/manifest_lines.h"
#include "indexer/read_file.h"

namespace hearth::indexer {
namespace {

constexpr double kShared = 0.8;

std::unordered_set<std::uint64_t> line_hashes(std::string_view text) {
  std::unordered_set<std::uint64_t> hashes;
  for (const std::string_view line : lines_of(text)) {
    const std::string_view inner = trimmed(line);
    if (!inner.empty()) hashes.insert(XXH3_64bits(inner.data(), inner.size()));
  }
  return hashes;
}

}  // namespace

NearCopies::NearCopies(const std::filesystem::path& root, const std::vector<std::string>& files) {
  for (const std::string& path : files) {
    const Result<std::string> text = read_file(root / path, kMaxIndexedBytes);
    if (!text) continue;
    const std::unordered_set<std::uint64_t> hashes = line_hashes(*text);
    const auto file = static_cast<std::uint32_t>(files_.size());
    files_.emplace_back(path, hashes.size());
    for (const std::uint64_t hash : hashes) holders_[hash].push_back(file);
  }
}

std::set<std::string, std::less<>> NearCopies::of(std::string_view text) const {
  const std::unordered_set<std::uint64_t> hashes = line_hashes(text);
  std::vector<std::size_t> shared(files_.size(), 0);
  for (const std::uint64_t hash : hashes) {
    const auto holders = holders_.find(hash);
    if (holders == holders_.end()) continue;
    for (const std::uint32_t file : holders->second) ++shared[file];
  }
  std::set<std::string, std::less<>> copies;
  for (std::size_t file = 0; file < files_.size(); ++file) {
    const std::size_t smaller = std::min(files_[file].second, hashes.size());
    if (static_cast<double>(shared[file]) > kShared * static_cast<double>(smaller))
      copies.insert(files_[file].first);
  }
  return copies;
}

}  // namespace hearth::indexer
