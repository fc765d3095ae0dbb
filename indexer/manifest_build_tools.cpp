#include "indexer/manifest_build_tools.h"

#include <algorithm>
#include <array>

#include "indexer/manifest_lines.h"
#include "indexer/toml_entries.h"
#include "indexer/xml_entries.h"

namespace hearth::indexer {
namespace {

std::string unquoted(std::string_view text) {
  if (text.size() >= 2 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front())
    text = text.substr(1, text.size() - 2);
  return std::string(text);
}

// `${name}` by the project's own properties.
std::string substituted(std::string text, const std::map<std::string, std::string>& properties) {
  for (int rounds = 0; rounds < 8; ++rounds) {
    const std::size_t open = text.find("${");
    if (open == std::string::npos) break;
    const std::size_t close = text.find('}', open);
    if (close == std::string::npos) break;
    const auto known = properties.find(text.substr(open + 2, close - open - 2));
    if (known == properties.end()) break;
    text.replace(open, close + 1 - open, known->second);
  }
  return text;
}

}  // namespace

std::optional<cache::ManifestRow> read_cargo_toml(std::string_view text) {
  cache::ManifestRow manifest;
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kTables = {
      {{"dependencies", ""}, {"dev-dependencies", "dev"}, {"build-dependencies", "build"}}};
  for (const TomlEntry& entry : toml_entries(text)) {
    const std::vector<std::string>& keys = entry.keys;
    if (keys.size() == 2 && keys[0] == "package" && keys[1] == "name") manifest.name = entry.value;
    if (keys.size() == 2 && keys[0] == "package" && keys[1] == "version") manifest.version = entry.value;
    // Also `[target.'cfg(unix)'.dependencies]` and `[workspace.dependencies]`.
    for (std::size_t at = 0; at + 1 < keys.size() && at < 3; ++at) {
      for (const auto& [table, scope] : kTables) {
        if (keys[at] != table) continue;
        const bool plain = keys.size() == at + 2;
        const bool detailed = keys.size() == at + 3 && keys[at + 2] == "version";
        const bool elsewhere =
            keys.size() == at + 3 && (keys[at + 2] == "workspace" || keys[at + 2] == "path");
        if (plain || detailed || elsewhere)
          manifest.dependencies.push_back(
              {keys[at + 1], elsewhere ? "" : entry.value, "", std::string(scope)});
      }
    }
  }
  return manifest;
}

std::optional<cache::ManifestRow> read_go_mod(std::string_view text) {
  cache::ManifestRow manifest;
  bool in_require = false;
  for (const std::string_view line : lines_of(text)) {
    const bool indirect = line.find("// indirect") != std::string_view::npos;
    std::string_view content = trimmed(line.substr(0, line.find("//")));
    if (content.starts_with("module ")) manifest.name = unquoted(trimmed(content.substr(7)));
    if (content.starts_with("go ")) manifest.version = "go " + std::string(trimmed(content.substr(3)));
    if (content == ")") in_require = false;
    if (content.starts_with("require")) {
      content = trimmed(content.substr(7));
      if (content.starts_with('(')) {
        in_require = true;
        continue;
      }
    } else if (!in_require) {
      continue;
    }
    const std::size_t blank = content.find(' ');
    if (blank == std::string_view::npos) continue;
    const std::string version{trimmed(content.substr(blank))};
    manifest.dependencies.push_back(
        {unquoted(content.substr(0, blank)), version, version, indirect ? "indirect" : ""});
  }
  if (manifest.name.empty()) return std::nullopt;
  return manifest;
}

std::optional<cache::ManifestRow> read_pom_xml(std::string_view text) {
  cache::ManifestRow manifest;
  const std::vector<XmlElement> elements = xml_elements(text);
  std::map<std::string, std::string> properties;
  std::string group;
  for (const XmlElement& element : elements) {
    const std::string_view path = element.path;
    if (path == "project/artifactId") manifest.name = element.text;
    if (path == "project/version") manifest.version = element.text;
    if (path == "project/groupId" || (path == "project/parent/groupId" && group.empty()))
      group = element.text;
    constexpr std::string_view kProperty = "project/properties/";
    if (path.starts_with(kProperty)) properties[std::string(path.substr(kProperty.size()))] = element.text;
  }
  if (manifest.name.empty()) return std::nullopt;
  properties["project.version"] = manifest.version;
  properties["project.groupId"] = group;
  if (!group.empty()) manifest.name = group + ':' + manifest.name;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const std::string_view path = elements[i].path;
    if (path != "project/dependencies/dependency" &&
        path != "project/dependencyManagement/dependencies/dependency")
      continue;
    std::map<std::string, std::string> parts;
    for (std::size_t j = i + 1; j < elements.size() && elements[j].path.starts_with(path); ++j) {
      if (elements[j].parent == i) parts[elements[j].path.substr(path.size() + 1)] = elements[j].text;
    }
    const std::string version = substituted(parts["version"], properties);
    const bool is_range = version.find_first_of("[(,${") != std::string::npos;
    manifest.dependencies.push_back({substituted(parts["groupId"], properties) + ':' + parts["artifactId"],
                                     version, is_range ? "" : version, parts["scope"]});
  }
  return manifest;
}

// `implementation 'group:name:version'` and `testImplementation("group:name:version")`.
std::optional<cache::ManifestRow> read_gradle(std::string_view text) {
  cache::ManifestRow manifest;
  for (const std::string_view line : lines_of(text)) {
    const std::string_view content = trimmed(line.substr(0, line.find("//")));
    if (content.starts_with("version")) {
      const std::size_t quote = content.find_first_of("'\"");
      if (quote != std::string_view::npos)
        manifest.version = content.substr(quote + 1, content.find(content[quote], quote + 1) - quote - 1);
      continue;
    }
    const std::size_t word_end = content.find_first_of(" (");
    if (word_end == std::string_view::npos) continue;
    const std::string_view configuration = content.substr(0, word_end);
    const bool known = configuration.ends_with("mplementation") || configuration.ends_with("ompileOnly") ||
                       configuration.ends_with("untimeOnly") || configuration == "api" ||
                       configuration == "compile" || configuration == "kapt" ||
                       configuration == "annotationProcessor";
    const std::size_t quote = content.find_first_of("'\"", word_end);
    if (!known || quote == std::string_view::npos) continue;
    const std::size_t close = content.find(content[quote], quote + 1);
    if (close == std::string_view::npos) continue;
    const std::string_view what = content.substr(quote + 1, close - quote - 1);
    const std::size_t first = what.find(':');
    if (first == std::string_view::npos || first == 0) continue;  // `:money` is a project of this build
    const std::size_t second = std::min(what.find(':', first + 1), what.size());
    const std::string version{what.substr(std::min(second + 1, what.size()))};
    const bool exact = !version.empty() && version.find_first_of("+[$(") == std::string::npos;
    manifest.dependencies.push_back({std::string(what.substr(0, second)), version, exact ? version : "",
                                     configuration.starts_with("test") ? "test" : ""});
  }
  if (manifest.dependencies.empty()) return std::nullopt;
  return manifest;
}

std::optional<cache::ManifestRow> read_csproj(std::string_view text) {
  cache::ManifestRow manifest;
  const std::vector<XmlElement> elements = xml_elements(text);
  if (elements.empty() || elements[0].path != "Project") return std::nullopt;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const XmlElement& element = elements[i];
    if (element.path.ends_with("/AssemblyName")) manifest.name = element.text;
    if (element.path == "Project/PropertyGroup/Version") manifest.version = element.text;
    if (!element.path.ends_with("/PackageReference")) continue;
    const auto attribute = [&](const char* name) {
      const auto known = element.attributes.find(name);
      return known == element.attributes.end() ? std::string() : known->second;
    };
    cache::DependencyRow row{attribute("Include"), attribute("Version"), "", ""};
    for (std::size_t j = i + 1; j < elements.size() && elements[j].path.starts_with(element.path); ++j) {
      if (elements[j].parent == i && elements[j].path.ends_with("/Version")) row.wanted = elements[j].text;
    }
    if (row.name.empty()) continue;
    if (row.wanted.find_first_of("[(,*$") == std::string::npos) row.resolved = row.wanted;
    manifest.dependencies.push_back(std::move(row));
  }
  return manifest;
}

}  // namespace hearth::indexer
