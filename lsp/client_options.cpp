#include "lsp/client_options.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace hearth::lsp {

namespace json = boost::json;

namespace {

constexpr std::string_view kSection = "hearth";
constexpr std::string_view kDotted = "hearth.";

// Of two spellings of one setting the later counts.
void flatten(std::string_view key, const json::value& value, json::object& flat) {
  const json::object* group = value.if_object();
  if (!group || group->empty()) {
    flat[key] = value;
    return;
  }
  for (const auto& [name, member] : *group) {
    flatten(std::string(key) + "." + std::string(name), member, flat);
  }
}

// The settings under "hearth" with dotted keys, without that prefix.
json::object flat_settings(const json::value& client) {
  json::object flat;
  const json::object* object = client.if_object();
  if (!object) return flat;
  bool whole = false;
  for (const auto& [key, member] : *object) {
    const std::string_view name(key.data(), key.size());
    if (name.starts_with(kDotted)) {
      flatten(name.substr(kDotted.size()), member, flat);
      whole = true;
    } else if (name == kSection) {
      if (const json::object* section = member.if_object()) {
        for (const auto& [inner_key, inner_member] : *section) flatten(inner_key, inner_member, flat);
      }
      whole = true;
    }
  }
  if (whole) return flat;
  for (const auto& [key, member] : *object) flatten(key, member, flat);
  return flat;
}

// Whether it is the setting `named` or one of the group `named`.
bool is_named_by(std::string_view key, std::string_view named) {
  return key.starts_with(named) && (key.size() == named.size() || key[named.size()] == '.');
}

}  // namespace

ClientOptions read_client_options(const json::value& initialization_options) {
  ClientOptions options;
  json::object settings = flat_settings(initialization_options);
  if (const json::value* kinds = settings.if_contains("triggerKinds")) {
    if (*kinds == "3.18") options.trigger_kinds = TriggerKinds::k318;
    settings.erase("triggerKinds");
  }
  if (const json::value* reports = settings.if_contains("reportAnswers")) {
    if (*reports == true) options.reports = AnswerReports::kOn;
    settings.erase("reportAnswers");
  }
  if (const json::value* tokens = settings.if_contains("exactTokens")) {
    if (tokens->is_int64()) options.exact_tokens = static_cast<int>(tokens->as_int64());
    settings.erase("exactTokens");
  }
  options.settings = std::move(settings);
  return options;
}

json::object configured(json::object& settings, const json::value& configuration) {
  json::object holds = flat_settings(configuration);
  json::object left;
  for (const auto& setting : settings) {
    const auto names_it = [&](const auto& member) {
      return is_named_by(setting.key(), member.key()) && !member.value().is_object();  // {} names nothing
    };
    if (std::ranges::none_of(holds, names_it)) left[setting.key()] = setting.value();
  }
  settings = left;
  for (const auto& [key, value] : settings) holds[key] = value;
  return holds;
}

}  // namespace hearth::lsp
