#include "lsp/settings.h"

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

namespace hearth::lsp {
namespace {

SettingsReading read(std::string_view json) { return read_settings(boost::json::parse(json)); }

TEST(Settings, AreTheDefaultsWhereTheClientSaysNothing) {
  for (const char* json :
       {"null", "{}", R"({"hearth": null})", R"({"hearth": {}})", R"({"hearth": {"engine": null}})",
        R"({"hearth": {"engine": {"threads": null}}})"}) {
    EXPECT_EQ(read(json).settings, Settings{}) << json;
    EXPECT_TRUE(read(json).problems.empty()) << json;
  }
}

TEST(Settings, AreTheSameNestedAndDotted) {
  Settings expected;
  expected.engine_threads = 3;
  expected.completion_multi_line = MultiLine::kNever;
  expected.completion_disabled_languages = {"markdown"};
  for (const char* json : {R"({"hearth": {"engine": {"threads": 3}, "completion": {"multiLine": "never",
            "disabledLanguages": ["markdown"]}}})",
                           R"({"engine": {"threads": 3}, "completion": {"multiLine": "never",
            "disabledLanguages": ["markdown"]}})",
                           R"({"hearth.engine.threads": 3, "hearth.completion.multiLine": "never",
            "hearth.completion.disabledLanguages": ["markdown"]})",
                           R"({"hearth": {"engine.threads": 3.0, "completion.multiLine": "never",
            "completion": {"disabledLanguages": ["markdown"]}}, "editor": {"fontSize": 12}})"}) {
    const SettingsReading reading = read(json);
    EXPECT_EQ(reading.settings, expected) << json;
    EXPECT_TRUE(reading.problems.empty()) << json << reading.problems.front();
  }
}

struct BadCase {
  const char* json;
  std::vector<std::string> parts;  // of the one problem
};

TEST(Settings, NameKeyAndValueOfWhatIsWrongAndApplyTheRest) {
  const std::vector<BadCase> cases{
      {R"({"completion": {"softMS": 90}, "enable": false})", {"hearth.completion.softMS", "90", "softMs"}},
      {R"({"completion": {"softMs": "90"}, "enable": false})",
       {"hearth.completion.softMs", "\"90\"", "60000"}},
      {R"({"completion": {"softMs": 0}, "enable": false})", {"hearth.completion.softMs", "0", "from 1"}},
      {R"({"engine": {"threads": 1.5}, "enable": false})", {"hearth.engine.threads", "1.5", "whole"}},
      {R"({"engine": {"threads": 18446744073709551615}, "enable": false})", {"18446744073709551615"}},
      {R"({"engine": 4, "enable": false})", {"hearth.engine", "4", "object"}},
      {R"({"model": {"path": ["a"]}, "enable": false})", {"hearth.model.path", "[\"a\"]", "string"}},
      {R"({"completion": {"multiLine": "sometimes"}, "enable": false})",
       {"multiLine", "sometimes", "always"}},
      {R"({"completion": {"disabledLanguages": "c"}, "enable": false})",
       {"disabledLanguages", "\"c\"", "array"}},
      {R"({"quantum": {"leap": true}, "enable": false})", {"hearth.quantum", "leap"}},
  };
  Settings expected;
  expected.enable = false;
  for (const BadCase& c : cases) {
    const SettingsReading reading = read(c.json);
    EXPECT_EQ(reading.settings, expected) << c.json;
    ASSERT_EQ(reading.problems.size(), 1u) << c.json;
    for (const std::string& part : c.parts) {
      EXPECT_NE(reading.problems[0].find(part), std::string::npos)
          << reading.problems[0] << " lacks " << part;
    }
  }
  EXPECT_EQ(read("7").problems.size(), 1u);
  EXPECT_EQ(read(R"({"hearth": [1]})").problems.size(), 1u);
}

void check_golden(const std::string& name, const std::string& text) {
  const std::string path = std::string{HEARTH_SOURCE_DIR} + "/extension/" + name;
  if (std::getenv("HEARTH_UPDATE_GOLDENS") != nullptr) std::ofstream{path} << text;
  std::ifstream file{path};
  std::stringstream content;
  content << file.rdbuf();
  EXPECT_EQ(content.str(), text) << path << " is out of date: run this test with HEARTH_UPDATE_GOLDENS=1";
}

TEST(Settings, GenerateTheSchemaInTheTree) {
  check_golden("settings.schema.json", settings_schema_json());
  boost::json::error_code error;
  boost::json::parse(settings_schema_json(), error);
  EXPECT_FALSE(error) << error.message();
}

TEST(Settings, GenerateTheTableInTheTree) { check_golden("SETTINGS.md", settings_markdown()); }

TEST(Settings, AcceptEveryDefaultOfTheirOwnSchema) {
  const auto schema = boost::json::parse(settings_schema_json());
  boost::json::object client;
  for (const auto& [key, property] : schema.at("properties").as_object())
    client[key] = property.at("default");
  const SettingsReading reading = read_settings(client);
  EXPECT_EQ(reading.settings, Settings{});
  EXPECT_TRUE(reading.problems.empty()) << reading.problems.front();
}

}  // namespace
}  // namespace hearth::lsp
