#include "lsp/post_syntax.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "lsp/code_scan.h"
#include "lsp/continuations.h"
#include "lsp/language.h"
#include "lsp/post_brackets.h"
#include "lsp/syntax_window.h"
#include "lsp/text_shape.h"

namespace hearth::lsp {
namespace {

constexpr int kMostTries = 60;  // of the whole, and again of its parts; each is a parse of a window of lines
constexpr int kMany = std::numeric_limits<int>::max();
// Faults of other lines from which on the grammar may not be the text's, and is not where they are more than
// one in so many lines.
constexpr std::size_t kTellingFaults = 3, kTellingLines = 8;

// Where lines of `text` end, the last but one first.
std::vector<std::size_t> line_ends(std::string_view text) {
  std::vector<std::size_t> ends;
  for (std::size_t at = text.rfind('\n'); at != std::string_view::npos && at > 0;
       at = text.rfind('\n', at - 1)) {
    ends.push_back(at);
  }
  return ends;
}

// Where tokens end between `begin` and `end`, the last first.
std::vector<std::size_t> token_ends(std::string_view text, std::size_t begin, std::size_t end) {
  std::vector<std::size_t> ends;
  for (std::size_t at = end; at-- > begin + 1;) {
    const bool inside_word = is_word_byte(text[at - 1]) && is_word_byte(text[at]);
    if (!inside_word && !is_blank(text.substr(at - 1, 1))) ends.push_back(at);
  }
  return ends;
}

enum class Part { kWhole, kCut };

enum class Place {
  kCode,   // strings and comments of one line included, which end where the text's first line does
  kProse,  // a string or comment of several lines
  kUntold,
};

struct TellingWindow {
  SyntaxWindow window;  // what `syntax` was asked about last
  std::size_t faults = 0;
};

// The window, or all of the text where the window's own faults come of being cut out of it.
TellingWindow telling_window(const CursorText& around, std::string_view language, SyntaxFaults& syntax) {
  SyntaxWindow window = syntax_window(around, language);
  const auto near = syntax.find(language, window.text);
  if (!near || near->empty()) return {std::move(window), 0};
  SyntaxWindow whole{around.before + around.after, around.before.size()};
  const auto all = syntax.find(language, whole.text);
  if (all && all->size() < near->size()) return {std::move(whole), all->size()};
  syntax.find(language, window.text);
  return {std::move(window), near->size()};
}

class Trial {
 public:
  Trial(const CursorText& around, std::string_view language, RawEnd end, RestOfLine rest,
        SyntaxFaults& syntax)
      : language_(language),
        end_(end),
        rest_(rest),
        syntax_(syntax),
        window_(telling_window(around, language, syntax)),
        near_(CursorPlace{window_.window.text, window_.window.cursor, "", std::string(language)}),
        rests_(continuations(language)) {}

  // Of the cursor's place. A window that begins inside a string has another idea of it.
  Place place(const CursorText& around) const {
    const CodeScan whole = scan_code(around.before, syntax_of(language_), around.before.size());
    const CodeScan near = scan_code(near_.before, syntax_of(language_), near_.before.size());
    if (near.at_mark != whole.at_mark || near.quote_at_mark != whole.quote_at_mark) return Place::kUntold;
    return whole.at_mark == Inside::kCode || whole.quote_at_mark.size() == 1 ? Place::kCode : Place::kProse;
  }

  // The faults that are there anyway.
  std::optional<int> faults_before() { return faults(near_.before, {}, near_.after); }

  // Takes the faults that are there without the line that the user is at for the grammar's from now on, as
  // any number of their like, anywhere. Says how many they are; nothing where they are so many that the text
  // is of another language, or of macros.
  std::optional<int> learn_faults_without_line(const CursorText& around) {
    tries_ = 0;
    known_ = faults_of_other_lines(around).value_or(std::vector<std::string>());
    const auto near = faults_of_other_lines(near_);
    syntax_.find(language_, window_.window.text);  // what is tried differs little from it
    const auto lines = static_cast<std::size_t>(std::ranges::count(window_.window.text, '\n'));
    if (!near || (near->size() >= kTellingFaults && near->size() * kTellingLines > lines))
      return std::nullopt;
    known_.insert(known_.end(), near->begin(), near->end());
    most_known_ = near->size();
    return static_cast<int>(most_known_);
  }

  bool is_very_faulty() const { return window_.faults >= kTellingFaults; }
  bool knows_faults() const { return !known_.empty(); }

  // The part of `text` up to `end`, where that leaves no more than `enough` faults.
  std::optional<Insertion> cut(std::string_view text, std::size_t end, int enough) {
    const auto found = best(std::string(trim_right(text.substr(0, end))), enough, Part::kCut);
    return found && found->first <= enough ? std::optional(found->second) : std::nullopt;
  }

  // The variant with the fewest faults, of those with no more than `enough` the first or one without any;
  // nothing when that could not be told.
  std::optional<std::pair<int, Insertion>> best(const std::string& text, int enough, Part part) {
    std::pair<int, Insertion> best{kMany, {}};
    bool is_blank_always = true;
    for (const Insertion& variant : bracket_variants(text, near_, language_, end_, rest_)) {
      if (is_blank(variant.text)) continue;
      is_blank_always = false;
      const auto found = faults_of(variant, enough, part);
      if (!found && !is_tired()) return std::nullopt;
      if (found.value_or(kMany) < best.first) best = {*found, variant};
      if (best.first == 0 || is_tired()) break;
    }
    if (is_blank_always) best.first = enough;
    return best;
  }

  bool adds_none(const Insertion& insertion, int before) {
    return !is_blank(insertion.text) && faults_of(insertion, before, Part::kWhole).value_or(kMany) <= before;
  }

  // The first variant that adds none, or nothing.
  Insertion harmless(const std::string& text, int before) {
    for (const Insertion& variant : bracket_variants(text, near_, language_, end_, rest_)) {
      if (adds_none(variant, before)) return variant;
    }
    return {};
  }

 private:
  bool is_tired() const { return tries_ >= kMostTries; }

  std::optional<int> faults(std::string_view before, std::string_view text, std::string_view after) {
    if (is_tired()) return std::nullopt;
    ++tries_;
    const auto found = syntax_.find_in_variant(std::string(before) += std::string(text) += after);
    if (!found) return std::nullopt;
    const auto is_known = [&](const std::string& fault) {
      return std::ranges::find(known_, fault) != known_.end();
    };
    const auto known = static_cast<std::size_t>(std::ranges::count_if(*found, is_known));
    return static_cast<int>(found->size() - known + std::min(known, most_known_));
  }

  std::optional<std::vector<std::string>> faults_of_other_lines(const CursorText& text) {
    const std::string_view before = text.before;
    return syntax_.find(language_, std::string(before.substr(0, before.size() - text.line_before.size())) +=
                                   std::string_view(text.after).substr(text.rest.size()));
  }

  std::optional<int> faults_of(const Insertion& variant, int enough, Part part) {
    // What was cut goes on in a block at most.
    constexpr std::string_view kBlockSigns = "{:";
    const bool opens = kBlockSigns.find(trim_right(variant.text).back()) != std::string_view::npos;
    const bool pending = part == Part::kCut ? opens : end_ == RawEnd::kCutShort || goes_on(variant.text);
    const std::string_view after = std::string_view(near_.after).substr(variant.replaces_after);
    std::optional<int> least;
    const auto is_mended_by = [&](const std::string& text) {
      const auto found = faults(near_.before, text, after);
      if (found) least = std::min(least.value_or(*found), *found);
      return !found || *least <= enough;
    };
    for (const std::string_view rest : rests_) {
      const std::string text = variant.text + indented_as_last(rest, variant.text);
      if (is_mended_by(text)) break;
      if (pending && is_mended_by(text + missing_closers(text, near_, language_))) break;
    }
    return least;
  }

  std::string indented_as_last(std::string_view rest, std::string_view text) const {
    std::string out(rest);
    const std::size_t line_end = out.find('\n');
    if (line_end == std::string::npos) return out;
    const std::size_t last = text.rfind('\n');
    const std::string_view line = last == std::string_view::npos ? near_.line_before : text.substr(last + 1);
    return out.insert(line_end + 1, indentation(line));
  }

  std::string_view language_;
  RawEnd end_;
  RestOfLine rest_;
  SyntaxFaults& syntax_;
  TellingWindow window_;
  CursorText near_;  // the window's
  std::vector<std::string_view> rests_;
  std::vector<std::string> known_;  // the grammar's own faults
  std::size_t most_known_ = 0;      // as many as this of them count
  int tries_ = 0;
};

}  // namespace

std::optional<Insertion> fit_syntax(const std::string& text, const CursorText& around,
                                    std::string_view language, RawEnd end, RestOfLine rest,
                                    SyntaxFaults& syntax) {
  Trial trial(around, language, end, rest, syntax);
  const Place place = trial.place(around);
  if (place == Place::kUntold) return std::nullopt;
  if (place == Place::kProse) {
    // Its brackets mean nothing, but it may end the string, or the comment.
    const auto without_line = trial.learn_faults_without_line(around);
    const auto before = without_line ? trial.faults_before() : std::nullopt;
    if (!before) return std::nullopt;
    std::vector<std::size_t> ends = line_ends(text);
    ends.insert(ends.begin(), text.size());
    for (const std::size_t line_end : ends) {
      const Insertion lines = trial.harmless(text.substr(0, line_end), *before);
      if (!lines.text.empty()) return lines;
    }
    return Insertion{};
  }
  std::optional<std::pair<int, Insertion>> whole;
  if (!trial.is_very_faulty()) {
    whole = trial.best(text, 0, Part::kWhole);
    if (!whole || whole->first == 0) return whole ? std::optional(whole->second) : std::nullopt;
  }
  const auto without_line = trial.learn_faults_without_line(around);
  const auto before = without_line ? trial.faults_before() : std::nullopt;
  if (!before) return std::nullopt;
  const int enough = std::min(*before, *without_line);
  if (!whole || trial.knows_faults()) whole = trial.best(text, enough, Part::kWhole);
  if (!whole) return std::nullopt;
  if (whole->first <= enough) return whole->second;
  // Where the user's own line is at fault and no part of the text mends it, brackets have to do.
  Insertion otherwise;
  if (whole->first <= *before) {
    const Insertion by_brackets = fit_brackets(text, around, language, end, rest);
    if (trial.adds_none(by_brackets, *before)) otherwise = by_brackets;
  }
  Insertion lines;
  std::size_t first = 0, last = text.size();  // of the line that is at fault
  for (const std::size_t line_end : line_ends(text)) {
    if (const auto cut = trial.cut(text, line_end, enough)) {
      lines = *cut;
      first = line_end;
      break;
    }
    last = line_end;
  }
  for (const std::size_t token_end : token_ends(text, first, last)) {
    if (const auto cut = trial.cut(text, token_end, enough)) return *cut;
  }
  return lines.text.empty() ? otherwise : lines;
}

}  // namespace hearth::lsp
