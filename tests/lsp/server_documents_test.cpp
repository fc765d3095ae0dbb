// Documents of all kinds, through the server.
#include <fstream>
#include <gtest/gtest.h>

#include "tests/support/server_fixture.h"
#include "tests/support/temporary_folder.h"

namespace hearth::lsp {
namespace {

using tests::ServerFixture;
namespace json = boost::json;

constexpr char kNotebook[] = "file:///project/a.ipynb";
constexpr char kFirst[] = "vscode-notebook-cell:/project/a.ipynb#first";
constexpr char kProse[] = "vscode-notebook-cell:/project/a.ipynb#prose";
constexpr char kSecond[] = "vscode-notebook-cell:/project/a.ipynb#second";

json::object text_document(const char* uri, const char* language, const char* text) {
  return {{"uri", uri}, {"languageId", language}, {"version", 1}, {"text", text}};
}

void open_notebook(ServerFixture& fixture) {
  fixture.notify(
      "notebookDocument/didOpen",
      {{"notebookDocument",
        {{"uri", kNotebook},
         {"notebookType", "jupyter-notebook"},
         {"version", 1},
         {"cells",
          {json::object{{"kind", 2}, {"document", kFirst}}, json::object{{"kind", 1}, {"document", kProse}},
           json::object{{"kind", 2}, {"document", kSecond}}}}}},
       {"cellTextDocuments",
        {text_document(kFirst, "python", "import math"), text_document(kProse, "markdown", "# Circles"),
         text_document(kSecond, "python", "area = ")}}});
}

std::string prompt_of(ServerFixture& fixture) {
  std::string prompt;
  for (const engine::Segment& segment : fixture.engine.job(fixture.engine.open().front()).segments) {
    prompt += segment.text;
  }
  return prompt;
}

TEST(ServerDocuments, CompletesInACellWithTheCellsBeforeIt) {
  ServerFixture fixture;
  const json::object initialized = fixture.initialize();
  EXPECT_TRUE(initialized.at("capabilities").as_object().contains("notebookDocumentSync"));
  open_notebook(fixture);
  const auto asked = fixture.ask_inline(0, 7, 2, kSecond);
  const std::string prompt = prompt_of(fixture);
  EXPECT_NE(prompt.find("import math\n\narea = "), std::string::npos) << prompt;
  EXPECT_EQ(prompt.find("Circles"), std::string::npos);
  fixture.engine_says({"math.pi"});
  const json::value item = fixture.result(asked).at("items").at(0);
  EXPECT_EQ(item.at("insertText"), "math.pi");
  EXPECT_EQ(item.at("range").at("start"), json::parse(R"({"line":0,"character":7})"));
}

TEST(ServerDocuments, FollowsANotebooksCells) {
  ServerFixture fixture;
  fixture.initialize();
  open_notebook(fixture);
  // The first cell moves behind the second, whose text changes too.
  fixture.notify("notebookDocument/didChange",
                 {{"notebookDocument", {{"uri", kNotebook}, {"version", 2}}},
                  {"change",
                   {{"cells",
                     {{"structure",
                       {{"array",
                         {{"start", 0},
                          {"deleteCount", 3},
                          {"cells",
                           {json::object{{"kind", 2}, {"document", kSecond}},
                            json::object{{"kind", 2}, {"document", kFirst}}}}}},
                        {"didClose", {json::object{{"uri", kProse}}}}}},
                      {"textContent",
                       {json::object{{"document", {{"uri", kSecond}, {"version", 2}}},
                                     {"changes", {json::object{{"text", "radius = 2"}}}}}}}}}}}});
  fixture.ask_inline(0, 11, 2, kFirst);
  const std::string prompt = prompt_of(fixture);
  EXPECT_NE(prompt.find("radius = 2\n\nimport math"), std::string::npos) << prompt;
  EXPECT_EQ(fixture.error_code(fixture.ask_inline(0, 0, 2, kProse)), -32602);
  fixture.notify("notebookDocument/didClose",
                 {{"notebookDocument", {{"uri", kNotebook}}},
                  {"cellTextDocuments", {json::object{{"uri", kFirst}}, json::object{{"uri", kSecond}}}}});
  EXPECT_EQ(fixture.error_code(fixture.ask_inline(0, 0, 2, kFirst)), -32602);
}

TEST(ServerDocuments, KnowsAUriInEverySpelling) {
  ServerFixture fixture;
  fixture.initialize();
  fixture.open("x = \n", "file:///c%3A/My%20Files/a.py");
  const auto asked = fixture.ask_inline(0, 4, 2, "file:///C:/My Files/a.py");
  fixture.engine_says({"1"});
  EXPECT_EQ(fixture.inline_texts(asked), std::vector<std::string>{"1"});
}

TEST(ServerDocuments, ReadsOfAHugeLineWhatStandsNearTheCursor) {
  ServerFixture fixture;
  fixture.initialize();
  std::string line = "values = [";
  for (int i = 0; i < 20'000; ++i) line += "😀é, ";  // 100,000 units of UTF-16
  fixture.open(line + "]\n");
  const std::uint32_t middle = 10 + 5 * 10'000;
  fixture.insert(0, middle, "x");
  const auto asked = fixture.ask_inline(0, middle + 1, 2);
  const std::string prompt = prompt_of(fixture);
  EXPECT_LT(prompt.size(), 10'000u);
  EXPECT_NE(prompt.find("😀é, 😀é, x"), std::string::npos);
  fixture.engine_says({"yz, "});
  const json::value item = fixture.result(asked).at("items").at(0);
  EXPECT_EQ(item.at("insertText"), "yz, ");
  EXPECT_EQ(item.at("range").at("start").at("character"), middle + 1);
  const auto menu = fixture.ask_popup(0, middle + 1);
  fixture.engine_says({"yz, "});
  EXPECT_FALSE(fixture.result(menu).at("items").as_array().empty());
}

TEST(ServerDocuments, NeitherReadsNorCompletesSecretsAndSaysWhy) {
  ServerFixture fixture;
  fixture.initialize();
  fixture.open("TOKEN=", "file:///project/deploy/.env", "shellscript");
  fixture.clock.advance(std::chrono::seconds(1));
  EXPECT_TRUE(fixture.engine.open(engine::Priority::kWarm).empty());
  EXPECT_TRUE(fixture.inline_texts(fixture.ask_inline(0, 6, 1, "file:///project/deploy/.env")).empty());
  EXPECT_TRUE(fixture.engine.open(engine::Priority::kWarm).empty());
  const json::value why = fixture.result(
      fixture.request("hearth/why", {{"textDocument", {{"uri", "file:///project/deploy/.env"}}},
                                     {"position", {{"line", 0}, {"character", 6}}}}));
  EXPECT_EQ(why.at("code"), "secret");
}

TEST(ServerDocuments, LeavesAloneWhatHearthignoreNamesInNoWorkspaceToo) {
  const hearth::testing::TemporaryFolder folder;
  std::filesystem::create_directory(folder / "below");
  std::ofstream(folder / ".hearthignore") << "private*.py\n";
  ServerFixture fixture;
  fixture.request("initialize", {{"processId", nullptr}, {"capabilities", json::object()}});
  for (const auto& [name, code] : {std::pair{"private_keys.py", "ignored"},
                                   {"below/private.py", "ignored"},
                                   {"below/public.py", "suggests"}}) {
    const std::string uri = "file://" + (folder / name).string();
    fixture.open("x = \n", uri);
    const auto id = fixture.request("hearth/status", {{"textDocument", {{"uri", uri}}}});
    EXPECT_EQ(fixture.result(id).at("here").at("code"), code) << name;
  }
}

TEST(ServerDocuments, LeavesAloneWhatHearthignoreNames) {
  const hearth::testing::TemporaryFolder folder;
  std::ofstream(folder / ".hearthignore") << "private*.py\n";
  std::ofstream(folder / ".gitignore") << "local.py\n";
  ServerFixture fixture;
  fixture.request("initialize",
                  {{"processId", nullptr},
                   {"capabilities", json::object()},
                   {"workspaceFolders",
                    {json::object{{"uri", "file:///elsewhere"}, {"name", "elsewhere"}},
                     json::object{{"uri", "file://" + folder.path().string()}, {"name", "here"}}}}});
  const auto suggests = [&](const std::string& name) {
    const std::string uri = "file://" + (folder / name).string();
    fixture.open("x = \n", uri);
    const auto id = fixture.request("hearth/status", {{"textDocument", {{"uri", uri}}}});
    return fixture.result(id).at("here").at("code");
  };
  EXPECT_EQ(suggests("private_keys.py"), "ignored");
  EXPECT_EQ(suggests("public.py"), "suggests");
  EXPECT_EQ(suggests("local.py"), "suggests");
}

TEST(ServerDocuments, KeepsStatisticsByFolderAndLanguage) {
  ServerFixture fixture;
  fixture.initialize();
  fixture.open("x = \n");
  fixture.ask_inline(0, 4);
  fixture.engine_says({"compute()"});
  fixture.insert(0, 4, "compute()");
  fixture.clock.advance(std::chrono::seconds(31));
  ASSERT_EQ(fixture.kept.size(), 1u);
  EXPECT_EQ(fixture.kept[0].folder, "/project");
  ASSERT_EQ(fixture.kept[0].languages.size(), 1u);
  EXPECT_EQ(fixture.kept[0].languages[0].language, "python");
  EXPECT_EQ(fixture.kept[0].languages[0].suggestions.shown, 1);
  EXPECT_EQ(fixture.kept[0].languages[0].latency.answers(), 1);
  fixture.insert(0, 13, "\n");
  fixture.ask_inline(1, 0);
  fixture.engine_says({"y"});
  fixture.clock.advance(std::chrono::seconds(31));
  ASSERT_EQ(fixture.kept.size(), 2u);
  EXPECT_EQ(fixture.kept[1].languages[0].suggestions.accepted, 1);
  EXPECT_EQ(fixture.kept[1].languages[0].suggestions.characters, 9);
}

}  // namespace
}  // namespace hearth::lsp
