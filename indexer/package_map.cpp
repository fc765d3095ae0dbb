#include "indexer/package_map.h"

#include <algorithm>
#include <boost/json.hpp>

#include "indexer/file_policy.h"
#include "indexer/manifest.h"
#include "indexer/read_file.h"

namespace hearth::indexer {
namespace {

namespace json = boost::json;

constexpr std::size_t kMaxManifests = 5'000;  // of one name

json::object object_of(std::string_view text) {
  json::parse_options options;
  options.allow_comments = true;
  options.allow_trailing_commas = true;
  boost::system::error_code failure;
  json::value value = json::parse({text.data(), text.size()}, failure, {}, options);
  return failure || !value.is_object() ? json::object() : std::move(value.get_object());
}

const json::object* object_at(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains({key.data(), key.size()});
  return value == nullptr ? nullptr : value->if_object();
}

std::string text_of(const json::value* value) {
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

// PSR-4 of composer.json: namespace prefixes to folders.
void add_php(PackageMap& map, std::string_view folder, std::string_view text) {
  const json::object object = object_of(text);
  for (const std::string_view key : {"autoload", "autoload-dev"}) {
    const json::object* autoload = object_at(object, key);
    const json::object* psr4 = autoload == nullptr ? nullptr : object_at(*autoload, "psr-4");
    if (psr4 == nullptr) continue;
    for (const auto& [prefix, where] : *psr4) {
      if (const auto path = joined_path(folder, text_of(&where)))
        map.php_namespaces.push_back({std::string(prefix), *path});
    }
  }
}

// `"@/*": ["./src/*"]` of tsconfig.json, relative to its `baseUrl`.
void add_aliases(PackageMap& map, std::string_view folder, std::string_view text) {
  const json::object object = object_of(text);
  const json::object* options = object_at(object, "compilerOptions");
  if (options == nullptr) return;
  const std::string base_url = text_of(options->if_contains("baseUrl"));
  const auto base = joined_path(folder, base_url);
  if (!base) return;
  if (!base_url.empty()) map.aliases.push_back({"", *base});
  const json::object* paths = object_at(*options, "paths");
  if (paths == nullptr) return;
  for (const auto& [pattern, targets] : *paths) {
    const json::array* list = targets.if_array();
    if (list == nullptr) continue;
    for (const json::value& target : *list) {
      std::string to = text_of(&target), from{pattern};
      if (to.ends_with('*')) to.pop_back();
      if (from.ends_with('*')) from.pop_back();
      if (const auto path = joined_path(*base, to)) map.aliases.push_back({from, *path});
    }
  }
}

void add_npm(PackageMap& map, std::string_view folder, std::string_view text, const std::string& name) {
  if (name.empty()) return;
  map.npm.emplace(name, std::string(folder));
  const json::object object = object_of(text);
  for (const char* key : {"source", "module", "main"}) {
    const std::string entry = text_of(object.if_contains(key));
    const auto path = joined_path(folder, entry);
    if (entry.empty() || !path) continue;
    map.npm_entry.emplace(name, *path);
    break;
  }
}

}  // namespace

PackageMap read_package_map(const std::filesystem::path& root, const WorkspacePaths& paths) {
  PackageMap map;
  map.root_name = root.filename();
  for (const std::string_view name :
       {"go.mod", "composer.json", "tsconfig.json", "jsconfig.json", "package.json", "Cargo.toml"}) {
    std::size_t read = 0;
    for (const std::string_view path : paths.named(name)) {
      if (++read > kMaxManifests) break;
      const Result<std::string> text = read_file(root / path, kMaxIndexedBytes);
      if (!text) continue;
      const std::string_view folder = folder_of(path);
      const ManifestFormat* format = manifest_format(path);
      const auto manifest = format == nullptr ? std::nullopt : read_manifest(*format, *text);
      const std::string package = manifest ? manifest->name : "";
      if (name == "go.mod" && !package.empty()) map.go_modules.push_back({package, std::string(folder)});
      if (name == "composer.json") add_php(map, folder, *text);
      if (name == "tsconfig.json" || name == "jsconfig.json") add_aliases(map, folder, *text);
      if (name == "package.json") add_npm(map, folder, *text, package);
      if (name == "Cargo.toml" && !package.empty()) {
        std::string crate = package;
        std::ranges::replace(crate, '-', '_');
        map.cargo.emplace(crate, std::string(folder));
      }
    }
  }
  // The longest prefix is the most particular one.
  const auto longest_first = [](std::vector<PackageMap::Prefix>& prefixes) {
    std::ranges::stable_sort(prefixes,
                             [](const auto& a, const auto& b) { return a.prefix.size() > b.prefix.size(); });
  };
  longest_first(map.go_modules);
  longest_first(map.php_namespaces);
  longest_first(map.aliases);
  return map;
}

}  // namespace hearth::indexer
