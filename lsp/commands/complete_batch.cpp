#include <boost/json.hpp>
#include <string>

#include "lsp/batch_request.h"
#include "lsp/commands/complete_run.h"
#include "lsp/text_shape.h"

namespace hearth::commands {
namespace {

boost::json::object answer_line(const lsp::BatchLine& line, CompletionRunner& runner,
                                const CompletionLimits& limits, Workspaces& workspaces) {
  if (!line.request) return {{"id", line.id}, {"error", line.request.error().message}};
  const lsp::BatchRequest& request = *line.request;
  const std::string text = request.prefix + request.suffix;
  CompletionLimits own = limits;
  if (request.max_tokens) own.max_tokens = request.max_tokens;
  lsp::CursorPlace place{text, request.prefix.size(), request.path, request.language};
  std::shared_ptr<const lsp::PromptContext> context;
  const std::optional<FilePlace> file = workspaces.place_of(request.path);
  if (file && workspaces.is_known(*file)) {
    place.path = file->path;
    context = workspaces.context(
        *file, text, place.cursor, Workspaces::Hidden::kFileAndCopies, runner.context_tokens(),
        [&](const std::vector<std::string>& texts) { return runner.count_tokens(texts); });
  }
  const auto outcome = runner.complete(place, own, lsp::RestOfLine::kStays, std::move(context));
  if (!outcome) return {{"id", line.id}, {"error", outcome.error().message}};
  return {{"id", line.id},
          {"completion", outcome->insertion ? outcome->insertion->text : std::string{}},
          {"ms", outcome->ms},
          {"prompt_tokens", outcome->final.usage.prompt_tokens},
          {"cached_tokens", outcome->final.usage.cached_tokens}};
}

}  // namespace

bool complete_batch(std::istream& in, std::ostream& out, CompletionRunner& runner,
                    const CompletionLimits& limits, Workspaces& workspaces) {
  bool all_good = true;
  std::size_t number = 0;
  for (std::string text; std::getline(in, text);) {
    ++number;
    if (lsp::is_blank(text)) continue;
    const boost::json::object answer =
        answer_line(lsp::read_batch_line(text, number), runner, limits, workspaces);
    all_good = all_good && !answer.contains("error");
    out << boost::json::serialize(answer) << std::endl;
  }
  return all_good;
}

}  // namespace hearth::commands
