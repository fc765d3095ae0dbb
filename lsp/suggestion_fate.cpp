#include "lsp/suggestion_fate.h"

#include <algorithm>
#include <utility>

#include "lsp/typed_through.h"

namespace hearth::lsp {
namespace {

constexpr std::int64_t kOneStroke = 2;  // characters that no key types at once

std::int64_t characters_in(std::string_view text) {
  return std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; });
}

std::size_t common_start(std::string_view a, std::string_view b) {
  return static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

}  // namespace

SuggestionFate::Shown SuggestionFate::shown(const Snapshot& document, std::size_t cursor,
                                            const std::vector<Insertion>& insertions) {
  settle();
  if (insertions.empty()) {
    if (followed_) end(Fate::kDisplaced);
    return Shown::kNothing;
  }
  std::int64_t characters = 0;
  bool same = false;
  if (followed_ && cursor == followed_->cursor + followed_->reached) {
    const auto goes_on = [&](const Insertion& old) {
      if (followed_->reached >= old.text.size()) return false;  // nothing of it is left
      const std::string_view rest = std::string_view(old.text).substr(followed_->reached);
      return insertions.front().text.starts_with(rest) || rest.starts_with(insertions.front().text);
    };
    same = std::ranges::any_of(followed_->insertions, goes_on);
  }
  if (same) {
    characters = followed_->characters;
  } else if (followed_) {
    end(Fate::kDisplaced);
  }
  const std::int64_t held = characters_in(std::string_view(document->text()).substr(cursor));
  followed_ = {document, cursor, insertions, 0, held, characters};
  return same ? Shown::kSame : Shown::kNew;
}

void SuggestionFate::edited(const Snapshot& document) {
  settle();
  if (followed_ && !follows(document->text())) end(Fate::kDisplaced);
}

bool SuggestionFate::follows(std::string_view now) {
  Followed& shown = *followed_;
  const std::string_view base = shown.document->text();
  const std::string_view before = base.substr(0, shown.cursor);
  if (!now.starts_with(before)) return false;
  for (const Insertion& insertion : shown.insertions) {
    const std::size_t reached =
        std::min(common_start(now.substr(shown.cursor), insertion.text), insertion.text.size());
    const std::string_view after = base.substr(shown.cursor + insertion.replaces_after);
    const bool whole = reached == insertion.text.size() && now.substr(shown.cursor + reached) == after;
    const bool on_its_way =
        whole ||
        !typed_through({std::string(base), shown.cursor, {insertion}}, now, shown.cursor + reached).empty();
    if (!on_its_way) continue;
    const std::int64_t held = characters_in(now.substr(shown.cursor));
    std::int64_t step = held - std::exchange(shown.held, held);
    const std::size_t before_now = std::min(shown.reached, reached);
    step = std::min(step,
                    characters_in(std::string_view(insertion.text).substr(before_now, reached - before_now)));
    const bool at_a_stroke = step >= kOneStroke;
    if (at_a_stroke) shown.characters += step;
    shown.reached = reached;
    if (whole) end(at_a_stroke ? Fate::kAccepted : Fate::kTypedThrough);
    return true;
  }
  return false;
}

void SuggestionFate::confirmed() {
  if (!unsettled_ && !followed_) return;
  if (!unsettled_) end(Fate::kDisplaced);
  if (unsettled_->fate != Fate::kAccepted) {
    // The edit was not what the suggestion said: the editor changed it on the way.
    unsettled_->fate = Fate::kAccepted;
    const std::string& text = ended_from_->insertions.front().text;
    const std::string_view rest = std::string_view(text).substr(std::min(ended_from_->reached, text.size()));
    unsettled_->characters +=
        std::max<std::int64_t>(characters_in(rest), unsettled_->characters == 0 ? 1 : 0);
  }
  settle();
}

void SuggestionFate::left() {
  settle();
  if (followed_) end(Fate::kDisplaced);
  settle();
}

std::optional<Outcome> SuggestionFate::take() { return std::exchange(settled_, std::nullopt); }

void SuggestionFate::end(Fate fate) {
  const std::int64_t characters = followed_->characters;
  if (fate == Fate::kDisplaced && characters > 0) fate = Fate::kPartlyAccepted;
  unsettled_ = {fate, characters};
  ended_from_ = std::exchange(followed_, std::nullopt);
}

void SuggestionFate::settle() {
  if (unsettled_) settled_ = std::exchange(unsettled_, std::nullopt);
  ended_from_.reset();
}

}  // namespace hearth::lsp
