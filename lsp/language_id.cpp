#include "lsp/language_id.h"

#include <array>
#include <utility>

namespace hearth::lsp {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 41> kNames{{
    {"bash", "shellscript"},
    {"bash-ts", "shellscript"},
    {"c++", "cpp"},
    {"conf", "plaintext"},
    {"cs", "csharp"},
    {"cuda", "cuda-cpp"},
    {"dosbatch", "bat"},
    {"elisp", "emacs-lisp"},
    {"fundamental", "plaintext"},
    {"gitcommit", "git-commit"},
    {"gitrebase", "git-rebase"},
    {"git-rebase-todo", "git-rebase"},
    {"go-mod", "go.mod"},
    {"gomod", "go.mod"},
    {"javascript.jsx", "javascriptreact"},
    {"js", "javascript"},
    {"js-json", "json"},
    {"js-jsx", "javascriptreact"},
    {"js2", "javascript"},
    {"jsx", "javascriptreact"},
    {"ksh", "shellscript"},
    {"lisp-interaction", "emacs-lisp"},
    {"make", "makefile"},
    {"makefile-automake", "makefile"},
    {"makefile-bsdmake", "makefile"},
    {"makefile-gmake", "makefile"},
    {"makefile-imake", "makefile"},
    {"mhtml", "html"},
    {"nxml", "xml"},
    {"objc", "objective-c"},
    {"objcpp", "objective-cpp"},
    {"plaintex", "latex"},
    {"proto", "proto3"},
    {"ps1", "powershell"},
    {"sh", "shellscript"},
    {"tex", "latex"},
    {"text", "plaintext"},
    {"tsx", "typescriptreact"},
    {"typescript.tsx", "typescriptreact"},
    {"vcs-commit", "git-commit"},
    {"zsh", "shellscript"},
}};

}  // namespace

std::string language_id(std::string_view said) {
  for (const auto& [name, id] : kNames) {
    if (name == said) return std::string(id);
  }
  const std::size_t dot = said.find('.');
  const bool is_compound = dot != std::string_view::npos && dot > 0 && said != "go.mod" && said != "go.sum";
  return is_compound ? language_id(said.substr(0, dot)) : std::string(said);
}

}  // namespace hearth::lsp
