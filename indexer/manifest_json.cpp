#include "indexer/manifest_json.h"

#include <boost/json.hpp>

#include "indexer/manifest_lines.h"

namespace hearth::indexer {
namespace {

namespace json = boost::json;

constexpr std::size_t kMaxDepth = 256;

std::optional<json::object> parse_object(std::string_view text) {
  json::parse_options options;
  options.max_depth = kMaxDepth;
  options.allow_comments = true;
  options.allow_trailing_commas = true;
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  boost::system::error_code failure;
  json::value value = json::parse({text.data(), text.size()}, failure, {}, options);
  if (failure || !value.is_object()) return std::nullopt;
  return std::move(value.get_object());
}

std::string text_at(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains({key.data(), key.size()});
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

const json::object* object_at(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains({key.data(), key.size()});
  return value == nullptr ? nullptr : value->if_object();
}

const json::array* array_at(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains({key.data(), key.size()});
  return value == nullptr ? nullptr : value->if_array();
}

void add_map(cache::ManifestRow& manifest, const json::object& object, std::string_view key,
             std::string_view scope) {
  const json::object* map = object_at(object, key);
  if (map == nullptr) return;
  for (const auto& [name, wanted] : *map) {
    if (wanted.is_string())
      manifest.dependencies.push_back(
          {std::string(name), std::string(wanted.get_string()), "", std::string(scope)});
  }
}

std::optional<cache::ManifestRow> named(const json::object& object) {
  cache::ManifestRow manifest;
  manifest.name = text_at(object, "name");
  manifest.version = text_at(object, "version");
  return manifest;
}

}  // namespace

std::optional<cache::ManifestRow> read_package_json(std::string_view text) {
  const std::optional<json::object> object = parse_object(text);
  if (!object) return std::nullopt;
  std::optional<cache::ManifestRow> manifest = named(*object);
  add_map(*manifest, *object, "dependencies", "");
  add_map(*manifest, *object, "peerDependencies", "peer");
  add_map(*manifest, *object, "optionalDependencies", "optional");
  add_map(*manifest, *object, "devDependencies", "dev");
  return manifest;
}

std::optional<cache::ManifestRow> read_composer_json(std::string_view text) {
  const std::optional<json::object> object = parse_object(text);
  if (!object) return std::nullopt;
  std::optional<cache::ManifestRow> manifest = named(*object);
  add_map(*manifest, *object, "require", "");
  add_map(*manifest, *object, "require-dev", "dev");
  return manifest;
}

std::optional<cache::ManifestRow> read_vcpkg_json(std::string_view text) {
  const std::optional<json::object> object = parse_object(text);
  if (!object) return std::nullopt;
  std::optional<cache::ManifestRow> manifest = named(*object);
  for (const std::string_view key : {"version-string", "version-semver", "version-date"}) {
    if (manifest->version.empty()) manifest->version = text_at(*object, key);
  }
  std::map<std::string, std::string> pinned;
  if (const json::array* overrides = array_at(*object, "overrides")) {
    for (const json::value& entry : *overrides) {
      if (const json::object* override_ = entry.if_object())
        pinned[text_at(*override_, "name")] = text_at(*override_, "version");
    }
  }
  if (const json::array* dependencies = array_at(*object, "dependencies")) {
    for (const json::value& entry : *dependencies) {
      cache::DependencyRow row;
      if (entry.is_string()) row.name = std::string(entry.get_string());
      if (const json::object* detailed = entry.if_object()) {
        row.name = text_at(*detailed, "name");
        const std::string least = text_at(*detailed, "version>=");
        if (!least.empty()) row.wanted = ">=" + least;
        if (detailed->contains("host")) row.scope = "build";
      }
      if (row.name.empty()) continue;
      if (const auto known = pinned.find(row.name); known != pinned.end()) row.resolved = known->second;
      manifest->dependencies.push_back(std::move(row));
    }
  }
  return manifest;
}

// Version 1 has `dependencies`, versions 2 and 3 `packages` by their folder.
LockedVersions lock_of_package_lock(std::string_view text) {
  LockedVersions locked;
  const std::optional<json::object> object = parse_object(text);
  if (!object) return locked;
  constexpr std::string_view kFolder = "node_modules/";
  if (const json::object* packages = object_at(*object, "packages")) {
    for (const auto& [path, entry] : *packages) {
      const std::string_view name(path.data(), path.size());
      const json::object* package = entry.if_object();
      // One that is nested serves another package only.
      if (package == nullptr || !name.starts_with(kFolder) || name.find(kFolder, 1) != std::string_view::npos)
        continue;
      locked.emplace(name.substr(kFolder.size()), text_at(*package, "version"));
    }
    return locked;
  }
  if (const json::object* dependencies = object_at(*object, "dependencies")) {
    for (const auto& [name, entry] : *dependencies) {
      if (const json::object* package = entry.if_object())
        locked.emplace(std::string(name), text_at(*package, "version"));
    }
  }
  return locked;
}

// `"name@range", name@range2:` and, in what follows, `version "1.2.3"` or `version: 1.2.3`.
LockedVersions lock_of_yarn(std::string_view text) {
  LockedVersions locked;
  std::string name;
  for (const std::string_view line : lines_of(text)) {
    if (line.empty() || line.front() == '#') continue;
    std::string_view content = trimmed(line);
    if (line.front() != ' ') {
      if (content.starts_with('"')) content.remove_prefix(1);
      const std::size_t at = content.find('@', 1);
      name = at == std::string_view::npos ? "" : std::string(content.substr(0, at));
    } else if (content.starts_with("version") && !name.empty()) {
      content.remove_prefix(7);
      const std::size_t first = content.find_first_not_of(" :\"");
      if (first == std::string_view::npos) continue;
      content.remove_prefix(first);
      locked.emplace(name, std::string(content.substr(0, content.find('"'))));
      name.clear();
    }
  }
  return locked;
}

LockedVersions lock_of_composer(std::string_view text) {
  LockedVersions locked;
  const std::optional<json::object> object = parse_object(text);
  if (!object) return locked;
  for (const std::string_view key : {"packages", "packages-dev"}) {
    const json::array* packages = array_at(*object, key);
    if (packages == nullptr) continue;
    for (const json::value& entry : *packages) {
      if (const json::object* package = entry.if_object())
        locked.emplace(text_at(*package, "name"), text_at(*package, "version"));
    }
  }
  return locked;
}

LockedVersions lock_of_nuget(std::string_view text) {
  LockedVersions locked;
  const std::optional<json::object> object = parse_object(text);
  const json::object* frameworks = object ? object_at(*object, "dependencies") : nullptr;
  if (frameworks == nullptr) return locked;
  for (const auto& [framework, entry] : *frameworks) {
    const json::object* packages = entry.if_object();
    if (packages == nullptr) continue;
    for (const auto& [name, value] : *packages) {
      if (const json::object* package = value.if_object())
        locked.emplace(std::string(name), text_at(*package, "resolved"));
    }
  }
  return locked;
}

}  // namespace hearth::indexer
