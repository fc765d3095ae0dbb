// What became of a client's suggestions and how long its answers took, by workspace folder and language,
// until somebody takes it to the store. Counts only, no text. The protocol thread owns it.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cache/statistics.h"
#include "lsp/suggestion_fate.h"

namespace hearth::lsp {

struct FolderStatistics {
  std::string folder;  // of the workspace; empty for documents outside
  std::vector<cache::LanguageStatistics> languages;
};

class SuggestionStatistics {
 public:
  void answered(const Snapshot& document, const std::string& folder, std::chrono::nanoseconds took);
  void shown(const Snapshot& document, const std::string& folder, std::size_t cursor,
             const std::vector<Insertion>& insertions);
  void edited(const Snapshot& document);
  void closed(const std::string& uri);
  void close_all();

  // The editor says that it accepted the suggestion of this document, or, if it does not say which, of the
  // one that was shown something last.
  void confirmed(const std::string& uri);

  // Since the last time; what is still open comes later.
  std::vector<FolderStatistics> take();

  const cache::SuggestionCounts& session() const { return session_; }

 private:
  struct Followed {
    SuggestionFate fate;
    std::string folder, language;
  };

  cache::LanguageStatistics& row(const std::string& folder, const std::string& language);
  void note(Followed& document);

  std::map<std::string, Followed> documents_;                                      // by URI
  std::string last_shown_;                                                         // URI
  std::map<std::pair<std::string, std::string>, cache::LanguageStatistics> rows_;  // by folder and language
  cache::SuggestionCounts session_;
};

}  // namespace hearth::lsp
