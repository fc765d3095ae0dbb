#include "indexer/import_resolver.h"

#include <algorithm>

namespace hearth::indexer {
namespace {

std::string replaced(std::string_view text, std::string_view what, std::string_view with) {
  std::string result;
  while (true) {
    const std::size_t at = text.find(what);
    result += text.substr(0, at);
    if (at == std::string_view::npos) return result;
    result += with;
    text.remove_prefix(at + what.size());
  }
}

std::string_view without_quotes(std::string_view text) {
  if (text.size() >= 2 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front())
    return text.substr(1, text.size() - 2);
  return text;
}

std::string under(std::string_view folder, std::string_view path) {
  if (folder.empty()) return std::string(path);
  return path.empty() ? std::string(folder) : std::string(folder) + '/' + std::string(path);
}

// What follows a package's name in an import: `/sub/path` of `name/sub/path`.
std::optional<std::string_view> after_prefix(std::string_view text, std::string_view prefix, char separator) {
  if (!text.starts_with(prefix)) return std::nullopt;
  text.remove_prefix(prefix.size());
  if (text.empty()) return text;
  if (!prefix.empty() && prefix.back() == separator) return text;
  if (text.front() != separator) return std::nullopt;
  return text.substr(1);
}

std::vector<std::string_view> words_of(std::string_view names) {
  std::vector<std::string_view> words;
  while (!names.empty()) {
    const std::size_t blank = std::min(names.find(' '), names.size());
    if (blank > 0) words.push_back(names.substr(0, blank));
    names.remove_prefix(std::min(blank + 1, names.size()));
  }
  return words;
}

}  // namespace

ImportResolver::Target ImportResolver::first_of(std::string_view base,
                                                std::initializer_list<std::string_view> endings) const {
  for (const std::string_view ending : endings) {
    std::string path = std::string(base) + std::string(ending);
    if (paths_.has_file(path)) return path;
  }
  return std::nullopt;
}

// In each folder from the file's own up to the root, and in `folders` of each.
ImportResolver::Target ImportResolver::upwards(std::string_view file, std::string_view path,
                                               std::initializer_list<std::string_view> folders,
                                               std::initializer_list<std::string_view> endings) const {
  for (std::string_view above = folder_of(file);; above = folder_of(above)) {
    for (const std::string_view folder : folders) {
      const std::optional<std::string> base = joined_path(under(above, folder), path);
      if (!base) continue;
      if (Target found = first_of(*base, endings)) return found;
    }
    if (above.empty()) return std::nullopt;
  }
}

ImportResolver::Target ImportResolver::python(std::string_view file, std::string_view module) const {
  std::size_t dots = 0;
  while (dots < module.size() && module[dots] == '.') ++dots;
  const std::string path = replaced(module.substr(dots), ".", "/");
  const std::initializer_list<std::string_view> endings = {".py", ".pyi", "/__init__.py", "/__init__.pyi"};
  if (dots > 0) {
    std::string_view folder = folder_of(file);
    for (std::size_t up = 1; up < dots; ++up) {
      if (folder.empty()) return std::nullopt;
      folder = folder_of(folder);
    }
    return path.empty() ? first_of(folder.empty() ? "__init__" : under(folder, "__init__"), {".py", ".pyi"})
                        : first_of(under(folder, path), endings);
  }
  // A package's own folder is on no search path; the one above its topmost package is.
  std::string_view top = folder_of(file);
  while (!top.empty() && paths_.has_file(under(top, "__init__.py"))) top = folder_of(top);
  return upwards(under(top, "x"), path, {"", "src", "lib", "python"}, endings);
}

ImportResolver::Target ImportResolver::javascript_file(std::string_view path) const {
  const std::initializer_list<std::string_view> endings = {
      "",      ".ts",       ".tsx",       ".d.ts",       ".js",       ".jsx",       ".mjs",      ".cjs",
      ".json", "/index.ts", "/index.tsx", "/index.d.ts", "/index.js", "/index.jsx", "/index.mjs"};
  if (Target found = first_of(path, endings)) return found;
  // TypeScript spells what its output will be called.
  for (const std::string_view written : {".js", ".jsx", ".mjs", ".cjs"}) {
    if (!path.ends_with(written)) continue;
    return first_of(path.substr(0, path.size() - written.size()), {".ts", ".tsx", ".mts", ".cts", ".d.ts"});
  }
  return std::nullopt;
}

ImportResolver::Target ImportResolver::javascript(std::string_view file, std::string_view module) const {
  if (module.starts_with('.')) {
    const std::optional<std::string> path = joined_path(folder_of(file), module);
    return path ? javascript_file(*path) : std::nullopt;
  }
  for (const PackageMap::Prefix& alias : packages_.aliases) {
    if (!module.starts_with(alias.prefix)) continue;
    const std::optional<std::string> path = joined_path(alias.folder, module.substr(alias.prefix.size()));
    if (!path) continue;
    if (Target found = javascript_file(*path)) return found;
  }
  for (const auto& [name, folder] : packages_.npm) {
    const std::optional<std::string_view> rest = after_prefix(module, name, '/');
    if (!rest) continue;
    const auto entry = packages_.npm_entry.find(name);
    if (rest->empty() && entry != packages_.npm_entry.end()) {
      if (Target found = javascript_file(entry->second)) return found;
    }
    for (const std::string_view inside : {"", "src", "lib"}) {
      if (Target found = javascript_file(under(under(folder, inside), *rest))) return found;
    }
  }
  return std::nullopt;
}

ImportResolver::Target ImportResolver::include(std::string_view file, std::string_view module) const {
  if (module.size() < 2) return std::nullopt;
  const bool quoted = module.front() == '"';
  const std::string_view path = module.substr(1, module.size() - 2);
  if (quoted) {
    if (const std::optional<std::string> beside = joined_path(folder_of(file), path);
        beside && paths_.has_file(*beside))
      return beside;
  }
  // `<vector>` is never the workspace's.
  if (path.find_first_of("./") == std::string_view::npos) return std::nullopt;
  if (Target found = upwards(file, path, {"", "include", "src"}, {""})) return found;
  if (!packages_.root_name.empty()) {
    const auto inside = after_prefix(path, packages_.root_name, '/');
    if (Target found = inside ? first_of(*inside, {""}) : std::nullopt) return found;
  }
  return path.starts_with('.') ? std::nullopt : paths_.ending_with(path, file);
}

ImportResolver::Target ImportResolver::go(std::string_view module) const {
  for (const PackageMap::Prefix& known : packages_.go_modules) {
    const std::optional<std::string_view> rest = after_prefix(module, known.prefix, '/');
    if (!rest) continue;
    const std::string folder = under(known.folder, *rest);
    if (paths_.has_folder(folder)) return folder + '/';
  }
  return std::nullopt;
}

// `path` with `::` between modules, from the folder that holds them.
ImportResolver::Target ImportResolver::rust_module(std::string_view folder, std::string_view path) const {
  const std::string wanted = under(folder, replaced(path, "::", "/"));
  return first_of(wanted, {".rs", "/mod.rs"});
}

ImportResolver::Target ImportResolver::rust(std::string_view file, std::string_view module) const {
  // Where this file's child modules lie.
  const std::string_view name = file.substr(file.rfind('/') + 1);
  const bool owns_folder = name == "mod.rs" || name == "lib.rs" || name == "main.rs";
  std::string children{owns_folder ? folder_of(file)
                                   : file.substr(0, file.size() - std::min<std::size_t>(3, file.size()))};
  const auto descend = [&](std::string_view from, std::string_view rest) -> Target {
    // The last parts may be items of the module before them.
    while (true) {
      if (rest.empty()) return std::nullopt;
      if (Target found = rust_module(from, rest)) return found;
      const std::size_t split = rest.rfind("::");
      if (split == std::string_view::npos) return std::nullopt;
      rest = rest.substr(0, split);
    }
  };
  const auto crate_root = [&](std::string_view folder) -> Target {
    return first_of(under(folder, "src/lib"), {".rs"}) ? first_of(under(folder, "src/lib"), {".rs"})
                                                       : first_of(under(folder, "src/main"), {".rs"});
  };
  if (const auto rest = after_prefix(module, "crate", ':')) {
    const std::string_view path = rest->empty() ? *rest : rest->substr(1);
    for (std::string_view above = folder_of(file);; above = folder_of(above)) {
      if (paths_.has_file(under(above, "Cargo.toml"))) {
        if (Target found = descend(under(above, "src"), path)) return found;
        return crate_root(above);
      }
      if (above.empty()) return std::nullopt;
    }
  }
  if (module == "self" || module.starts_with("self::")) {
    return descend(children, module.size() > 6 ? module.substr(6) : "");
  }
  if (module == "super" || module.starts_with("super::")) {
    std::string_view rest = module;
    std::string folder = children;
    while (rest.starts_with("super")) {
      folder = folder_of(folder);
      rest.remove_prefix(std::min<std::size_t>(7, rest.size()));
    }
    if (Target found = descend(folder, rest)) return found;
    return first_of(folder, {".rs", "/mod.rs", "/lib.rs", "/main.rs"});
  }
  if (module.find("::") == std::string_view::npos) {
    if (Target found = rust_module(children, module)) return found;  // `mod name;`
  }
  const std::size_t split = std::min(module.find("::"), module.size());
  const auto known = packages_.cargo.find(std::string(module.substr(0, split)));
  if (known == packages_.cargo.end()) return std::nullopt;
  const std::string_view rest = split == module.size() ? std::string_view() : module.substr(split + 2);
  if (Target found = descend(under(known->second, "src"), rest)) return found;
  return crate_root(known->second);
}

ImportResolver::Target ImportResolver::java(std::string_view file, std::string_view module) const {
  std::string path = replaced(module, ".", "/");
  // A static import names a member of the class, a nested class lies in its file, too.
  for (int members = 0; members < 3 && !path.empty(); ++members, path = folder_of(path)) {
    if (Target found = paths_.ending_with(path + ".java", file)) return found;
  }
  return std::nullopt;
}

ImportResolver::Target ImportResolver::ruby(std::string_view file, std::string_view module) const {
  if (const auto beside = joined_path(folder_of(file), module)) {
    if (Target found = first_of(*beside, {".rb", ""})) return found;
  }
  return upwards(file, module, {"lib", "app", ""}, {".rb"});
}

ImportResolver::Target ImportResolver::php(std::string_view file, std::string_view module) const {
  // An expression around a path: `__DIR__ . '/b.php'`, `'a.php'`, `("a.php")`.
  const std::size_t open = module.find_first_of("'\"");
  if (open != std::string_view::npos) {
    const std::size_t close = module.rfind(module[open]);
    std::string_view path = module.substr(open + 1, close - open - 1);
    while (path.starts_with('/')) path.remove_prefix(1);
    return relative(file, path);
  }
  if (module.starts_with('\\')) module.remove_prefix(1);
  for (const PackageMap::Prefix& known : packages_.php_namespaces) {
    const std::optional<std::string_view> rest = after_prefix(module, known.prefix, '\\');
    if (!rest) continue;
    if (Target found = first_of(under(known.folder, replaced(*rest, "\\", "/")), {".php"})) return found;
  }
  const std::string path = replaced(module, "\\", "/");
  return path.find('/') == std::string::npos ? std::nullopt : paths_.ending_with(path + ".php", file);
}

ImportResolver::Target ImportResolver::lua(std::string_view file, std::string_view module) const {
  return upwards(file, replaced(module, ".", "/"), {"", "lua", "src"}, {".lua", "/init.lua"});
}

ImportResolver::Target ImportResolver::relative(std::string_view file, std::string_view module) const {
  module = module.substr(0, module.find_first_of("?#"));
  if (module.empty() || module.find("://") != std::string_view::npos) return std::nullopt;
  // What a shell variable holds is not known; most often it is the script's own folder.
  if (module.starts_with('$')) module.remove_prefix(std::min(module.find('/') + 1, module.size()));
  if (!module.starts_with('/')) {
    if (const auto beside = joined_path(folder_of(file), module); beside && paths_.has_file(*beside))
      return beside;
  }
  const auto from_root = joined_path("", module);
  return from_root && paths_.has_file(*from_root) ? from_root : std::nullopt;
}

ImportResolver::Target ImportResolver::target(ImportRule rule, std::string_view file,
                                              const std::string& module) const {
  switch (rule) {
    case ImportRule::kNone: return std::nullopt;
    case ImportRule::kPython: return python(file, module);
    case ImportRule::kJavaScript: return javascript(file, module);
    case ImportRule::kInclude: return include(file, module);
    case ImportRule::kGo: return go(module);
    case ImportRule::kRust: return rust(file, module);
    case ImportRule::kJava: return java(file, module);
    case ImportRule::kRuby: return ruby(file, module);
    case ImportRule::kPhp: return php(file, module);
    case ImportRule::kLua: return lua(file, module);
    case ImportRule::kRelative: return relative(file, without_quotes(module));
  }
  return std::nullopt;
}

// The file that an imported name is by itself.
ImportResolver::Target ImportResolver::member(ImportRule rule, std::string_view file,
                                              const std::string& module, std::string_view name) const {
  if (rule == ImportRule::kPython) {
    const std::string separator = module.ends_with('.') ? "" : ".";
    return python(file, module + separator + std::string(name));
  }
  if (rule == ImportRule::kRust && name != "*" && name != "self") {
    const Target whole = rust(file, module), inner = rust(file, module + "::" + std::string(name));
    return inner != whole ? inner : std::nullopt;
  }
  if (rule == ImportRule::kJava && name == "*") {
    // Any class of the package shows where it is; the package is its folder.
    const std::string folder = replaced(module, ".", "/");
    for (const std::string_view root : {"", "src/", "src/main/java/", "app/src/main/java/"}) {
      if (paths_.has_folder(std::string(root) + folder)) return std::string(root) + folder + '/';
    }
  }
  return std::nullopt;
}

std::vector<cache::ImportRow> ImportResolver::resolve(ImportRule rule, std::string_view file,
                                                      std::vector<cache::ImportRow> imports) const {
  std::vector<cache::ImportRow> resolved;
  for (cache::ImportRow& import : imports) {
    std::string rest;
    bool split = false;
    for (const std::string_view name : words_of(import.names)) {
      if (Target own = member(rule, file, import.module, name)) {
        resolved.push_back({import.module, std::string(name), import.line, std::move(own)});
        split = true;
      } else {
        rest += (rest.empty() ? "" : " ") + std::string(name);
      }
    }
    if (split && rest.empty()) continue;
    import.names = std::move(rest);
    import.target = target(rule, file, import.module);
    resolved.push_back(std::move(import));
  }
  return resolved;
}

}  // namespace hearth::indexer
