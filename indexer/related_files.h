// Which other files of a workspace a place in a file leans on, best first: by the import graph, by who
// defines the names around the cursor, by shared words, by nearness in the tree and by recency.
#pragma once

#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "indexer/document_outliner.h"
#include "indexer/workspace_view.h"

namespace hearth::indexer {

struct PlaceInFile {
  std::string path;                           // from the workspace's root
  std::string_view text;                      // of the whole file, as it is now
  std::size_t cursor = 0;                     // bytes
  std::vector<std::string> recent;            // other files that were open or changed, the newest first
  std::set<std::string, std::less<>> masked;  // never an answer, nor is `path` itself
};

struct RelatedFile {
  std::string path;
  double score = 0;
  std::vector<std::string> wanted;  // names around the cursor that it defines, the nearest first
};

// How much each signal says, by what finds the definitions that lines of other projects than the held-out
// ones use (`hearth bench quality`, recall at 5; `hearth bench ranking` tells what each is worth).
struct RankingWeights {
  double imported = 1.0;       // by this file
  double imported_name = 1.5;  // defines a name that an import here names
  double defines = 5.0;        // a name at the cursor, defined nowhere else
  double shared_words = 0.5;   // of the file that shares the most
  double same_folder = 0.1;
  double recent = 0.4;  // the newest
};

// At most `limit`. A file must be imported here, directly or through what is imported, or define a name that
// stands here and that this file can see.
Result<std::vector<RelatedFile>> related_files(WorkspaceView& view, DocumentOutliner& outliner,
                                               const PlaceInFile& place, std::size_t limit,
                                               std::stop_token stop = {}, const RankingWeights& weights = {});

}  // namespace hearth::indexer
