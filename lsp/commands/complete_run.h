// One completion after another on an engine of this process: what `hearth complete` and its batch share.
#pragma once

#include <boost/json.hpp>
#include <istream>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "engine/engine_client.h"
#include "engine/model_catalog.h"
#include "lsp/commands/workspace.h"
#include "lsp/completion.h"
#include "lsp/syntax_faults.h"

namespace hearth::commands {

struct CompletionLimits {
  lsp::Extent extent = lsp::Extent::kAuto;
  std::optional<int> max_tokens;
  std::optional<int> context_tokens;    // to aim at; the setting's default where empty
  std::optional<int> soft_ms, hard_ms;  // no deadline where empty
};

// What a completion may know beyond its own text.
struct WorkspaceUse {
  bool memory = true;
  std::vector<std::string> masked;  // documents that nothing may be answered from
};

struct CompletionOutcome {
  engine::Job job;
  engine::Final final;
  std::optional<lsp::Insertion> insertion;
  boost::json::object by_hand;  // whether an editor would show it when asked, and why not (lsp::explanation)
  boost::json::object unasked;  // the same of itself
  double ms = 0;                // planning and post-processing included
};

// Owns the engine; one thread uses it.
class CompletionRunner {
 public:
  // Waits until the model is loaded.
  static engine::Result<CompletionRunner> start(const engine::ModelFolders& folders,
                                                const std::optional<std::string>& model, int threads,
                                                engine::KvType kv_type = engine::KvType::kAuto);

  const std::string& model_line() const { return model_line_; }  // which model, and why this one
  engine::EngineClient& engine() { return *engine_; }

  // Events of other jobs are passed over.
  engine::Final wait_for(engine::JobId job);

  int context_tokens() const { return context_tokens_; }

  // As indexer::CountTokens; what cannot be counted has none.
  std::vector<int> count_tokens(const std::vector<std::string>& texts) const;

  // What `complete` asks the engine. `context`: what the workspace says, if it does.
  engine::Job plan(const lsp::CursorPlace& place, const CompletionLimits& limits,
                   std::shared_ptr<const lsp::PromptContext> context) const;

  // An Error when the engine failed.
  engine::Result<CompletionOutcome> complete(const lsp::CursorPlace& place, const CompletionLimits& limits,
                                             lsp::RestOfLine rest,
                                             std::shared_ptr<const lsp::PromptContext> context,
                                             const WorkspaceUse& use = {});

  // The engine's memory holds these documents, by their paths, and no others, when this returns. While one
  // of them is completed, it holds the text that is completed instead.
  void remember_all(std::map<std::string, std::string> documents);

 private:
  CompletionRunner() = default;
  engine::Final wait_until_idle();
  void tell(const std::string& document, std::string text);

  std::unique_ptr<engine::EngineClient> engine_;
  lsp::SyntaxFaults syntax_;
  std::string model_line_;
  int context_tokens_ = 0;
  std::map<std::string, std::string> remembered_;  // what the memory holds
  std::string open_, open_before_;  // the document completed last, and what it held before that
  std::int64_t version_ = 1;
};

enum class BatchAnswers : std::uint8_t { kCompletions, kPlans };

// Answers each line of `in` with a line of `out`, in order, flushed. False when a line was bad or failed.
// What the workspace says and what the memory holds comes neither from the line's own path nor from copies of
// its text.
bool complete_batch(std::istream& in, std::ostream& out, CompletionRunner& runner,
                    const CompletionLimits& limits, Workspaces& workspaces, bool memory,
                    BatchAnswers answers);

// The segments' kinds and texts.
boost::json::array plan_json(const engine::Job& job);

// Segments with their sizes, what was cached, where the time went.
std::string explain_text(const CompletionOutcome& outcome, const std::vector<int>& segment_tokens);
boost::json::object explain_json(const CompletionOutcome& outcome, const std::vector<int>& segment_tokens);

}  // namespace hearth::commands
