#include "lsp/completion_items.h"

#include <gtest/gtest.h>
#include <memory>
#include <string>

namespace hearth::lsp {
namespace {

namespace json = boost::json;

constexpr PositionEncoding kUtf16 = PositionEncoding::kUtf16;

Snapshot document(std::string text) {
  return std::make_shared<const Document>("file:///a.py", "python", 1, std::move(text));
}

// The client's document after it took an item, by the letter of the protocol.
std::string accepted(const Snapshot& document, const json::value& range_value, const json::value& text) {
  Range range;
  JsonProblem problem;
  EXPECT_TRUE(from_json(range_value, range, JsonPath("range", problem))) << problem;
  EXPECT_EQ(range.start.line, range.end.line);
  return document->changed({{range, std::string(text.as_string())}}, 2, kUtf16).text();
}

TEST(CompletionItems, InlineItemsStandAtTheCursorAndReplaceWhatTheyHold) {
  const Snapshot text = document("print(\U0001F600)\n");
  const InlinePlace place = inline_place(text, {0, 8}, std::nullopt, kUtf16);
  EXPECT_EQ(place.cursor, 10u);
  const json::object list = inline_completion_list(place, {{", end='')", 1}}, kUtf16);
  const json::value& item = list.at("items").at(0);
  EXPECT_EQ(item.at("range"),
            json::parse(R"({"start":{"line":0,"character":8},"end":{"line":0,"character":9}})"));
  EXPECT_EQ(accepted(text, item.at("range"), item.at("insertText")), "print(\U0001F600, end='')\n");
}

TEST(CompletionItems, InlineItemsExtendTheItemSelectedInThePopupOverItsRange) {
  const Snapshot text = document("x = con.exe)\n");
  const SelectedCompletionInfo selected{{{0, 8}, {0, 11}}, "execute"};
  const InlinePlace place = inline_place(text, {0, 11}, selected, kUtf16);
  EXPECT_EQ(place.document->text(), "x = con.execute)\n");
  EXPECT_EQ(place.cursor, 15u);
  const json::object list = inline_completion_list(place, {{"(sql)", 1}}, kUtf16);
  const json::value& item = list.at("items").at(0);
  EXPECT_EQ(item.at("insertText"), "execute(sql)");
  EXPECT_EQ(item.at("range"),
            json::parse(R"({"start":{"line":0,"character":8},"end":{"line":0,"character":12}})"));
  EXPECT_EQ(accepted(text, item.at("range"), item.at("insertText")), "x = con.execute(sql)\n");
}

TEST(CompletionItems, ASelectedItemElsewhereCountsForNothing) {
  const Snapshot text = document("x = con.exe\nyy\n");
  for (const Range range :
       {Range{{0, 0}, {0, 3}}, Range{{0, 8}, {1, 1}}, Range{{1, 0}, {1, 1}}, Range{{0, 12}, {0, 9}}}) {
    const InlinePlace place = inline_place(text, {0, 11}, SelectedCompletionInfo{range, "zz"}, kUtf16);
    EXPECT_EQ(place.document, text);
    EXPECT_EQ(place.selected_text, "");
  }
}

TEST(CompletionItems, PopupItemsHoldTheWordBeforeTheCursor) {
  const Snapshot text = document("value = comp\n");
  const json::object list = completion_list(*text, 12, {{"ute()", 0}}, PopupLines::kFirst, kUtf16);
  EXPECT_EQ(list.at("isIncomplete"), true);
  const json::value& item = list.at("items").at(0);
  EXPECT_EQ(item.at("label"), "compute()");
  EXPECT_EQ(item.at("filterText"), "compute()");
  EXPECT_EQ(item.at("insertTextMode"), 1);
  EXPECT_EQ(item.at("textEdit").at("range"),
            json::parse(R"({"start":{"line":0,"character":8},"end":{"line":0,"character":12}})"));
  EXPECT_EQ(accepted(text, item.at("textEdit").at("range"), item.at("textEdit").at("newText")),
            "value = compute()\n");
}

TEST(CompletionItems, PopupItemsLeaveWhatStandsBehindTheCursorWhereTheyCan) {
  const Snapshot text = document("f()\n");
  const json::object list = completion_list(*text, 2, {{"a, b)", 1}, {"a):", 1}}, PopupLines::kFirst, kUtf16);
  const json::value& first = list.at("items").at(0);
  EXPECT_EQ(first.at("textEdit").at("newText"), "a, b");
  EXPECT_EQ(first.at("textEdit").at("range").at("end").at("character"), 2);
  const json::value& second = list.at("items").at(1);
  EXPECT_EQ(accepted(text, second.at("textEdit").at("range"), second.at("textEdit").at("newText")),
            "f(a):\n");
}

TEST(CompletionItems, PopupItemsAreOfOneLineUnlessAllAreWanted) {
  const Snapshot text = document("if x:\n");
  const std::vector<Insertion> insertions{
      {"  # yes\n    go()", 0}, {"  # yes\n    stop()", 0}, {"\n    go()", 0}};
  const json::object first = completion_list(*text, 5, insertions, PopupLines::kFirst, kUtf16);
  ASSERT_EQ(first.at("items").as_array().size(), 1u);
  EXPECT_EQ(first.at("items").at(0).at("textEdit").at("newText"), "  # yes");
  const json::object all = completion_list(*text, 5, insertions, PopupLines::kAll, kUtf16);
  ASSERT_EQ(all.at("items").as_array().size(), 3u);
  EXPECT_EQ(all.at("items").at(2).at("textEdit").at("newText"), "\n    go()");
  EXPECT_EQ(all.at("items").at(2).at("label"), "go()");
}

}  // namespace
}  // namespace hearth::lsp
