// The name of a language, however an editor calls it. Pure.
#pragma once

#include <string>
#include <string_view>

namespace hearth::lsp {

// The LSP's identifier ("csharp", "typescriptreact") for a filetype of Vim and Neovim ("cs",
// "javascript.jsx"), a mode of Emacs ("c++", "makefile-gmake") or an identifier itself; what is not known
// stays as it is, but of a compound filetype ("yaml.ansible") its first part.
std::string language_id(std::string_view said);

}  // namespace hearth::lsp
