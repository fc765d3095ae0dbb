#include "lsp/settings.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <string_view>
#include <variant>

#include "lsp/edit_distance.h"

namespace hearth::lsp {
namespace {

struct IntegerSetting {
  int Settings::*member;
  int least, most;
};

struct ChoiceSetting {
  std::span<const std::string_view> names;
  void (*set)(Settings&, std::size_t);
  std::size_t (*get)(const Settings&);
};

struct Setting {
  std::string_view key;  // without "hearth."
  std::variant<bool Settings::*, IntegerSetting, std::string Settings::*,
               std::vector<std::string> Settings::*, ChoiceSetting>
      value;
  std::string_view description;
};

constexpr std::array<std::string_view, 3> kMultiLineNames{"never", "auto", "always"};
constexpr std::array<std::string_view, 4> kLogLevelNames{"error", "warning", "info", "debug"};

template <auto kMember>
constexpr ChoiceSetting choice(std::span<const std::string_view> names) {
  return {names,
          [](Settings& settings, std::size_t index) {
            settings.*kMember = static_cast<std::remove_cvref_t<decltype(settings.*kMember)>>(index);
          },
          [](const Settings& settings) { return static_cast<std::size_t>(settings.*kMember); }};
}

const std::array<Setting, 23> kTable{{
    {"enable", &Settings::enable, "Whether completions are offered at all."},
    {"model.path", &Settings::model_path,
     "The model: a GGUF file's path, or the name of one in the model folders. Empty: the default model when "
     "it has been fetched, the embedded one otherwise."},
    {"engine.threads", IntegerSetting{&Settings::engine_threads, 0, 256},
     "Compute threads. 0: one for each core."},
    {"engine.cacheMb", IntegerSetting{&Settings::engine_cache_mb, 16, 65536},
     "Memory for what the model has read already, in MiB; the oldest leaves when it is full."},
    {"engine.kvType", choice<&Settings::engine_kv_type>(engine::kKvTypeNames),
     "How that is kept: f16, bf16, or auto, which is bf16 where this machine is faster with it and the "
     "model's weights are quantised."},
    {"engine.contextTokens", IntegerSetting{&Settings::engine_context_tokens, 0, 131072},
     "Tokens of context the model works with. 0: as many as it was made for, at most 8,192."},
    {"cache.kvMb", IntegerSetting{&Settings::cache_kv_mb, 0, 1'000'000},
     "Room on the disk for what the model has read of indexed workspaces, in MB, so that it need not read it "
     "again after a restart; the least recently used leaves when it is full. 0: nothing is kept."},
    {"completion.softMs", IntegerSetting{&Settings::completion_soft_ms, 1, 60000},
     "Milliseconds after which an automatic suggestion is shown as far as it is whole."},
    {"completion.hardMs", IntegerSetting{&Settings::completion_hard_ms, 1, 60000},
     "Milliseconds after which any suggestion is shown as it is, or given up."},
    {"completion.contextTokens", IntegerSetting{&Settings::completion_context_tokens, 128, 131072},
     "Tokens of the text around the cursor that a suggestion is made from, as far as the model's context "
     "allows. More of them know more and take longer."},
    {"completion.relatedTokens", IntegerSetting{&Settings::completion_related_tokens, 0, 8192},
     "Tokens of that context that may tell of the workspace: its dependencies, and summaries of the files "
     "that the place leans on. For models that were trained on whole repositories, such as Qwen2.5-Coder and "
     "StarCoder2: some hundreds. The models that Hearth brings were not and gain nothing by it."},
    {"completion.maxTokens", IntegerSetting{&Settings::completion_max_tokens, 1, 1024},
     "Tokens of the longest suggestion."},
    {"completion.maxLines", IntegerSetting{&Settings::completion_max_lines, 1, 100},
     "Lines of the longest multi-line suggestion."},
    {"completion.multiLine", choice<&Settings::completion_multi_line>(kMultiLineNames),
     "Suggestions of several lines: never, where the cursor's place calls for them (an empty block, after an "
     "opener), or always."},
    {"completion.minConfidence", IntegerSetting{&Settings::completion_min_confidence, 0, 100},
     "How sure of a suggestion the model must be, in percent, for it to be shown unasked."},
    {"completion.alternatives", IntegerSetting{&Settings::completion_alternatives, 1, 5},
     "Suggestions to choose from when they are asked for by hand."},
    {"completion.menu", &Settings::completion_menu,
     "Whether the menu of classic completion has suggestions too and, in the order that the model gives, "
     "names."},
    {"completion.comments", &Settings::completion_comments,
     "Whether suggestions come unasked in comments, too, which small models write badly."},
    {"completion.disabledLanguages", &Settings::completion_disabled_languages,
     "Language identifiers (such as \"markdown\") in which nothing is suggested."},
    {"index.enabled", &Settings::index_enabled,
     "Whether the workspace's folders are read and kept in a store: for hearth search, for the statistics, "
     "and for suggestions where completion.relatedTokens is not 0."},
    {"memory.enable", &Settings::memory_enable,
     "Whether suggestions also follow what is written in the open documents and in the workspace's indexed "
     "files."},
    {"memory.sizeMb", IntegerSetting{&Settings::memory_size_mb, 1, 4096},
     "Memory for that, in MiB; about five bytes for a byte of code."},
    {"logLevel", choice<&Settings::log_level>(kLogLevelNames),
     "How much the server logs. No level below \"debug\" logs text of documents."},
}};

template <class... Visitors>
struct Overload : Visitors... {
  using Visitors::operator()...;
};
// clang 14 does not deduce an aggregate's arguments.
template <class... Visitors>
Overload(Visitors...) -> Overload<Visitors...>;

std::string quoted(const boost::json::value& value) { return boost::json::serialize(value); }

boost::json::array as_array(std::span<const std::string_view> names) {
  boost::json::array array;
  for (const std::string_view name : names) array.emplace_back(name);
  return array;
}

std::optional<std::int64_t> integer_of(const boost::json::value& value) {
  if (value.is_int64()) return value.get_int64();
  if (value.is_double() && std::trunc(value.get_double()) == value.get_double() &&
      std::abs(value.get_double()) < 1e15) {
    return static_cast<std::int64_t>(value.get_double());
  }
  return std::nullopt;
}

// Sets it and gives nothing, or says what would have been right.
std::optional<std::string> assign(const Setting& setting, const boost::json::value& value,
                                  Settings& settings) {
  return std::visit(
      Overload{
          [&](bool Settings::*member) -> std::optional<std::string> {
            if (!value.is_bool()) return "expected true or false";
            settings.*member = value.get_bool();
            return std::nullopt;
          },
          [&](const IntegerSetting& integer) -> std::optional<std::string> {
            const auto number = integer_of(value);
            if (!number || *number < integer.least || *number > integer.most) {
              return "expected a whole number from " + std::to_string(integer.least) + " to " +
                     std::to_string(integer.most);
            }
            settings.*integer.member = static_cast<int>(*number);
            return std::nullopt;
          },
          [&](std::string Settings::*member) -> std::optional<std::string> {
            if (!value.is_string()) return "expected a string";
            settings.*member = std::string{value.get_string()};
            return std::nullopt;
          },
          [&](std::vector<std::string> Settings::*member) -> std::optional<std::string> {
            const auto is_string = [](const boost::json::value& item) { return item.is_string(); };
            if (!value.is_array() || !std::ranges::all_of(value.get_array(), is_string)) {
              return "expected an array of strings";
            }
            std::vector<std::string> items;
            for (const auto& item : value.get_array()) items.emplace_back(item.get_string());
            settings.*member = std::move(items);
            return std::nullopt;
          },
          [&](const ChoiceSetting& choice) -> std::optional<std::string> {
            const auto* name = value.if_string();
            const auto found = name == nullptr ? choice.names.end()
                                               : std::ranges::find(choice.names, std::string_view{*name});
            if (found == choice.names.end()) return "expected one of " + quoted(as_array(choice.names));
            choice.set(settings, static_cast<std::size_t>(found - choice.names.begin()));
            return std::nullopt;
          },
      },
      setting.value);
}

std::string unknown_key(std::string_view key, const boost::json::value& value) {
  std::string message = "unknown setting \"hearth." + std::string{key} + "\" (value " + quoted(value) + ")";
  const auto nearest = std::ranges::min_element(
      kTable, {}, [&](const Setting& setting) { return edit_distance(setting.key, key); });
  if (edit_distance(nearest->key, key) <= 3) {
    message += "; did you mean \"hearth." + std::string{nearest->key} + "\"?";
  }
  return message;
}

void read_value(std::string_view key, const boost::json::value& value, SettingsReading& reading) {
  const auto setting = std::ranges::find(kTable, key, &Setting::key);
  if (setting != kTable.end()) {
    if (value.is_null()) return;
    if (const auto expected = assign(*setting, value, reading.settings)) {
      reading.problems.push_back("bad value " + quoted(value) + " of setting \"hearth." + std::string{key} +
                                 "\": " + *expected);
    }
    return;
  }
  const std::string group = std::string{key} + ".";
  const bool is_group =
      std::ranges::any_of(kTable, [&](const Setting& candidate) { return candidate.key.starts_with(group); });
  if (!is_group) {
    reading.problems.push_back(unknown_key(key, value));
  } else if (value.is_object()) {
    for (const auto& [name, inner] : value.get_object())
      read_value(group + std::string{name}, inner, reading);
  } else if (!value.is_null()) {
    reading.problems.push_back("bad value " + quoted(value) + " of setting \"hearth." + std::string{key} +
                               "\": expected an object");
  }
}

void read_object(const boost::json::value& value, SettingsReading& reading) {
  if (value.is_null()) return;
  if (!value.is_object()) {
    reading.problems.push_back("bad value " + quoted(value) + " of \"hearth\": expected an object");
    return;
  }
  for (const auto& [name, inner] : value.get_object()) read_value(name, inner, reading);
}

boost::json::value default_of(const Setting& setting) {
  const Settings defaults;
  return std::visit(
      Overload{[&](bool Settings::*member) -> boost::json::value { return defaults.*member; },
               [&](const IntegerSetting& integer) -> boost::json::value { return defaults.*integer.member; },
               [&](std::string Settings::*member) -> boost::json::value {
                 return boost::json::string(defaults.*member);
               },
               [&](std::vector<std::string> Settings::*member) -> boost::json::value {
                 boost::json::array array;
                 for (const std::string& item : defaults.*member) array.emplace_back(item);
                 return array;
               },
               [&](const ChoiceSetting& choice) -> boost::json::value {
                 return boost::json::string(choice.names[choice.get(defaults)]);
               }},
      setting.value);
}

boost::json::object schema_of(const Setting& setting) {
  boost::json::object schema =
      std::visit(Overload{[](bool Settings::*) {
                            return boost::json::object{{"type", "boolean"}};
                          },
                          [](const IntegerSetting& integer) {
                            return boost::json::object{
                                {"type", "integer"}, {"minimum", integer.least}, {"maximum", integer.most}};
                          },
                          [](std::string Settings::*) {
                            return boost::json::object{{"type", "string"}};
                          },
                          [](std::vector<std::string> Settings::*) {
                            return boost::json::object{{"type", "array"}, {"items", {{"type", "string"}}}};
                          },
                          [](const ChoiceSetting& choice) {
                            return boost::json::object{{"type", "string"}, {"enum", as_array(choice.names)}};
                          }},
                 setting.value);
  schema["default"] = default_of(setting);
  schema["description"] = setting.description;
  return schema;
}

std::string allowed_values(const Setting& setting) {
  return std::visit(
      Overload{[](bool Settings::*) -> std::string { return "true, false"; },
               [](const IntegerSetting& integer) -> std::string {
                 return std::to_string(integer.least) + " to " + std::to_string(integer.most);
               },
               [](std::string Settings::*) -> std::string { return "string"; },
               [](std::vector<std::string> Settings::*) -> std::string { return "array of strings"; },
               [](const ChoiceSetting& choice) -> std::string {
                 std::string names;
                 for (const std::string_view name : choice.names) {
                   names += (names.empty() ? "`" : ", `") + quoted(boost::json::string(name)) + "`";
                 }
                 return names;
               }},
      setting.value);
}

}  // namespace

SettingsReading read_settings(const boost::json::value& client) {
  SettingsReading reading;
  constexpr std::string_view kSection = "hearth";
  constexpr std::string_view kDotted = "hearth.";
  const auto* object = client.if_object();
  const auto is_ours = [&](const auto& member) {
    return member.key() == kSection || std::string_view{member.key()}.starts_with(kDotted);
  };
  if (object == nullptr || std::ranges::none_of(*object, is_ours)) {
    read_object(client, reading);
    return reading;
  }
  // A whole configuration: what is not ours belongs to others.
  for (const auto& [name, value] : *object) {
    const std::string_view key = name;
    if (key == kSection) read_object(value, reading);
    if (key.starts_with(kDotted)) read_value(key.substr(kDotted.size()), value, reading);
  }
  return reading;
}

std::string settings_schema_json() {
  std::string text = "{\n  \"title\": \"Hearth\",\n  \"type\": \"object\",\n  \"properties\": {\n";
  for (const Setting& setting : kTable) {
    text += "    \"hearth." + std::string{setting.key} + "\": " + boost::json::serialize(schema_of(setting)) +
            (&setting == &kTable.back() ? "\n" : ",\n");
  }
  return text + "  }\n}\n";
}

std::string settings_markdown() {
  std::string text = "| setting | values | default | what it does |\n|---|---|---|---|\n";
  for (const Setting& setting : kTable) {
    text += "| `hearth." + std::string{setting.key} + "` | " + allowed_values(setting) + " | `" +
            boost::json::serialize(default_of(setting)) + "` | " + std::string{setting.description} + " |\n";
  }
  return text;
}

}  // namespace hearth::lsp
