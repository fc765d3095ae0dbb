#include "indexer/document_outliner.h"

#include <algorithm>
#include <utility>

namespace hearth::indexer {
namespace {

TSPoint point_at(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const std::size_t line_start = before.rfind('\n') + 1;  // 0 on the first line
  return {static_cast<std::uint32_t>(std::ranges::count(before, '\n')),
          static_cast<std::uint32_t>(offset - line_start)};
}

}  // namespace

TextEdit edit_between(std::string_view before, std::string_view after) {
  const auto start = static_cast<std::size_t>(std::ranges::mismatch(before, after).in1 - before.begin());
  const std::size_t most = std::min(before.size(), after.size()) - start;
  std::size_t same = 0;  // at the end
  while (same < most && before[before.size() - 1 - same] == after[after.size() - 1 - same]) ++same;
  const std::size_t old_end = before.size() - same, new_end = after.size() - same;
  return {static_cast<std::uint32_t>(start),   static_cast<std::uint32_t>(old_end),
          static_cast<std::uint32_t>(new_end), point_at(before, start),
          point_at(before, old_end),           point_at(after, new_end)};
}

Result<std::optional<Outline>> DocumentOutliner::outline(std::string_view file, const Language& language,
                                                         std::string_view text,
                                                         std::chrono::milliseconds limit,
                                                         std::stop_token stop) {
  const auto parsing = ParseJournal::enter(journal_, file, text);
  if (parsing.is_refused()) return std::nullopt;
  std::optional<Parsed> last = std::exchange(last_, std::nullopt);
  const SyntaxTree* previous = nullptr;
  if (last && last->language == &language) {
    const TextEdit edit = edit_between(last->text, text);
    const bool is_the_same_document = 2 * (edit.new_end - edit.start) <= text.size();
    if (is_the_same_document) {
      last->tree.edit(edit);
      previous = &last->tree;
    }
  }
  auto parsed = outliner_.parse(language, text, limit, std::move(stop), previous);
  if (!parsed) return std::nullopt;
  auto outline = outliner_.outline(language, text, *parsed);
  if (!outline) return outline.error();
  last_ = Parsed{&language, std::string(text), std::move(*parsed)};
  return std::optional(std::move(*outline));
}

}  // namespace hearth::indexer
