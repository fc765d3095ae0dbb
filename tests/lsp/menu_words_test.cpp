#include "lsp/menu_words.h"

#include <gtest/gtest.h>

#include "lsp/language.h"
#include "lsp/word_items.h"

namespace hearth::lsp {
namespace {

namespace json = boost::json;
using Names = std::vector<std::string>;

cache::SymbolRow symbol(std::string name, std::string kind, std::string container = {},
                        bool is_public = true) {
  cache::SymbolRow row;
  row.name = name;
  row.kind = std::move(kind);
  row.container = std::move(container);
  row.signature = row.kind + " " + name;
  row.documentation = "About " + name + ".";
  row.is_public = is_public;
  row.start_line = 6;
  return row;
}

MenuWords menu(std::string_view text, const KnownSymbols& known, std::string_view language = "python") {
  const NearNames near = near_names(text, text.size(), syntax_of(language));
  return menu_words(near, text.substr(near.word.begin), language, known);
}

Names names(const MenuWords& menu) {
  Names names;
  for (const MenuWord& word : menu.words) names.push_back(word.name);
  return names;
}

TEST(MenuWords, AreTheNearNamesAndThenThoseOfTheIndex) {
  KnownSymbols known;
  known.indexed = {{"far.py", symbol("price_of", "function")},
                   {"shop/prices.py", symbol("PriceList", "class")}};
  known.imported = {"shop/prices.py"};
  EXPECT_EQ(names(menu("price = 1\nprinted = 2\nprize\npri", known)),
            (Names{"prize", "printed", "price", "PriceList", "price_of"}));
  EXPECT_EQ(names(menu("price = 1\nPric", known)), (Names{"price", "PriceList", "price_of"}))
      << "what is imported comes first";
}

TEST(MenuWords, BehindADotAreMembersOnly) {
  KnownSymbols known;
  known.indexed = {{"a.py", symbol("append_all", "function")},
                   {"a.py", symbol("append_one", "method", "List")},
                   {"a.py", symbol("AppendError", "class", "List")}};
  EXPECT_EQ(names(menu("self.appended = append_here\nself.app", known)), (Names{"appended", "append_one"}));
  EXPECT_EQ(names(menu("self.appended = append_here\napp", known)),
            (Names{"append_here", "append_all", "AppendError"}));
}

TEST(MenuWords, OfOtherLanguagesDoNotCount) {
  KnownSymbols known;
  known.indexed = {{"a.js", symbol("renderAll", "function")}, {"a.py", symbol("render_all", "function")}};
  EXPECT_EQ(names(menu("rend", known, "typescript")), Names{"renderAll"});
  EXPECT_EQ(names(menu("rend", known, "python")), Names{"render_all"});
}

TEST(MenuWords, TellWhatIsKnownOfTheirNames) {
  KnownSymbols known;
  known.own = {symbol("area_of", "function")};
  known.indexed = {{"shapes.py", symbol("area_of", "variable")},
                   {"shapes.py", symbol("area_all", "function")}};
  const MenuWords words = menu("area_of(area_all, areas)\narea", known);
  ASSERT_EQ(names(words), (Names{"areas", "area_all", "area_of"}));
  EXPECT_EQ(words.words[0].kind, "");
  EXPECT_EQ(words.words[1].path, "shapes.py");
  EXPECT_EQ(words.words[2].kind, "function") << "the document's own word counts";
  EXPECT_EQ(words.words[2].path, "");
}

TEST(MenuWords, OfMoreNamesThanAMenuHoldsAreNotWhole) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "name_" + std::to_string(i) + "\n";
  const MenuWords many = menu(text + "nam", {});
  EXPECT_FALSE(many.whole);
  EXPECT_EQ(many.words.size(), kMostMenuWords);
  const MenuWords few = menu(text + "name_9", {});
  EXPECT_TRUE(few.whole);
  EXPECT_EQ(few.words.size(), 10u) << "name_90 to name_99";
}

TEST(MenuWords, AreOrderedByTheirScores) {
  MenuWords words = menu("alpha\nalbum\nalso\nal", {});
  ASSERT_EQ(names(words), (Names{"also", "album", "alpha"}));
  put_in_order(words, {-3, -1});
  EXPECT_EQ(names(words), (Names{"album", "also", "alpha"}));
}

TEST(MenuWords, BecomeItemsThatSayMoreWhenTheyAreLookedAt) {
  const Document document("file:///a.py", "python", 1, "area = 1\nprint(are");
  KnownSymbols known;
  known.own = {symbol("area", "variable")};
  known.indexed = {{"shapes.py", symbol("area_of", "function")}};
  const SentMenu sent{4, menu(document.text(), known)};
  json::object list{{"isIncomplete", false}, {"items", {{{"label", "are_text"}}, {{"label", "area"}}}}};
  add_word_items(list, document, document.text().size(), sent, PositionEncoding::kUtf16);
  const json::array& items = list.at("items").as_array();
  ASSERT_EQ(items.size(), 3u) << "area stands there already";
  EXPECT_EQ(list.at("isIncomplete"), false);
  const json::object item = items[2].as_object();
  EXPECT_EQ(item.at("label"), "area_of");
  EXPECT_EQ(item.at("kind"), 3);
  EXPECT_EQ(item.at("detail"), "function area_of");
  EXPECT_FALSE(item.contains("documentation"));
  EXPECT_EQ(item.at("textEdit"), json::parse(R"({"range": {"start": {"line": 1, "character": 6},
                                                 "end": {"line": 1, "character": 9}}, "newText": "area_of"})"));
  EXPECT_EQ(resolved_item(item, sent).at("documentation").at("value"), "About area_of.\n\nshapes.py, line 7");
  SentMenu other = sent;
  other.id = 5;
  EXPECT_EQ(resolved_item(item, other), item);
  for (const char* strange :
       {R"({})", R"({"data": 1})", R"({"data": {"list": 4}})", R"({"data": {"list": 4, "word": "x"}})",
        R"({"data": {"list": 4, "word": 99}})"}) {
    const json::object odd = json::parse(strange).as_object();
    EXPECT_EQ(resolved_item(odd, sent), odd) << strange;
  }
}

}  // namespace
}  // namespace hearth::lsp
