#include "lsp/post_syntax.h"

#include <algorithm>
#include <limits>
#include <set>
#include <string>
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

// Of the whole, and again of its parts, each a parse of what it changes: tries, and bytes of the text around.
constexpr std::size_t kMostTries = 60;
constexpr std::size_t kMostBytes = 1 << 20;
constexpr int kMany = std::numeric_limits<int>::max();
// Faults from which on the grammar may not be the text's, and is not where other lines than the user's have
// more than one in so many.
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

std::string without_line(std::string_view text, std::size_t cursor) {
  const std::size_t start = line_start(text, cursor);
  return std::string(text.substr(0, start)) += text.substr(line_end(text, cursor));
}

// The tries with one piece of the document.
class Trial {
 public:
  Trial(SyntaxWindow window, const CursorText& around, std::string_view language, RawEnd end, RestOfLine rest,
        SyntaxFaults& syntax)
      : window_(std::move(window)),
        around_(around),
        language_(language),
        end_(end),
        rest_(rest),
        syntax_(syntax),
        near_(CursorPlace{window_.text, window_.cursor, "", std::string(language)}),
        place_(find_place()),
        rests_(continuations(language)) {}

  // The first variant of all of `text` that adds no fault; an empty one where there is none; nothing where
  // the syntax could not tell.
  std::optional<Insertion> whole(const std::string& text) {
    if (place_ == Place::kUntold) return std::nullopt;
    if (place_ == Place::kProse) return whole_prose(text);
    const auto faults = syntax_.find(language_, window_.text);
    is_late_ |= !faults;
    if (!faults) return std::nullopt;
    std::optional<std::pair<int, Insertion>> whole;
    if (faults->size() < kTellingFaults) {
      whole = best(text, 0, Part::kWhole);
      if (!whole || whole->first == 0) return whole ? std::optional(whole->second) : std::nullopt;
    }
    const auto without_line = learn_faults_without_line();
    const auto before = without_line ? faults_before() : std::nullopt;
    if (!before) return std::nullopt;
    before_ = *before;
    enough_ = std::min(*before, *without_line);
    if (!whole || !known_.empty()) whole = best(text, enough_, Part::kWhole);
    if (!whole) return std::nullopt;
    least_ = whole->first;
    return least_ <= enough_ ? whole->second : Insertion();
  }

  // Whether a parse took too long, so that what was found says nothing.
  bool is_late() const { return is_late_; }

  // Whether what `whole` gave leaves no fault at all.
  bool is_sure() const { return least_ == 0; }

  bool has_all() const { return window_.is_all; }

  // The longest part that adds none, where `whole` found that all of it does; empty where there is none;
  // nothing where it is late.
  std::optional<Insertion> part(const std::string& text) {
    begin_again();
    Insertion part = place_ == Place::kProse ? part_of_prose(text) : part_of_code(text);
    return is_late_ ? std::nullopt : std::optional(std::move(part));
  }

 private:
  // Of the cursor. A window that begins inside a string has another idea of it.
  Place find_place() const {
    const CodeScan all = scan_code(around_.before, syntax_of(language_), around_.before.size());
    const CodeScan near = scan_code(near_.before, syntax_of(language_), near_.before.size());
    if (near.at_mark != all.at_mark || near.quote_at_mark != all.quote_at_mark) return Place::kUntold;
    return all.at_mark == Inside::kCode || all.quote_at_mark.size() == 1 ? Place::kCode : Place::kProse;
  }

  // Brackets mean nothing there, but the text may end the string, or the comment.
  std::optional<Insertion> whole_prose(const std::string& text) {
    const auto before = learn_faults();
    if (!before) return std::nullopt;
    before_ = least_ = *before;
    return harmless(text, before_);
  }

  Insertion part_of_prose(const std::string& text) {
    for (const std::size_t line_end : line_ends(text)) {
      Insertion lines = harmless(text.substr(0, line_end), before_);
      if (!lines.text.empty()) return lines;
    }
    return {};
  }

  Insertion part_of_code(const std::string& text) {
    // Where the user's own line is at fault and no part of the text mends it, brackets have to do.
    Insertion otherwise;
    if (least_ <= before_) {
      const Insertion by_brackets = fit_brackets(text, around_, language_, end_, rest_);
      if (adds_none(by_brackets, before_)) otherwise = by_brackets;
    }
    Insertion lines;
    std::size_t first = 0, last = text.size();  // of the line that is at fault
    for (const std::size_t line_end : line_ends(text)) {
      if (const auto cut = this->cut(text, line_end)) {
        lines = *cut;
        first = line_end;
        break;
      }
      last = line_end;
    }
    for (const std::size_t token_end : token_ends(text, first, last)) {
      if (const auto cut = this->cut(text, token_end)) return *cut;
    }
    return lines.text.empty() ? otherwise : lines;
  }

  // The faults that are there anyway.
  std::optional<int> faults_before() { return faults(near_.before, {}, near_.after); }

  // Takes the errors that other lines than the user's have for the grammar's own from now on, as any number
  // of their like, anywhere. Says how many faults these lines have; nothing where they are so many that the
  // text is of another language, or of macros.
  std::optional<int> learn_faults_without_line() {
    const auto near = syntax_.find(language_, without_line(window_.text, window_.cursor));
    const auto all =
        window_.is_all
            ? std::nullopt
            : syntax_.find(language_, without_line(around_.before + around_.after, around_.before.size()));
    begin_again();
    is_late_ |= !near;
    const auto lines = static_cast<std::size_t>(std::ranges::count(window_.text, '\n'));
    if (!near || (near->size() >= kTellingFaults && near->size() * kTellingLines > lines))
      return std::nullopt;
    most_known_ = learn(*near);
    if (all) learn(*all);
    return static_cast<int>(near->size());
  }

  // The same with the user's line, which a string or comment of several lines may begin in.
  std::optional<int> learn_faults() {
    const auto found = syntax_.find(language_, window_.text);
    is_late_ |= !found;
    if (!found) return std::nullopt;
    most_known_ = learn(*found);
    return static_cast<int>(found->size());
  }

  void begin_again() {
    syntax_.find(language_, window_.text);  // what is tried differs little from it
    tries_ = 0;
  }

  // The part of `text` up to `end`, where that leaves no more than enough faults.
  std::optional<Insertion> cut(std::string_view text, std::size_t end) {
    const auto found = best(std::string(trim_right(text.substr(0, end))), enough_, Part::kCut);
    return found && found->first <= enough_ ? std::optional(found->second) : std::nullopt;
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

  bool is_tired() const { return tries_ >= kMostTries || tries_ * window_.text.size() > kMostBytes; }

  // How many may be the grammar's own.
  std::size_t learn(const std::vector<std::string>& faults) {
    std::size_t n = 0;
    for (const std::string& fault : faults) {
      if (fault.empty()) continue;
      known_.insert(fault);
      ++n;
    }
    return n;
  }

  std::optional<int> faults(std::string_view before, std::string_view text, std::string_view after) {
    if (is_tired()) return std::nullopt;
    ++tries_;
    const auto found = syntax_.find_in_variant(std::string(before) += std::string(text) += after);
    is_late_ |= !found;
    if (!found) return std::nullopt;
    const auto is_known = [&](const std::string& fault) { return known_.contains(fault); };
    const auto known = static_cast<std::size_t>(std::ranges::count_if(*found, is_known));
    return static_cast<int>(found->size() - known + std::min(known, most_known_));
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

  SyntaxWindow window_;
  const CursorText& around_;
  std::string_view language_;
  RawEnd end_;
  RestOfLine rest_;
  SyntaxFaults& syntax_;
  CursorText near_;  // the window's
  Place place_;
  std::vector<std::string_view> rests_;
  std::set<std::string> known_;  // the grammar's own faults
  std::size_t most_known_ = 0;   // as many as this of them count
  std::size_t tries_ = 0;
  bool is_late_ = false;
  int before_ = 0, enough_ = 0;  // faults that are there anyway, and that a text may leave
  int least_ = 0;                // that all of it leaves
};

}  // namespace

std::optional<Insertion> fit_syntax(const std::string& text, const CursorText& around,
                                    std::string_view language, RawEnd end, RestOfLine rest,
                                    SyntaxFaults& syntax) {
  Trial near(syntax_window(around, language), around, language, end, rest, syntax);
  const auto all = near.whole(text);
  const bool fits = all && !all->text.empty();
  if (fits && (all->text == text || near.is_sure())) return all;
  if (near.is_late()) return std::nullopt;
  if (near.has_all()) return fits || !all ? all : near.part(text);
  // It may be wrong only in the window, which was cut out of the text.
  Trial wide({around.before + around.after, around.before.size(), true}, around, language, end, rest, syntax);
  const auto all_wide = wide.whole(text);
  if (all_wide && !all_wide->text.empty()) return all_wide;
  if (fits) return all;
  if (!all && (!all_wide || wide.is_late())) return std::nullopt;
  return (all ? near : wide).part(text);
}

}  // namespace hearth::lsp
