// The settings of Hearth, the same names in every editor. One table (settings.cpp) holds name, type,
// default, allowed values and description of each; client configuration is validated by it, and editors'
// schemas and the documentation are generated from it. Pure functions of values.
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/kv_type.h"

namespace hearth::lsp {

enum class MultiLine : std::uint8_t {
  kNever,
  kAuto,  // where the cursor's place calls for it
  kAlways,
};

enum class LogLevel : std::uint8_t { kError, kWarning, kInfo, kDebug };

struct Settings {
  bool enable = true;
  std::string model_path;  // empty: the default model, else the embedded one
  int engine_threads = 0;  // 0: one for each core
  int engine_cache_mb = 256;
  engine::KvType engine_kv_type = engine::KvType::kAuto;
  int cache_kv_mb = 2000;         // on disk; 0: none
  int engine_context_tokens = 0;  // 0: the model's own limit, at most 8,192
  int completion_soft_ms = 180;
  int completion_hard_ms = 1500;
  int completion_context_tokens = 1700;
  int completion_related_tokens = 0;  // of the context: summaries of related files
  int completion_max_tokens = 64;
  int completion_max_lines = 12;  // of a multi-line suggestion
  MultiLine completion_multi_line = MultiLine::kAuto;
  int completion_min_confidence = 18;  // percent
  int completion_alternatives = 3;     // when asked for by hand
  bool completion_menu = true;         // suggestions stand in the menu of classic completion, too
  bool completion_comments = false;    // suggestions come in comments, too
  std::vector<std::string> completion_disabled_languages;
  bool index_enabled = true;
  bool memory_enable = true;  // what the workspace holds is mixed into what the model says
  int memory_size_mb = 64;
  LogLevel log_level = LogLevel::kInfo;

  bool operator==(const Settings&) const = default;
};

struct SettingsReading {
  Settings settings;
  std::vector<std::string> problems;  // one sentence each, naming key and value; the rest applies
};

// `client`: what an editor sends, {"hearth": {...}} or the inner object, with nested or dotted keys or
// both. What is absent or null has its default.
SettingsReading read_settings(const boost::json::value& client);

// A JSON schema of the inner object with dotted, "hearth."-prefixed keys, as VS Code's
// contributes.configuration takes it. Ends with a newline.
std::string settings_schema_json();

// A Markdown table of all settings. Ends with a newline.
std::string settings_markdown();

}  // namespace hearth::lsp
