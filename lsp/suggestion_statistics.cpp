#include "lsp/suggestion_statistics.h"

namespace hearth::lsp {
namespace {

void add(cache::SuggestionCounts& counts, const Outcome& outcome) {
  counts.characters += outcome.characters;
  switch (outcome.fate) {
    case Fate::kAccepted: ++counts.accepted; break;
    case Fate::kPartlyAccepted: ++counts.partly_accepted; break;
    case Fate::kTypedThrough: ++counts.typed_through; break;
    case Fate::kDisplaced: ++counts.displaced; break;
  }
}

}  // namespace

cache::LanguageStatistics& SuggestionStatistics::row(const std::string& folder, const std::string& language) {
  cache::LanguageStatistics& found = rows_[{folder, language}];
  found.language = language;
  return found;
}

void SuggestionStatistics::note(Followed& document) {
  const auto outcome = document.fate.take();
  if (!outcome) return;
  add(row(document.folder, document.language).suggestions, *outcome);
  add(session_, *outcome);
}

void SuggestionStatistics::answered(const Snapshot& document, const std::string& folder,
                                    std::chrono::nanoseconds took) {
  row(folder, document->language()).latency.add(std::chrono::duration<double, std::milli>(took).count());
}

void SuggestionStatistics::shown(const Snapshot& document, const std::string& folder, std::size_t cursor,
                                 const std::vector<Insertion>& insertions) {
  Followed& followed = documents_[document->uri()];
  followed.folder = folder;
  followed.language = document->language();
  if (followed.fate.shown(document, cursor, insertions) == SuggestionFate::Shown::kNew) {
    ++row(folder, document->language()).suggestions.shown;
    ++session_.shown;
  }
  if (!insertions.empty()) last_shown_ = document->uri();
  note(followed);
}

void SuggestionStatistics::edited(const Snapshot& document) {
  const auto found = documents_.find(document->uri());
  if (found == documents_.end()) return;
  found->second.fate.edited(document);
  note(found->second);
}

void SuggestionStatistics::closed(const std::string& uri) {
  const auto found = documents_.find(uri);
  if (found == documents_.end()) return;
  found->second.fate.left();
  note(found->second);
  documents_.erase(found);
}

void SuggestionStatistics::close_all() {
  while (!documents_.empty()) closed(std::string(documents_.begin()->first));
}

void SuggestionStatistics::confirmed(const std::string& uri) {
  const auto found = documents_.find(uri.empty() ? last_shown_ : uri);
  if (found == documents_.end()) return;
  found->second.fate.confirmed();
  note(found->second);
}

std::vector<FolderStatistics> SuggestionStatistics::take() {
  std::vector<FolderStatistics> folders;
  for (auto& [key, statistics] : rows_) {
    if (folders.empty() || folders.back().folder != key.first) folders.push_back({key.first, {}});
    folders.back().languages.push_back(std::move(statistics));
  }
  rows_.clear();
  return folders;
}

}  // namespace hearth::lsp
