#include "indexer/file_policy.h"

#include <algorithm>
#include <array>
#include <string>

#include "indexer/ignore_patterns.h"
#include "indexer/languages.h"

namespace hearth::indexer {
namespace {

constexpr std::array<std::string_view, 34> kSecretFiles = {
    ".env",
    ".env.*",
    "*.env",
    ".envrc",
    "*.pem",
    "*.key",
    "*.p12",
    "*.pfx",
    "*.p8",
    "*.jks",
    "*.keystore",
    "*.kdbx",
    "*.ppk",
    "*.ovpn",
    "*.gpg",
    "*.asc",
    "id_rsa*",
    "id_dsa*",
    "id_ecdsa*",
    "id_ed25519*",
    ".netrc",
    "_netrc",
    ".pgpass",
    ".pypirc",
    ".npmrc",
    ".htpasswd",
    ".git-credentials",
    "credentials",
    "*.secret",
    "*.secrets",
    "service-account*.json",
    "*.tfvars",
    "*.tfstate",
    ".dockercfg",
};

// Secrets, too, where they are no code.
constexpr std::array<std::string_view, 3> kSecretData = {"credentials.*", "secrets.*", "secret.*"};

// Languages that data is written in, and code that there is no grammar for.
constexpr std::array<std::string_view, 5> kDataLanguages = {"json", "yaml", "toml", "markdown",
                                                            "shellscript"};
constexpr std::array<std::string_view, 14> kOtherCode = {
    "kt", "kts", "scala", "groovy", "fs", "hs", "swift", "m", "mm", "dart", "ex", "exs", "vue", "svelte"};

// What the patterns name and what is still no secret: examples to copy and public keys.
constexpr std::array<std::string_view, 5> kNoSecretFiles = {"*.example", "*.sample", "*.template", "*.dist",
                                                            "*.pub"};

constexpr std::array<std::string_view, 6> kSecretFolders = {"secrets", ".secrets", ".ssh",
                                                            ".gnupg",  ".aws",     ".kube"};

constexpr std::array<std::string_view, 5> kDependencyFolders = {"node_modules", "bower_components",
                                                                "jspm_packages", "__pypackages__", ".venv"};

constexpr std::array<std::string_view, 7> kRepositoryFolders = {".git", ".hg", ".svn",  ".bzr",
                                                                ".jj",  "CVS", ".pijul"};

constexpr std::array<std::string_view, 25> kGeneratedFiles = {
    "package-lock.json",
    "npm-shrinkwrap.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "bun.lock",
    "Cargo.lock",
    "poetry.lock",
    "uv.lock",
    "pdm.lock",
    "Pipfile.lock",
    "Gemfile.lock",
    "composer.lock",
    "go.sum",
    "packages.lock.json",
    "conan.lock",
    "*.min.js",
    "*.min.css",
    "*.pb.go",
    "*_pb2.py",
    "*_pb2_grpc.py",
    "*.pb.cc",
    "*.pb.h",
    "*.g.cs",
    "*.designer.cs",
    "*.map",
};

constexpr std::size_t kBinaryProbe = 8'192;     // bytes at the start that show a binary file
constexpr std::size_t kGeneratedProbe = 2'048;  // bytes at the start that say who wrote the file
constexpr int kCodeBefore = 10;                 // lines of it that may stand before they say so
constexpr std::size_t kLongLine = 5'000;        // no person wrote this
constexpr std::size_t kLongMean = 300;          // bytes a line, over a whole file
constexpr std::size_t kMinifiedFrom = 2'000;    // smaller files do no harm

template <std::size_t Size>
bool any_matches(const std::array<std::string_view, Size>& globs, std::string_view name) {
  return std::ranges::any_of(globs, [&](std::string_view glob) { return matches_glob(glob, name); });
}

template <std::size_t Size>
bool contains(const std::array<std::string_view, Size>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

std::string lower_case(std::string_view text) {
  std::string lower{text};
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

bool is_code(std::string_view name) {
  const Language* const language = language_of(name, {});
  return language == nullptr ? contains(kOtherCode, name.substr(name.rfind('.') + 1))
                             : !contains(kDataLanguages, language->id);
}

bool is_secret_file(std::string_view name) {
  const std::string lower = lower_case(name);
  return (any_matches(kSecretFiles, lower) || (any_matches(kSecretData, lower) && !is_code(lower))) &&
         !any_matches(kNoSecretFiles, lower);
}

// The beginning up to so much code that what follows is no word about the file.
std::string_view head_of(std::string_view text) {
  text = text.substr(0, kGeneratedProbe);
  int code_lines = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::size_t first = text.find_first_not_of(" \t\r", at);
    const bool is_code =
        first < end && std::string_view("#/*;-%<").find(text[first]) == std::string_view::npos;
    if (is_code && ++code_lines > kCodeBefore) return text.substr(0, at);
    at = end + 1;
  }
  return text;
}

// The sentences that generators put at the head of what they write.
bool says_generated(std::string_view head) {
  const std::string lower = lower_case(head);
  const auto says = [&](std::string_view what) { return lower.find(what) != std::string::npos; };
  const bool hands_off = says("do not edit") || says("do not modify") || says("don't edit");
  return says("@generated") || says("<auto-generated") || (hands_off && says("generated"));
}

bool is_prose(std::string_view name) {
  const std::string lower = lower_case(name);
  return lower.ends_with(".md") || lower.ends_with(".markdown") || lower.ends_with(".txt") ||
         lower.ends_with(".rst");
}

bool is_minified(std::string_view text) {
  if (text.size() < kMinifiedFrom) return false;
  std::size_t lines = 0;
  for (std::size_t at = 0; at < text.size(); ++lines) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (end - at > kLongLine) return true;
    at = end + 1;
  }
  return text.size() > kLongMean * lines;
}

}  // namespace

std::string_view reason(LeftOut why) {
  switch (why) {
    case LeftOut::kNot: return "";
    case LeftOut::kGitIgnored: return "named by .gitignore";
    case LeftOut::kHearthIgnored: return "named by .hearthignore";
    case LeftOut::kSecret: return "may hold secrets";
    case LeftOut::kDependency: return "installed packages";
    case LeftOut::kRepository: return "files of a version control system";
    case LeftOut::kCacheFolder: return "tagged as a cache (CACHEDIR.TAG)";
    case LeftOut::kSymbolicLink: return "a symbolic link";
    case LeftOut::kBrokenLink: return "a broken symbolic link";
    case LeftOut::kLinkLoop: return "a loop of symbolic links";
    case LeftOut::kNoRegularFile: return "no regular file";
    case LeftOut::kUnreadable: return "cannot be read";
    case LeftOut::kTooLarge: return "larger than 1 MiB";
    case LeftOut::kBinary: return "binary";
    case LeftOut::kGenerated: return "generated";
    case LeftOut::kMinified: return "minified";
    case LeftOut::kParserGaveUp: return "its parser took too long";
    case LeftOut::kParserCrashed: return "its parser crashed";
  }
  return "";
}

bool is_secret_path(std::string_view path) {
  while (true) {
    const std::size_t slash = path.find('/');
    if (slash == std::string_view::npos) return is_secret_file(path);
    if (contains(kSecretFolders, lower_case(path.substr(0, slash)))) return true;
    path.remove_prefix(slash + 1);
  }
}

LeftOut left_out_folder(std::string_view name) {
  if (contains(kRepositoryFolders, name)) return LeftOut::kRepository;
  if (contains(kDependencyFolders, name)) return LeftOut::kDependency;
  if (contains(kSecretFolders, lower_case(name))) return LeftOut::kSecret;
  return LeftOut::kNot;
}

LeftOut left_out_file(std::string_view name) {
  if (name == ".git") return LeftOut::kRepository;  // of a worktree or a submodule
  if (is_secret_file(name)) return LeftOut::kSecret;
  return any_matches(kGeneratedFiles, name) ? LeftOut::kGenerated : LeftOut::kNot;
}

LeftOut left_out_content(std::string_view text, std::string_view name) {
  if (text.size() > kMaxIndexedBytes) return LeftOut::kTooLarge;
  if (text.substr(0, kBinaryProbe).find('\0') != std::string_view::npos) return LeftOut::kBinary;
  if (says_generated(head_of(text))) return LeftOut::kGenerated;
  if (!is_prose(name) && is_minified(text)) return LeftOut::kMinified;
  return LeftOut::kNot;
}

}  // namespace hearth::indexer
