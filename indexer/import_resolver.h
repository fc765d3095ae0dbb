// Which file of the workspace an import means, by each language's own rules and what manifests say of the
// workspace's packages. Reads no source file. Immutable after construction; any thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cache/rows.h"
#include "indexer/languages.h"
#include "indexer/workspace_paths.h"

namespace hearth::indexer {

// What manifests tell of the workspace's own packages.
struct PackageMap {
  struct Prefix {
    std::string prefix;  // of an import's text
    std::string folder;  // that stands in its place
  };
  std::vector<Prefix> go_modules;
  std::vector<Prefix> php_namespaces;      // with '\' between parts
  std::vector<Prefix> aliases;             // of tsconfig's `paths`, without the `*`
  std::map<std::string, std::string> npm;  // package name to folder
  std::map<std::string, std::string>
      npm_entry;                             // package name to the file that its `main` or `exports` names
  std::map<std::string, std::string> cargo;  // crate name, as imports spell it, to folder
  std::string root_name;                     // of the workspace's folder, which includes may begin with
};

class ImportResolver {
 public:
  // `paths` outlives it.
  ImportResolver(const WorkspacePaths& paths, PackageMap packages)
      : paths_(paths), packages_(std::move(packages)) {}

  // Sets every target. One import may become several: each imported name that is a file of its own is split
  // off. A target that is a folder, where a language imports folders, ends with '/'.
  std::vector<cache::ImportRow> resolve(ImportRule rule, std::string_view file,
                                        std::vector<cache::ImportRow> imports) const;

 private:
  using Target = std::optional<std::string>;

  Target target(ImportRule rule, std::string_view file, const std::string& module) const;
  Target member(ImportRule rule, std::string_view file, const std::string& module,
                std::string_view name) const;
  Target python(std::string_view file, std::string_view module) const;
  Target javascript(std::string_view file, std::string_view module) const;
  Target javascript_file(std::string_view path) const;
  Target include(std::string_view file, std::string_view module) const;
  Target go(std::string_view module) const;
  Target rust(std::string_view file, std::string_view module) const;
  Target rust_module(std::string_view folder, std::string_view path) const;
  Target java(std::string_view file, std::string_view module) const;
  Target ruby(std::string_view file, std::string_view module) const;
  Target php(std::string_view file, std::string_view module) const;
  Target lua(std::string_view file, std::string_view module) const;
  Target relative(std::string_view file, std::string_view module) const;
  Target first_of(std::string_view base, std::initializer_list<std::string_view> endings) const;
  Target upwards(std::string_view file, std::string_view path,
                 std::initializer_list<std::string_view> folders,
                 std::initializer_list<std::string_view> endings) const;

  const WorkspacePaths& paths_;
  PackageMap packages_;
};

}  // namespace hearth::indexer
