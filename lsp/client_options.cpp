#include "lsp/client_options.h"

#include <string>
#include <string_view>

namespace hearth::lsp {

namespace json = boost::json;

namespace {

constexpr std::string_view kSection = "hearth";
constexpr std::string_view kDotted = "hearth.";

// The inner object under "hearth", dotted keys without their prefix.
json::object inner(const json::value& value) {
  json::object out;
  const json::object* object = value.if_object();
  if (!object) return out;
  bool whole = false;
  for (const auto& [key, member] : *object) {
    const std::string_view name(key.data(), key.size());
    if (name.starts_with(kDotted)) {
      out[name.substr(kDotted.size())] = member;
      whole = true;
    } else if (name == kSection) {
      if (const json::object* section = member.if_object()) {
        for (const auto& [inner_key, inner_member] : *section) out[inner_key] = inner_member;
      }
      whole = true;
    }
  }
  return whole ? out : *object;
}

void merge(json::object& base, const json::object& over) {
  for (const auto& [key, value] : over) {
    json::value& slot = base[key];
    if (slot.is_object() && value.is_object()) {
      merge(slot.get_object(), value.get_object());
    } else if (!value.is_null()) {
      // Moved to the end, because of two spellings of one setting the later counts.
      base.erase(key);
      base[key] = value;
    }
  }
}

}  // namespace

ClientOptions read_client_options(const json::value& initialization_options) {
  ClientOptions options;
  json::object settings = inner(initialization_options);
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

json::value merged_settings(const json::value& base, const json::value& over) {
  json::object merged = inner(base);
  merge(merged, inner(over));
  return merged;
}

}  // namespace hearth::lsp
