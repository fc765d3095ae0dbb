// What a prompt says of the workspace before the file itself: segments A and B of the plan (DESIGN.md section
// 4), made from a workspace's store. Pure but for the store, which one thread at a time reads.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/error.h"
#include "engine/job.h"
#include "indexer/document_outliner.h"
#include "indexer/summary.h"
#include "indexer/workspace_view.h"

namespace hearth::lsp {

struct PromptContext {
  struct Part {
    std::string path;
    std::string asked;          // the name around the cursor that it was made for
    std::uint64_t content = 0;  // of the file that the text was made of
    std::string text;
    int tokens = 0;

    bool operator==(const Part&) const = default;
  };
  std::string manifests;  // the text of A; empty: none
  int manifest_tokens = 0;
  std::vector<Part> files;  // B, in the order of the prompt

  int tokens() const;
  std::vector<engine::Segment> segments() const;  // optional ones; below all of the file's own

  bool operator==(const PromptContext&) const = default;
};

struct ContextLimits {
  int manifest_tokens = 60;
  int file_tokens = 0;  // of all related files together; none where 0
  std::size_t files = 6;
};

// For so many tokens of all that is said of the workspace, in a prompt of so many and a model's context.
ContextLimits context_limits(int related_tokens, int prompt_tokens, int context_tokens);

struct ContextPlace {
  std::string path;  // from the workspace's root
  std::string text;  // the whole document
  std::size_t cursor = 0;
  std::vector<std::string> recent;            // other files, the last used first
  std::set<std::string, std::less<>> masked;  // files that nothing may be taken from
};

// With `previous`, all stays what it was while it is true and holds what matters most now; else what of it is
// still wanted keeps its place and its text, and what is new comes after it.
engine::Result<PromptContext> make_context(indexer::WorkspaceView& view, indexer::DocumentOutliner& outliner,
                                           const ContextPlace& place, const ContextLimits& limits,
                                           const indexer::CountTokens& count,
                                           const PromptContext* previous = nullptr,
                                           std::stop_token stop = {});

}  // namespace hearth::lsp
