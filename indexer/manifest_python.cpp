#include "indexer/manifest_python.h"

#include <algorithm>

#include "indexer/manifest_lines.h"
#include "indexer/toml_entries.h"

namespace hearth::indexer {
namespace {

bool is_name_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
         c == '.';
}

}  // namespace

std::optional<cache::DependencyRow> requirement(std::string_view text, std::string_view scope) {
  text = trimmed(text.substr(0, text.find(';')));
  const std::size_t comment = text.find(" #");
  text = trimmed(text.substr(0, comment));
  if (text.empty() || text.front() == '#' || text.front() == '-' || text.front() == '.' ||
      text.front() == '/')
    return std::nullopt;
  std::size_t end = 0;
  while (end < text.size() && is_name_byte(text[end])) ++end;
  if (end == 0) return std::nullopt;
  cache::DependencyRow row{std::string(text.substr(0, end)), "", "", std::string(scope)};
  std::string_view rest = trimmed(text.substr(end));
  if (rest.starts_with("://")) return std::nullopt;
  if (rest.starts_with('[')) rest = trimmed(rest.substr(std::min(rest.find(']'), rest.size() - 1) + 1));
  if (rest.starts_with('@')) rest = {};  // an address is no version
  if (rest.starts_with('(') && rest.ends_with(')')) rest = rest.substr(1, rest.size() - 2);
  rest = trimmed(rest.substr(0, rest.find(" --")));
  row.wanted = trimmed(rest);
  return row;
}

std::optional<cache::ManifestRow> read_requirements(std::string_view text) {
  cache::ManifestRow manifest;
  for (const std::string_view line : lines_of(text)) {
    std::string_view content = trimmed(line);
    if (content.ends_with('\\')) content.remove_suffix(1);
    if (auto row = requirement(content, "")) manifest.dependencies.push_back(std::move(*row));
  }
  return manifest;
}

std::optional<cache::ManifestRow> read_pyproject(std::string_view text) {
  cache::ManifestRow manifest;
  const auto add = [&](std::string_view what, std::string_view scope) {
    if (auto row = requirement(what, scope)) manifest.dependencies.push_back(std::move(*row));
  };
  const auto add_poetry = [&](const std::string& name, const std::string& version, std::string_view scope) {
    if (name != "python") manifest.dependencies.push_back({name, version, "", std::string(scope)});
  };
  for (const TomlEntry& entry : toml_entries(text)) {
    const std::vector<std::string>& keys = entry.keys;
    const auto is = [&](std::size_t at, std::string_view key) { return at < keys.size() && keys[at] == key; };
    const bool poetry = is(0, "tool") && is(1, "poetry");
    if ((is(0, "project") && keys.size() == 2) || (poetry && keys.size() == 3)) {
      if (keys.back() == "name") manifest.name = entry.value;
      if (keys.back() == "version") manifest.version = entry.value;
    }
    if (is(0, "project") && is(1, "dependencies")) add(entry.value, "");
    if (is(0, "project") && is(1, "optional-dependencies") && keys.size() == 4) add(entry.value, keys[2]);
    if (is(0, "dependency-groups") && keys.size() == 3) add(entry.value, keys[1]);
    if (is(0, "build-system") && is(1, "requires")) add(entry.value, "build");
    if (!poetry) continue;
    const bool grouped = is(2, "group") && is(4, "dependencies");
    const std::size_t name_at = grouped ? 5 : is(2, "dependencies") || is(2, "dev-dependencies") ? 3 : 0;
    if (name_at == 0 || name_at >= keys.size()) continue;
    const bool is_version =
        keys.size() == name_at + 1 || (keys.size() == name_at + 2 && is(name_at + 1, "version"));
    if (is_version)
      add_poetry(keys[name_at], entry.value, grouped ? keys[3] : is(2, "dev-dependencies") ? "dev" : "");
  }
  return manifest;
}

std::optional<cache::ManifestRow> read_setup_cfg(std::string_view text) {
  cache::ManifestRow manifest;
  std::string section, key;
  for (const std::string_view line : lines_of(text)) {
    std::string_view content = trimmed(line);
    if (content.empty() || content.front() == '#' || content.front() == ';') continue;
    const bool continues = line.front() == ' ' || line.front() == '\t';
    if (content.front() == '[' && content.back() == ']' && !continues) {
      section = content.substr(1, content.size() - 2);
      key.clear();
      continue;
    }
    if (!continues) {
      const std::size_t equals = content.find_first_of("=:");
      if (equals == std::string_view::npos) continue;
      key = trimmed(content.substr(0, equals));
      content = trimmed(content.substr(equals + 1));
    }
    if (section == "metadata" && key == "name" && !content.empty()) manifest.name = content;
    if (section == "metadata" && key == "version" && !content.starts_with("attr:"))
      manifest.version = content;
    const bool needed = section == "options" && key == "install_requires";
    const bool extra = section == "options.extras_require";
    if (!needed && !extra) continue;
    if (auto row = requirement(content, extra ? key : "")) manifest.dependencies.push_back(std::move(*row));
  }
  if (manifest.name.empty() && manifest.dependencies.empty()) return std::nullopt;
  return manifest;
}

// `[[package]]` tables with `name` and `version`.
LockedVersions lock_of_toml_packages(std::string_view text) {
  LockedVersions locked;
  bool in_package = false;
  std::string name;
  for (const std::string_view line : lines_of(text)) {
    const std::string_view content = trimmed(line);
    if (content.starts_with('[')) {
      in_package = content == "[[package]]";
      name.clear();
    }
    if (!in_package) continue;
    const std::size_t equals = content.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view key = trimmed(content.substr(0, equals));
    std::string_view value = trimmed(content.substr(equals + 1));
    if (value.size() < 2 || value.front() != '"' || value.back() != '"') continue;
    value = value.substr(1, value.size() - 2);
    if (key == "name") name = value;
    if (key == "version" && !name.empty()) locked.insert_or_assign(name, std::string(value));
  }
  return locked;
}

}  // namespace hearth::indexer
