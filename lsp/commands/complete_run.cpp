#include "lsp/commands/complete_run.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <variant>

#include "engine/local_engine.h"
#include "engine/text_edit.h"
#include "lsp/silence.h"
#include "lsp/text_shape.h"

namespace hearth::commands {
namespace {

using Clock = std::chrono::steady_clock;

std::string describe(const engine::ModelChoice& choice) {
  const std::string name = choice.path.stem().string() + " (" + choice.path.string() + ")";
  switch (choice.kind) {
    case engine::ModelKind::kAsked: return name;
    case engine::ModelKind::kDefault: return name + ", the default model";
    case engine::ModelKind::kEmbedded:
      return name + ", the embedded model; `hearth model fetch` brings the default one";
  }
  return name;
}

// As an editor with these settings would tell it.
void explain(CompletionOutcome& outcome, const lsp::CursorPlace& place, const lsp::Settings& settings) {
  const lsp::Document document("", std::string(place.language), 0, std::string(place.text));
  const bool is_there = outcome.insertion.has_value();
  const double least = settings.completion_min_confidence / 100.0;
  const bool is_sure = is_there && outcome.final.alternatives.front().confidence >= least;
  const lsp::Silence by_settings = lsp::silence_by_settings(document, settings);
  lsp::Silence unasked = by_settings;
  if (unasked == lsp::Silence::kNone && !is_sure) unasked = lsp::silence_of(outcome.final, least);
  const lsp::Silence by_hand = is_there ? lsp::Silence::kNone : lsp::silence_of(outcome.final, 0);
  outcome.by_hand = lsp::explanation(by_hand, document, settings, {});
  outcome.unasked = lsp::explanation(unasked, document, settings, {});
}

}  // namespace

engine::Result<CompletionRunner> CompletionRunner::start(const engine::ModelFolders& folders,
                                                         const std::optional<std::string>& model, int threads,
                                                         engine::KvType kv_type) {
  const auto choice = engine::choose_model(folders, model);
  if (!choice) return choice.error();
  CompletionRunner runner;
  runner.model_line_ = describe(*choice);
  engine::LocalEngineOptions options;
  options.model = choice->path;
  options.threads = threads;
  options.kv_type = kv_type;
  runner.engine_ = engine::start_local_engine(std::move(options));
  const engine::Final loaded = runner.wait_until_idle();
  if (loaded.reason == engine::FinishReason::kFailed) {
    return engine::Error{engine::ErrorCode::kUnreadable, loaded.error};
  }
  runner.context_tokens_ = runner.engine_->status().context_tokens;
  return runner;
}

// A warm job's end tells that the model is loaded, and that all that was to be remembered before it is.
engine::Final CompletionRunner::wait_until_idle() {
  engine::Job job;
  job.client = "complete";
  job.priority = engine::Priority::kWarm;
  job.segments = lsp::plan_prompt({.text = "\n", .cursor = 0, .path = "", .language = ""}, {}).segments;
  return wait_for(engine_->submit(std::move(job)));
}

void CompletionRunner::remember_all(std::map<std::string, std::string> documents) {
  for (const auto& [document, text] : std::exchange(remembered_, {})) engine_->forget(document);
  open_.clear();
  for (auto& [document, text] : documents) tell(document, std::move(text));
  wait_until_idle();
}

void CompletionRunner::tell(const std::string& document, std::string text) {
  std::string& known = remembered_[document];
  engine_->remember(
      {.document = document, .version = version_++, .edits = {engine::difference(known, text)}});
  known = std::move(text);
}

engine::Final CompletionRunner::wait_for(engine::JobId job) {
  while (true) {
    const auto event = engine_->wait(Clock::time_point::max());
    const auto* final = event ? std::get_if<engine::Final>(&*event) : nullptr;
    if (final != nullptr && final->job == job) return *final;
  }
}

std::vector<int> CompletionRunner::count_tokens(const std::vector<std::string>& texts) const {
  const auto counted = engine_->count_tokens(texts);
  return counted ? *counted : std::vector<int>(texts.size(), 0);
}

engine::Job CompletionRunner::plan(const lsp::CursorPlace& place, const CompletionLimits& limits,
                                   std::shared_ptr<const lsp::PromptContext> context) const {
  lsp::Settings settings;
  settings.completion_alternatives = 1;
  settings.completion_max_tokens = limits.max_tokens.value_or(settings.completion_max_tokens);
  settings.completion_context_tokens = limits.context_tokens.value_or(settings.completion_context_tokens);
  lsp::CompletionRequest request;
  request.place = place;
  request.priority = engine::Priority::kInvoked;
  request.extent = limits.extent;
  request.context_tokens = context_tokens_;
  request.context = std::move(context);
  engine::Job job = lsp::plan_completion(request, settings).job;
  job.client = "complete";
  job.document = place.path;
  return job;
}

engine::Result<CompletionOutcome> CompletionRunner::complete(
    const lsp::CursorPlace& place, const CompletionLimits& limits, lsp::RestOfLine rest,
    std::shared_ptr<const lsp::PromptContext> context, const WorkspaceUse& use) {
  const auto began = Clock::now();
  CompletionOutcome outcome;
  outcome.job = plan(place, limits, std::move(context));
  if (use.memory && remembered_.contains(place.path)) {
    if (open_ != place.path && !open_.empty()) tell(open_, std::move(open_before_));
    if (open_ != place.path) open_before_ = remembered_[place.path];
    open_ = place.path;
    tell(open_, lsp::with_lf(place.text));
  }
  outcome.job.masked = use.masked;
  outcome.job.switches.memory = use.memory;
  outcome.job.soft_ms = limits.soft_ms;
  outcome.job.hard_ms = limits.hard_ms;
  outcome.final = wait_for(engine_->submit(outcome.job));
  if (outcome.final.reason == engine::FinishReason::kFailed) {
    return engine::Error{engine::ErrorCode::kInvalid, outcome.final.error};
  }
  auto insertions = lsp::finish_completion(place, outcome.job.stop, outcome.final, &syntax_, rest);
  if (!insertions.empty()) outcome.insertion = std::move(insertions.front());
  lsp::Settings settings;
  settings.completion_hard_ms = limits.hard_ms.value_or(settings.completion_hard_ms);
  explain(outcome, place, settings);
  outcome.ms = std::chrono::duration<double, std::milli>(Clock::now() - began).count();
  return outcome;
}

}  // namespace hearth::commands
