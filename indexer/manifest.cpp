#include "indexer/manifest.h"

#include <algorithm>
#include <array>

#include "indexer/ignore_patterns.h"
#include "indexer/manifest_build_tools.h"
#include "indexer/manifest_json.h"
#include "indexer/manifest_lines.h"
#include "indexer/manifest_python.h"
#include "indexer/manifest_scripts.h"

namespace hearth::indexer {
namespace {

constexpr std::size_t kMaxDependencies = 2'000;

constexpr std::array<ManifestFormat, 19> kFormats = {{
    {"requirements.txt", "pypi", read_requirements, {}},
    {"requirements-*.txt", "pypi", read_requirements, {}},
    {"requirements_*.txt", "pypi", read_requirements, {}},
    {"pyproject.toml", "pypi", read_pyproject, {"uv.lock", "poetry.lock", "pdm.lock"}},
    {"setup.cfg", "pypi", read_setup_cfg, {}},
    {"package.json", "npm", read_package_json, {"package-lock.json", "npm-shrinkwrap.json", "yarn.lock"}},
    {"Cargo.toml", "cargo", read_cargo_toml, {"Cargo.lock"}},
    {"go.mod", "go", read_go_mod, {}},
    {"CMakeLists.txt", "cmake", read_cmake_lists, {}},
    {"vcpkg.json", "vcpkg", read_vcpkg_json, {}},
    {"conanfile.txt", "conan", read_conanfile_txt, {}},
    {"conanfile.py", "conan", read_conanfile_py, {}},
    {"pom.xml", "maven", read_pom_xml, {}},
    {"build.gradle", "maven", read_gradle, {}},
    {"build.gradle.kts", "maven", read_gradle, {}},
    {"Gemfile", "rubygems", read_gemfile, {"Gemfile.lock"}},
    {"composer.json", "packagist", read_composer_json, {"composer.lock"}},
    {"*.csproj", "nuget", read_csproj, {"packages.lock.json"}},
    {"*.fsproj", "nuget", read_csproj, {"packages.lock.json"}},
}};

struct LockFormat {
  std::string_view file;
  LockedVersions (*read)(std::string_view text);
};

constexpr std::array<LockFormat, 10> kLocks = {{
    {"Cargo.lock", lock_of_toml_packages},
    {"poetry.lock", lock_of_toml_packages},
    {"uv.lock", lock_of_toml_packages},
    {"pdm.lock", lock_of_toml_packages},
    {"package-lock.json", lock_of_package_lock},
    {"npm-shrinkwrap.json", lock_of_package_lock},
    {"yarn.lock", lock_of_yarn},
    {"Gemfile.lock", lock_of_gemfile},
    {"composer.lock", lock_of_composer},
    {"packages.lock.json", lock_of_nuget},
}};

std::string_view name_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// A range that allows one version only.
std::string exact_version(std::string_view wanted) {
  if (wanted.starts_with("=="))
    wanted = trimmed(wanted.substr(2));
  else if (wanted.starts_with('='))
    wanted = trimmed(wanted.substr(1));
  else
    return "";
  return wanted.find_first_of("*, ") == std::string_view::npos ? std::string(wanted) : "";
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) + 1 - first);
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

const ManifestFormat* manifest_format(std::string_view path) {
  for (const ManifestFormat& format : kFormats) {
    if (matches_glob(format.file, name_of(path))) return &format;
  }
  return nullptr;
}

std::optional<cache::ManifestRow> read_manifest(const ManifestFormat& format, std::string_view text) {
  std::optional<cache::ManifestRow> manifest = format.read(text);
  if (!manifest) return std::nullopt;
  manifest->ecosystem = format.ecosystem;
  if (manifest->dependencies.size() > kMaxDependencies) manifest->dependencies.resize(kMaxDependencies);
  for (cache::DependencyRow& dependency : manifest->dependencies) {
    if (dependency.resolved.empty()) dependency.resolved = exact_version(dependency.wanted);
  }
  return manifest;
}

bool is_lock_file(std::string_view path) {
  return std::ranges::find(kLocks, name_of(path), &LockFormat::file) != kLocks.end();
}

LockedVersions read_lock(std::string_view file_name, std::string_view text) {
  for (const LockFormat& format : kLocks) {
    if (format.file == name_of(file_name)) return format.read(text);
  }
  return {};
}

std::string normal_name(std::string_view ecosystem, std::string_view name) {
  std::string normal;
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z')
      normal += static_cast<char>(c - 'A' + 'a');
    else if (ecosystem == "pypi" && (c == '_' || c == '.'))
      normal += '-';
    else
      normal += c;
  }
  return normal;
}

void resolve_versions(cache::ManifestRow& manifest, const LockedVersions& locked) {
  LockedVersions normal;
  for (const auto& [name, version] : locked) normal.emplace(normal_name(manifest.ecosystem, name), version);
  for (cache::DependencyRow& dependency : manifest.dependencies) {
    const auto known = normal.find(normal_name(manifest.ecosystem, dependency.name));
    if (known != normal.end()) dependency.resolved = known->second;
  }
}

}  // namespace hearth::indexer
