#include "indexer/manifest_scripts.h"

#include <algorithm>

#include "indexer/manifest_lines.h"

namespace hearth::indexer {
namespace {

// The strings in quotes of a line, in order.
std::vector<std::string> quoted_strings(std::string_view line) {
  std::vector<std::string> strings;
  while (true) {
    const std::size_t open = line.find_first_of("'\"");
    if (open == std::string_view::npos) return strings;
    const std::size_t close = line.find(line[open], open + 1);
    if (close == std::string_view::npos) return strings;
    strings.emplace_back(line.substr(open + 1, close - open - 1));
    line.remove_prefix(close + 1);
  }
}

struct CmakeCommand {
  std::string name;  // in lower case
  std::vector<std::string> arguments;
};

// cmake-language(7): commands, arguments in quotes or not, comments to the line's end and in brackets.
std::vector<CmakeCommand> cmake_commands(std::string_view text) {
  std::vector<CmakeCommand> commands;
  std::string word;
  bool inside = false;
  int depth = 0;
  const auto end_word = [&] {
    if (!word.empty() && inside) commands.back().arguments.push_back(word);
    if (inside) word.clear();
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '#') {
      const bool bracket = text.substr(at, 3) == "#[[";
      at = std::min(text.find(bracket ? "]]" : "\n", at), text.size());
    } else if (c == '"' && inside) {
      const std::size_t close = std::min(text.find('"', at + 1), text.size());
      word += text.substr(at + 1, close - at - 1);
      at = close;
    } else if (c == '(') {
      if (depth++ > 0) continue;
      CmakeCommand command;
      for (const char letter : word)
        command.name += static_cast<char>(letter >= 'A' && letter <= 'Z' ? letter + 32 : letter);
      commands.push_back(std::move(command));
      word.clear();
      inside = true;
    } else if (c == ')') {
      if (depth == 0 || --depth > 0) continue;
      end_word();
      inside = false;
      word.clear();
    } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ';') {
      end_word();
      if (!inside && c == '\n') word.clear();
    } else {
      word += c;
    }
  }
  return commands;
}

bool is_version(std::string_view text) {
  return !text.empty() && text.front() >= '0' && text.front() <= '9' &&
         text.find_first_not_of("0123456789.") == std::string_view::npos;
}

std::string after(const std::vector<std::string>& arguments, std::string_view keyword) {
  const auto found = std::ranges::find(arguments, keyword);
  return found == arguments.end() || found + 1 == arguments.end() ? std::string() : *(found + 1);
}

// `name/version@user/channel`
cache::DependencyRow conan_reference(std::string_view reference, std::string_view scope) {
  reference = reference.substr(0, reference.find('@'));
  const std::size_t slash = std::min(reference.find('/'), reference.size());
  const std::string version{reference.substr(std::min(slash + 1, reference.size()))};
  const bool is_range = version.starts_with('[');
  return {std::string(trimmed(reference.substr(0, slash))), version, is_range ? "" : version,
          std::string(scope)};
}

}  // namespace

std::optional<cache::ManifestRow> read_cmake_lists(std::string_view text) {
  cache::ManifestRow manifest;
  for (const CmakeCommand& command : cmake_commands(text)) {
    const std::vector<std::string>& arguments = command.arguments;
    if (arguments.empty()) continue;
    if (command.name == "project" && manifest.name.empty()) {
      manifest.name = arguments[0];
      manifest.version = after(arguments, "VERSION");
    } else if (command.name == "find_package") {
      const bool versioned = arguments.size() > 1 && is_version(arguments[1]);
      manifest.dependencies.push_back({arguments[0], versioned ? ">=" + arguments[1] : "", "", ""});
    } else if (command.name == "fetchcontent_declare") {
      const std::string tag = after(arguments, "GIT_TAG");
      manifest.dependencies.push_back({arguments[0], tag, tag, ""});
    } else if (command.name == "pkg_check_modules" || command.name == "pkg_search_module") {
      for (std::size_t i = 1; i < arguments.size(); ++i) {
        const std::string& module = arguments[i];
        if (module == "REQUIRED" || module == "QUIET" || module == "IMPORTED_TARGET" || module == "GLOBAL")
          continue;
        const std::size_t range = std::min(module.find_first_of("<>="), module.size());
        manifest.dependencies.push_back({module.substr(0, range), module.substr(range), "", ""});
      }
    }
  }
  if (manifest.name.empty() && manifest.dependencies.empty()) return std::nullopt;
  return manifest;
}

std::optional<cache::ManifestRow> read_conanfile_txt(std::string_view text) {
  cache::ManifestRow manifest;
  std::string_view section;
  for (const std::string_view line : lines_of(text)) {
    const std::string_view content = trimmed(line.substr(0, line.find('#')));
    if (content.empty()) continue;
    if (content.front() == '[') {
      section = content;
    } else if (section == "[requires]") {
      manifest.dependencies.push_back(conan_reference(content, ""));
    } else if (section == "[tool_requires]" || section == "[build_requires]") {
      manifest.dependencies.push_back(conan_reference(content, "build"));
    } else if (section == "[test_requires]") {
      manifest.dependencies.push_back(conan_reference(content, "test"));
    }
  }
  return manifest;
}

std::optional<cache::ManifestRow> read_conanfile_py(std::string_view text) {
  cache::ManifestRow manifest;
  for (const std::string_view line : lines_of(text)) {
    const std::string_view content = trimmed(line);
    const std::vector<std::string> strings = quoted_strings(content);
    if (strings.empty() || content.front() == '#') continue;
    if (content.starts_with("name")) manifest.name = strings[0];
    if (content.starts_with("version")) manifest.version = strings[0];
    const bool build =
        content.starts_with("tool_requires") || content.find(".tool_requires(") != std::string_view::npos;
    const bool needed =
        content.starts_with("requires") || content.find(".requires(") != std::string_view::npos;
    if (!build && !needed) continue;
    for (const std::string& reference : strings) {
      if (reference.find('/') != std::string::npos)
        manifest.dependencies.push_back(conan_reference(reference, build ? "build" : ""));
    }
  }
  if (manifest.name.empty() && manifest.dependencies.empty()) return std::nullopt;
  return manifest;
}

std::optional<cache::ManifestRow> read_gemfile(std::string_view text) {
  cache::ManifestRow manifest;
  std::string scope;
  for (const std::string_view line : lines_of(text)) {
    const std::string_view content = trimmed(line);
    if (content.starts_with("group ")) {
      const std::size_t colon = content.find(':');
      if (colon == std::string_view::npos) continue;
      scope = content.substr(colon + 1, content.find_first_of(", ", colon) - colon - 1);
    } else if (content == "end") {
      scope.clear();
    } else if (content.starts_with("gem ") || content.starts_with("gem(")) {
      // Options follow the versions: `gem "a", "~> 1", ">= 1.2", require: false`.
      const std::string_view positional = content.substr(0, content.find(": "));
      const std::vector<std::string> strings = quoted_strings(positional.substr(0, positional.find("=>")));
      if (strings.empty()) continue;
      std::string wanted;
      for (std::size_t i = 1; i < strings.size(); ++i) wanted += (i > 1 ? ", " : "") + strings[i];
      manifest.dependencies.push_back({strings[0], wanted, "", scope});
    }
  }
  return manifest;
}

// In GEM's `specs:`, four blanks before `name (1.2.3)`.
LockedVersions lock_of_gemfile(std::string_view text) {
  LockedVersions locked;
  for (const std::string_view line : lines_of(text)) {
    if (!line.starts_with("    ") || line.starts_with("     ")) continue;
    const std::string_view content = trimmed(line);
    const std::size_t open = content.find(" (");
    if (open == std::string_view::npos || !content.ends_with(')')) continue;
    locked.emplace(content.substr(0, open), content.substr(open + 2, content.size() - open - 3));
  }
  return locked;
}

}  // namespace hearth::indexer
