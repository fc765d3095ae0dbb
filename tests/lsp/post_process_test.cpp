// Cases are data: cases/post_process/*.txt, each a document with the cursor at ▮, the model's raw text, and
// the document after accepting (with ▮ where the insertion ends), or nothing when nothing is to be shown.
#include "lsp/post_process.h"

#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>

#include "lsp/continuations.h"
#include "lsp/cursor_scope.h"
#include "lsp/language.h"
#include "lsp/post_brackets.h"
#include "lsp/stop_rules.h"
#include "lsp/syntax_faults.h"
#include "lsp/text_shape.h"
#include "tests/support/case_files.h"
#include "tests/support/temporary_folder.h"

namespace hearth::lsp {
namespace {

using tests::Case;
using tests::kMark;

constexpr std::chrono::seconds kAnyTime(60);  // what a parse finds must not depend on the machine

// Of language, extent, end, crlf; document, raw, expected.
std::vector<Case> read_cases() {
  std::vector<Case> cases = tests::read_cases("post_process");
  for (Case& c : cases) {
    // A section's last line end, and the blank line before the next case, are no part of it.
    for (const char* name : {"document", "raw"}) {
      std::string& text = c.fields[name];
      if (text.ends_with('\n')) text.pop_back();
    }
    std::string& expected = c.fields["expected"];
    while (expected.ends_with('\n')) expected.pop_back();
  }
  return cases;
}

std::string replace_all(std::string text, std::string_view what, std::string_view with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size()) {
    text.replace(at, what.size(), with);
  }
  return text;
}

std::string outcome(const Case& c) {
  auto fields = c.fields;
  const bool crlf = fields["crlf"] == "yes";
  std::string text = fields["document"];
  if (crlf) text = replace_all(text, "\n", "\r\n");
  const std::size_t cursor = text.find(kMark);
  text.erase(cursor, kMark.size());
  const CursorPlace place{text, cursor, "a", fields["language"]};
  const Extent extent = fields["extent"] == "block"  ? Extent::kBlock
                        : fields["extent"] == "line" ? Extent::kLine
                                                     : Extent::kAuto;
  const RawEnd end = fields["end"] == "cut" ? RawEnd::kCutShort : RawEnd::kStopped;
  std::string raw = fields["raw"];
  if (fields.contains("raw-crlf")) raw = replace_all(raw, "\n", "\r\n");
  SyntaxFaults syntax(nullptr, kAnyTime);
  const auto insertion =
      post_process(place, raw, {request_stop_rules(place, Settings{}, extent), end}, &syntax);
  if (!insertion) return {};
  std::string result = text;
  result.replace(cursor, insertion->replaces_after, insertion->text + std::string{kMark});
  if (crlf) {
    const std::string bare = replace_all(result, "\r\n", "");
    if (bare.find_first_of("\r\n") != std::string::npos) return "mixed line ends: " + result;
    result = replace_all(result, "\r\n", "\n");
  }
  while (result.ends_with('\n')) result.pop_back();
  return result;
}

TEST(PostProcess, MakesOfEachRawTextWhatTheCaseExpects) {
  const std::vector<Case> cases = read_cases();
  EXPECT_GT(cases.size(), 60u);
  for (const Case& c : cases) EXPECT_EQ(outcome(c), c.fields.at("expected")) << c.file << ": " << c.name;
}

// What may never happen, whatever the model says.
TEST(PostProcess, GivesOnlyWellFormedInsertionsForAnyRawText) {
  const std::vector<Case> cases = read_cases();
  SyntaxFaults syntax(nullptr, kAnyTime);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Case& c = cases[i];
    for (std::size_t j = i % 4; j < cases.size(); j += 4) {
      const Case& other = cases[j];
      std::string text = c.fields.at("document");
      const std::size_t cursor = text.find(kMark);
      text.erase(cursor, kMark.size());
      const CursorPlace place{text, cursor, "a", c.fields.at("language")};
      for (const Extent extent : {Extent::kAuto, Extent::kBlock}) {
        const PostProcessing how{request_stop_rules(place, Settings{}, extent)};
        const auto insertion = post_process(place, other.fields.at("raw"), how, &syntax);
        if (!insertion) continue;
        EXPECT_FALSE(insertion->text.empty());
        EXPECT_EQ(insertion->text.find('\r'), std::string::npos);
        EXPECT_EQ(insertion->text.find("<file_sep>"), std::string::npos);
        const std::string_view replaced{text.data() + cursor, insertion->replaces_after};
        EXPECT_EQ(replaced.find('\n'), std::string_view::npos);
        std::size_t matched = 0;
        for (const char ch : insertion->text) matched += matched < replaced.size() && ch == replaced[matched];
        EXPECT_EQ(matched, replaced.size());
      }
    }
  }
}

// What the grammar finds wrong, unless what is right does so, too.
class Faults {
 public:
  Faults(const CursorText& around, const std::string& language, SyntaxFaults& syntax)
      : around_(around),
        language_(language),
        syntax_(syntax),
        most_(find(around.before + around.after).size()),
        known_(find(around.before.substr(0, around.before.size() - around.line_before.size()) +
                    around.after.substr(around.rest.size()))) {}

  std::size_t of_other_lines() const { return known_.size(); }

  // Whether there are more once `insertion` and then `rest` stand in the document.
  bool grow_with(const Insertion& insertion, std::string_view rest) const {
    std::string text{trim_right(insertion.text)};  // a closer that it sets on a line of its own comes last
    const std::size_t last = text.rfind('\n');
    const std::string indent{
        indentation(last == std::string::npos ? around_.line_before : text.substr(last + 1))};
    text += replace_all(std::string{rest}, "\n", "\n" + indent);
    const std::string after = around_.after.substr(insertion.replaces_after);
    return are_more(find(around_.before + text + after)) &&
           are_more(find(around_.before + text + missing_closers(text, around_, language_) + after));
  }

 private:
  std::vector<std::string> find(const std::string& text) const {
    const auto found = syntax_.find(language_, text);
    EXPECT_TRUE(found) << text;
    return found.value_or(std::vector<std::string>());
  }

  // With one among them of a kind that other lines do not have, or have less often but for one.
  bool are_more(const std::vector<std::string>& found) const {
    if (found.size() <= most_) return false;
    return std::ranges::any_of(found, [&](const std::string& fault) {
      const auto like_it = std::ranges::count(known_, fault);
      return fault.empty() || like_it == 0 || std::ranges::count(found, fault) > like_it + 1;
    });
  }

  const CursorText& around_;
  const std::string& language_;
  SyntaxFaults& syntax_;
  std::size_t most_;
  std::vector<std::string> known_;  // of other lines
};

// What is inserted may be unfinished, as "if x:" is. But something can stand behind it with which the
// document has no more faults than it had: every fault that the text alone adds is at its end.
TEST(PostProcess, AddsNoFaultThatWhatMayFollowDoesNotMend) {
  const std::vector<Case> cases = read_cases();
  SyntaxFaults syntax(nullptr, kAnyTime);
  int insertions = 0, unfinished = 0;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const std::string& language = cases[i].fields.at("language");
    if (!SyntaxFaults::covers(language)) continue;
    std::string text = cases[i].fields.at("document");
    const std::size_t cursor = text.find(kMark);
    text.erase(cursor, kMark.size());
    const CursorPlace place{text, cursor, "a", language};
    const CursorText around{place};
    const Faults faults(around, language, syntax);
    if (faults.of_other_lines() > 2) continue;  // the text is not of this grammar
    for (std::size_t j = i % 8; j < cases.size(); j += 8) {
      for (const Extent extent : {Extent::kAuto, Extent::kBlock}) {
        for (const RawEnd end : {RawEnd::kStopped, RawEnd::kCutShort}) {
          const PostProcessing how{request_stop_rules(place, Settings{}, extent), end};
          const auto insertion = post_process(place, cases[j].fields.at("raw"), how, &syntax);
          if (!insertion) continue;
          ++insertions;
          unfinished += faults.grow_with(*insertion, "");
          const auto is_mended_by = [&](std::string_view rest) {
            return !faults.grow_with(*insertion, rest);
          };
          EXPECT_TRUE(std::ranges::any_of(continuations(language), is_mended_by))
              << cases[i].name << " [" << language << "] and the text of " << cases[j].name << ":\n"
              << around.before << "<<" << insertion->text << ">>"
              << around.after.substr(insertion->replaces_after);
        }
      }
    }
  }
  EXPECT_GT(insertions, 2000);
  EXPECT_GT(unfinished, 100);
}

// The model was right: what stands in a real file is what is inserted there. But for a line that the next one
// repeats, and blanks behind a blank.
TEST(PostProcess, LeavesWhatStandsInRealFilesAsItIs) {
  SyntaxFaults syntax(nullptr, kAnyTime);
  int places = 0;
  for (const char* folder : {"/tests/indexer/cases", "/tests/e2e/quality_projects"}) {
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator{std::string{HEARTH_SOURCE_DIR} + folder}) {
      const std::string language{language_of_path(entry.path().string())};
      if (!entry.is_regular_file() || !SyntaxFaults::covers(language)) continue;
      const std::string text = testing::read_text(entry.path());
      for (std::size_t line = 0; line < text.size(); line = line_end(text, line) + 1) {
        const std::string_view whole =
            trim_right(std::string_view(text).substr(line, line_end(text, line) - line));
        const std::size_t indent = indentation(whole).size();
        for (const std::size_t column : {indent, (indent + whole.size()) / 2}) {
          const std::string truth{whole.substr(column)};
          const std::string open = text.substr(0, line + column) + text.substr(line_end(text, line));
          const CursorPlace place{open, line + column, "a", language};
          const bool begins_in_blanks = column > 0 && is_blank(whole.substr(column - 1, 2));
          if (is_blank(truth) || begins_in_blanks || CursorText(place).line_below() == whole) continue;
          ++places;
          const auto insertion =
              post_process(place, truth, {request_stop_rules(place, Settings{}, Extent::kLine)}, &syntax);
          EXPECT_EQ(insertion ? insertion->text : "nothing", truth) << entry.path() << ": " << whole;
        }
      }
    }
  }
  EXPECT_GT(places, 1000);
}

}  // namespace
}  // namespace hearth::lsp
