#include "indexer/index_check.h"

#include <algorithm>
#include <map>

#include "indexer/file_analysis.h"
#include "indexer/read_file.h"
#include "indexer/scanner.h"
#include "indexer/unreadable_paths.h"

namespace hearth::indexer {
namespace {

// What is wrong with one row; empty: nothing.
std::string fault_of(const ScannedEntry& entry, const cache::FileRow& row,
                     const std::filesystem::path& root) {
  if (entry.left_out != LeftOut::kNot) {
    if (row.left_out == reason(entry.left_out)) return "";
    if (entry.left_out == LeftOut::kUnreadable) return std::string(reason(entry.left_out));
    return "should be left out: " + std::string(reason(entry.left_out));
  }
  const Result<std::string> text = read_file(root / entry.path, kMaxIndexedBytes);
  if (!text) return row.left_out == reason(LeftOut::kUnreadable) ? "" : text.error().message;
  // What its content or the store's limit left out was looked at once.
  if (row.hash == 0 && !row.left_out.empty()) return "should not be left out: " + row.left_out;
  if (content_hash(*text) != row.hash) return "changed since it was indexed";
  return "";
}

}  // namespace

Result<CheckReport> check_index(const IndexOptions& options, cache::StoreReader& reader,
                                std::stop_token stop) {
  CheckReport report;
  const auto sound = reader.integrity();
  if (!sound) return Error{ErrorCode::kStore, sound.error().message};
  for (const std::string& problem : *sound) report.faults.push_back({"", problem});
  std::map<std::string, cache::FileRow> rows;
  const auto read = reader.each_file([&](const cache::FileRow& row) {
    rows.emplace(row.path, row);
    return true;
  });
  if (!read) return Error{ErrorCode::kStore, read.error().message};
  UnreadablePaths unreadable;
  const auto look = [&](const ScannedEntry& entry) {
    ++report.files;
    if (entry.left_out == LeftOut::kUnreadable) unreadable.add(entry.path);
    const auto row = rows.find(entry.path);
    if (row == rows.end()) {
      report.faults.push_back({entry.path, "not in the store"});
      return;
    }
    const std::string what = fault_of(entry, row->second, options.root);
    if (!what.empty()) report.faults.push_back({entry.path, what});
    rows.erase(row);
  };
  const Result<void> scanned =
      scan({.root = options.root, .global_excludes = options.global_excludes, .enter = {}}, look, stop);
  if (!scanned) return scanned.error();
  for (const auto& [path, row] : rows)
    report.faults.push_back(
        {path, unreadable.hide(path) ? "its folder cannot be read" : "gone from the disk"});
  std::ranges::stable_sort(report.faults, {}, &IndexFault::path);
  return report;
}

}  // namespace hearth::indexer
