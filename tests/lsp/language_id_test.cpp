#include "lsp/language_id.h"

#include <gtest/gtest.h>
#include <utility>

#include "lsp/language.h"

namespace hearth::lsp {
namespace {

TEST(LanguageId, IsTheSameHoweverAnEditorCallsTheLanguage) {
  for (const auto& [said, id] : {std::pair{"cs", "csharp"},
                                 {"make", "makefile"},
                                 {"makefile-gmake", "makefile"},
                                 {"sh", "shellscript"},
                                 {"c++", "cpp"},
                                 {"tsx", "typescriptreact"},
                                 {"javascript.jsx", "javascriptreact"},
                                 {"yaml.ansible", "yaml"},
                                 {"sh.chezmoi", "shellscript"},
                                 {"gitcommit", "git-commit"},
                                 {"python", "python"},
                                 {"go.mod", "go.mod"},
                                 {".", "."},
                                 {"", ""},
                                 {"unheard-of", "unheard-of"}}) {
    EXPECT_EQ(language_id(said), id) << said;
    EXPECT_EQ(language_id(language_id(said)), id) << said;
  }
}

TEST(LanguageId, IsWhatSyntaxIsKnownBy) {
  for (const char* said : {"cs", "sh", "tsx", "objc", "make"})
    EXPECT_FALSE(syntax_of(language_id(said)).line_comments.empty()) << said;
}

}  // namespace
}  // namespace hearth::lsp
