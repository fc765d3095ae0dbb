#include "lsp/client_options.h"

#include <gtest/gtest.h>
#include <initializer_list>
#include <vector>

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
    EXPECT_EQ(json::value(options.settings), json::parse(R"({"enable": false})")) << text;
  }
  for (const char* text : {"null", "{}", "[]", "3", R"({"triggerKinds": "3.17"})", R"({"hearth": null})"}) {
    EXPECT_EQ(read_client_options(json::parse(text)).trigger_kinds, TriggerKinds::kUnknown) << text;
  }
}

TEST(ClientOptions, AConfigurationReplacesTheOneBeforeAndGoesOnTopOfWhatTheClientWasInitializedWith) {
  struct Case {
    const char* what;
    const char* at_start;
    std::vector<const char*> configurations;
    const char* holds;  // after the last of them
  };
  for (const Case& item : std::initializer_list<Case>{
           {"a setting among others",
            R"({"a": 1, "b": {"c": 2, "d": 3}})",
            {R"({"hearth": {"b": {"c": 4}}})"},
            R"({"a": 1, "b.c": 4, "b.d": 3})"},
           {"nothing", R"({"a": 1})", {"null"}, R"({"a": 1})"},
           {"nothing of ours", R"({"a": 1})", {R"({"hearth": {}})", "{}", "null"}, R"({"a": 1})"},
           {"dots", "null", {R"({"hearth.a": 2})"}, R"({"a": 2})"},
           {"dots over nested", R"({"b": {"c": 2}})", {R"({"b.c": 3})"}, R"({"b.c": 3})"},
           {"nested over dots", R"({"b.c": 2})", {R"({"b": {"c": 3}})"}, R"({"b.c": 3})"},
           {"two spellings, the later", "null", {R"({"b": {"c": 2}, "b.c": 3})"}, R"({"b.c": 3})"},
           {"null: its default", R"({"a": 1, "b": 2})", {R"({"a": null})"}, R"({"a": null, "b": 2})"},
           {"a group's null", R"({"b": {"c": 2}, "bc": 3})", {R"({"b": null})"}, R"({"b": null, "bc": 3})"},
           {"an empty group", R"({"b": {"c": 2}})", {R"({"b": {}})"}, R"({"b": {}, "b.c": 2})"},
           {"taken out again", "null", {R"({"a": 1, "b": 2})", R"({"b": 2})"}, R"({"b": 2})"},
           {"named by both, then by none",
            R"({"a": 1, "b": 2})",
            {R"({"hearth": {"a": 1}})", R"({"hearth": {}})"},
            R"({"b": 2})"},
           {"null, then by none", R"({"a": 1})", {R"({"a": null})", "{}"}, "{}"},
       }) {
    ClientOptions options = read_client_options(json::parse(item.at_start));
    json::object holds;
    for (const char* text : item.configurations) holds = configured(options.settings, json::parse(text));
    EXPECT_EQ(json::value(holds), json::parse(item.holds)) << item.what;
  }
}

}  // namespace
}  // namespace hearth::lsp
