#include "indexer/import_version.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "indexer/manifest.h"

namespace hearth::indexer {
namespace {

// Python packages whose modules have other names.
struct Renamed {
  std::string_view module, package;
};
constexpr std::array<Renamed, 12> kRenamed = {{
    {"yaml", "pyyaml"},
    {"PIL", "pillow"},
    {"cv2", "opencv-python"},
    {"sklearn", "scikit-learn"},
    {"skimage", "scikit-image"},
    {"bs4", "beautifulsoup4"},
    {"dateutil", "python-dateutil"},
    {"dotenv", "python-dotenv"},
    {"jwt", "pyjwt"},
    {"serial", "pyserial"},
    {"OpenSSL", "pyopenssl"},
    {"google", "protobuf"},
}};

std::string_view first_part(std::string_view text, std::string_view separator) {
  return text.substr(0, text.find(separator));
}

std::string lower_case(std::string_view text) {
  std::string lower{text};
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return lower;
}

// Whether `text` is `prefix` or continues it after a separator.
bool lies_below(std::string_view text, std::string_view prefix, char separator) {
  return !prefix.empty() && text.starts_with(prefix) &&
         (text.size() == prefix.size() || text[prefix.size()] == separator);
}

bool is_python_package(std::string_view module, std::string_view package) {
  const std::string_view top = first_part(module, ".");
  const auto* renamed = std::ranges::find(kRenamed, top, &Renamed::module);
  const std::string normal = normal_name("pypi", package);
  return normal == normal_name("pypi", top) || (renamed != kRenamed.end() && normal == renamed->package);
}

// How each ecosystem's package names show in imports.
bool means(std::string_view ecosystem, const std::string& module, const std::string& package) {
  if (ecosystem == "pypi") return is_python_package(module, package);
  if (ecosystem == "npm") return lies_below(module, package, '/');
  if (ecosystem == "go") return lies_below(module, package, '/');
  if (ecosystem == "cargo") {
    std::string crate = package;
    std::ranges::replace(crate, '-', '_');
    return first_part(module, "::") == crate;
  }
  if (ecosystem == "rubygems") {
    const std::string_view top = first_part(module, "/");
    return top == package || module == package;
  }
  if (ecosystem == "maven") return lies_below(module, first_part(package, ":"), '.');
  if (ecosystem == "nuget") return lies_below(module, package, '.');
  if (ecosystem == "cmake" || ecosystem == "conan" || ecosystem == "vcpkg") {
    // <boost/json.hpp>
    if (module.size() < 2 || module.find('/') == std::string::npos) return false;
    return lower_case(first_part(std::string_view(module).substr(1), "/")) == lower_case(package);
  }
  return false;
}

bool speaks_of(std::string_view ecosystem, std::string_view language) {
  if (ecosystem == "pypi") return language == "python";
  if (ecosystem == "npm") return language.starts_with("javascript") || language.starts_with("typescript");
  if (ecosystem == "go") return language == "go";
  if (ecosystem == "cargo") return language == "rust";
  if (ecosystem == "rubygems") return language == "ruby";
  if (ecosystem == "maven") return language == "java";
  if (ecosystem == "nuget") return language == "csharp";
  return language == "c" || language == "cpp";
}

}  // namespace

std::string version_of(const cache::ImportRow& import, std::string_view language,
                       const std::vector<cache::ManifestRow>& manifests) {
  if (import.target || import.module.empty()) return "";
  std::string module = import.module;
  if (module.size() >= 2 && (module.front() == '"' || module.front() == '\'') && language != "c" &&
      language != "cpp")
    module = module.substr(1, module.size() - 2);
  for (const cache::ManifestRow& manifest : manifests) {
    if (!speaks_of(manifest.ecosystem, language)) continue;
    for (const cache::DependencyRow& dependency : manifest.dependencies) {
      if (!means(manifest.ecosystem, module, dependency.name)) continue;
      return dependency.resolved.empty() ? dependency.wanted : dependency.resolved;
    }
  }
  return "";
}

}  // namespace hearth::indexer
