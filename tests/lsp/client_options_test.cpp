#include "lsp/client_options.h"

#include <gtest/gtest.h>

namespace hearth::lsp {
namespace {

namespace json = boost::json;

TEST(ClientOptions, AreFoundHoweverTheyAreWritten) {
  for (const char* text :
       {R"({"triggerKinds": "3.18", "reportAnswers": true, "enable": false})",
        R"({"hearth": {"triggerKinds": "3.18", "reportAnswers": true, "enable": false}})",
        R"({"hearth.triggerKinds": "3.18", "hearth.reportAnswers": true, "hearth.enable": false})"}) {
    const ClientOptions options = read_client_options(json::parse(text));
    EXPECT_EQ(options.trigger_kinds, TriggerKinds::k318) << text;
    EXPECT_EQ(options.reports, AnswerReports::kOn) << text;
    EXPECT_EQ(options.settings, json::parse(R"({"enable": false})")) << text;
  }
  for (const char* text : {"null", "{}", "[]", "3", R"({"triggerKinds": "3.17"})", R"({"hearth": null})"}) {
    EXPECT_EQ(read_client_options(json::parse(text)).trigger_kinds, TriggerKinds::kUnknown) << text;
  }
}

TEST(ClientOptions, LaterSettingsGoOnTopOfEarlierOnes) {
  struct Case {
    const char *base, *over, *merged;
  };
  for (const auto& [base, over, merged] : std::initializer_list<Case>{
           {R"({"a": 1, "b": {"c": 2, "d": 3}})", R"({"hearth": {"b": {"c": 4}}})",
            R"({"a": 1, "b": {"c": 4, "d": 3}})"},
           {R"({"a": 1})", "null", R"({"a": 1})"},
           {R"({"a": 1})", R"({"a": null})", R"({"a": 1})"},
           {"null", R"({"hearth.a": 2})", R"({"a": 2})"},
           {R"({"b": {"c": 2}})", R"({"b.c": 3})", R"({"b": {"c": 2}, "b.c": 3})"},
       }) {
    EXPECT_EQ(merged_settings(json::parse(base), json::parse(over)), json::parse(merged)) << over;
  }
}

}  // namespace
}  // namespace hearth::lsp
