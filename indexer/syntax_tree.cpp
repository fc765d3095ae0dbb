#include "indexer/syntax_tree.h"

#include <algorithm>
#include <ctime>

namespace hearth::indexer {
namespace {

// Processor time: on a busy machine a file must not be lost because others were faster.
std::chrono::nanoseconds thread_time() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

struct Progress {
  std::stop_token stop;
  std::chrono::nanoseconds deadline;
};

bool should_give_up(TSParseState* state) {
  const auto& progress = *static_cast<const Progress*>(state->payload);
  return progress.stop.stop_requested() || thread_time() > progress.deadline;
}

const char* read_text(void* payload, std::uint32_t byte, TSPoint, std::uint32_t* size) {
  const auto& text = *static_cast<const std::string_view*>(payload);
  const std::size_t at = std::min<std::size_t>(byte, text.size());
  *size = static_cast<std::uint32_t>(text.size() - at);
  return text.data() + at;
}

}  // namespace

void SyntaxTree::edit(const TextEdit& edit) {
  const TSInputEdit input = {edit.start,       edit.old_end,       edit.new_end,
                             edit.start_point, edit.old_end_point, edit.new_end_point};
  ts_tree_edit(tree_.get(), &input);
}

SyntaxParser::SyntaxParser() : parser_(ts_parser_new()) {}

std::optional<SyntaxTree> SyntaxParser::parse(const Language& language, std::string_view text,
                                              std::chrono::milliseconds limit, std::stop_token stop,
                                              const SyntaxTree* previous) {
  ts_parser_reset(parser_.get());
  if (!ts_parser_set_language(parser_.get(), language.grammar())) return std::nullopt;
  Progress progress{std::move(stop), thread_time() + limit};
  const TSInput input = {&text, read_text, TSInputEncodingUTF8, nullptr};
  const TSParseOptions options = {&progress, should_give_up};
  TSTree* tree = ts_parser_parse_with_options(parser_.get(), previous == nullptr ? nullptr : previous->get(),
                                              input, options);
  if (tree == nullptr) return std::nullopt;
  return SyntaxTree(tree);
}

}  // namespace hearth::indexer
