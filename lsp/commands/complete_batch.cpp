#include <boost/json.hpp>
#include <optional>
#include <string>

#include "lsp/batch_request.h"
#include "lsp/commands/complete_run.h"
#include "lsp/text_shape.h"

namespace hearth::commands {
namespace {

class Batch {
 public:
  Batch(CompletionRunner& runner, const CompletionLimits& limits, Workspaces& workspaces, bool memory,
        BatchAnswers answers)
      : runner_(runner),
        limits_(limits),
        workspaces_(workspaces),
        memory_(memory && answers == BatchAnswers::kCompletions),
        answers_(answers) {}

  boost::json::object answer(const lsp::BatchLine& line) {
    if (!line.request) return {{"id", line.id}, {"error", line.request.error().message}};
    const lsp::BatchRequest& request = *line.request;
    const std::string text = request.prefix + request.suffix;
    CompletionLimits limits = limits_;
    if (request.max_tokens) limits.max_tokens = request.max_tokens;
    lsp::CursorPlace place{text, request.prefix.size(), request.path, request.language};
    std::shared_ptr<const lsp::PromptContext> context;
    WorkspaceUse use{memory_, {}};
    const std::optional<FilePlace> file = workspaces_.place_of(request.path);
    if (file && workspaces_.is_known(*file)) {
      place.path = file->path;
      context = workspaces_.context(
          *file, text, place.cursor, Workspaces::Hidden::kFileAndCopies, runner_.context_tokens(),
          [&](const std::vector<std::string>& texts) { return runner_.count_tokens(texts); });
      if (memory_) use.masked = workspaces_.copies(*file, text);
      if (memory_ && remembered_ != file->root) runner_.remember_all(workspaces_.documents(*file));
      remembered_ = file->root;
    } else if (remembered_) {
      runner_.remember_all({});
      remembered_.reset();
    }
    if (answers_ == BatchAnswers::kPlans) {
      return {{"id", line.id}, {"segments", plan_json(runner_.plan(place, limits, std::move(context)))}};
    }
    const auto outcome = runner_.complete(place, limits, lsp::RestOfLine::kStays, std::move(context), use);
    if (!outcome) return {{"id", line.id}, {"error", outcome.error().message}};
    return {{"id", line.id},
            {"completion", outcome->insertion ? outcome->insertion->text : std::string{}},
            {"ms", outcome->ms},
            {"prompt_tokens", outcome->final.usage.prompt_tokens},
            {"cached_tokens", outcome->final.usage.cached_tokens}};
  }

 private:
  CompletionRunner& runner_;
  const CompletionLimits& limits_;
  Workspaces& workspaces_;
  const bool memory_;
  const BatchAnswers answers_;
  std::optional<std::filesystem::path> remembered_;  // the workspace that the memory holds
};

}  // namespace

bool complete_batch(std::istream& in, std::ostream& out, CompletionRunner& runner,
                    const CompletionLimits& limits, Workspaces& workspaces, bool memory,
                    BatchAnswers answers) {
  bool all_good = true;
  std::size_t number = 0;
  Batch batch(runner, limits, workspaces, memory, answers);
  for (std::string text; std::getline(in, text);) {
    ++number;
    if (lsp::is_blank(text)) continue;
    const boost::json::object answer = batch.answer(lsp::read_batch_line(text, number));
    all_good = all_good && !answer.contains("error");
    out << boost::json::serialize(answer) << std::endl;
  }
  return all_good;
}

}  // namespace hearth::commands
