#include "lsp/typed_through.h"

#include <algorithm>

#include "lsp/text_shape.h"

namespace hearth::lsp {
namespace {

// What stands right of the cursor now, against what stood there.
struct Right {
  std::string_view added;     // closers the editor put there
  std::size_t swallowed = 0;  // bytes that were typed over
};

// The closer an editor adds for each opener typed, innermost first.
bool closes_typed(std::string_view added, std::string_view typed) {
  constexpr std::string_view kOpeners = "([{\"'`";
  constexpr std::string_view kClosers = ")]}\"'`";
  std::size_t at = typed.size();
  for (const char closer : added) {
    const std::size_t kind = kClosers.find(closer);
    if (kind == std::string_view::npos || at == 0) return false;
    const std::size_t opener = typed.rfind(kOpeners[kind], at - 1);
    if (opener == std::string_view::npos) return false;
    at = opener;
  }
  return true;
}

std::optional<Insertion> rest_of(const Insertion& insertion, std::string_view typed,
                                 std::string_view old_right, std::string_view new_right) {
  if (!insertion.text.starts_with(typed)) return std::nullopt;
  Insertion rest{insertion.text.substr(typed.size()), insertion.replaces_after};
  if (rest.text.empty()) return std::nullopt;
  if (new_right == old_right) return rest;
  if (new_right.size() < old_right.size()) {
    const std::size_t swallowed = old_right.size() - new_right.size();
    const bool typed_over = swallowed <= insertion.replaces_after && old_right.ends_with(new_right);
    if (!typed_over) return std::nullopt;
    rest.replaces_after -= swallowed;
    return rest;
  }
  const std::string_view added = new_right.substr(0, new_right.size() - old_right.size());
  if (!new_right.ends_with(old_right) || !closes_typed(added, typed)) return std::nullopt;
  if (rest.text.ends_with(added) && rest.text.find('\n') == std::string::npos && rest.replaces_after == 0) {
    rest.text.resize(rest.text.size() - added.size());
    if (rest.text.empty()) return std::nullopt;
    return rest;
  }
  std::size_t matched = 0;
  for (const char c : rest.text) {
    if (matched < added.size() && c == added[matched]) ++matched;
  }
  if (matched < added.size()) return std::nullopt;
  rest.replaces_after += added.size();
  return rest;
}

}  // namespace

std::vector<Insertion> typed_through(const Answer& answer, std::string_view text, std::size_t cursor) {
  if (cursor < answer.cursor || cursor > text.size()) return {};
  const std::string_view old_text = answer.text;
  if (text.substr(0, answer.cursor) != old_text.substr(0, answer.cursor)) return {};
  const std::string_view typed = text.substr(answer.cursor, cursor - answer.cursor);
  std::vector<Insertion> rests;
  for (const Insertion& insertion : answer.insertions) {
    auto rest = rest_of(insertion, typed, old_text.substr(answer.cursor), text.substr(cursor));
    const bool is_new = rest && std::ranges::find(rests, *rest) == rests.end();
    if (is_new && !(is_blank(rest->text) && !typed.empty())) rests.push_back(std::move(*rest));
  }
  return rests;
}

}  // namespace hearth::lsp
