#include "lsp/language.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace hearth::lsp {
namespace {

struct NamedSyntax {
  std::vector<std::string_view> languages;
  LanguageSyntax syntax;
};

LanguageSyntax c_like() {
  return {.line_comments = {"//"},
          .block_comment_open = "/*",
          .block_comment_close = "*/",
          .quotes = "\"'",
          .has_brackets = true,
          .block_ends = {"{"}};
}

std::vector<NamedSyntax> make_syntaxes() {
  const LanguageSyntax c = c_like();
  LanguageSyntax backtick = c;
  backtick.quotes = "\"'`";
  backtick.multi_line_quotes = "`";
  LanguageSyntax arrow = backtick;
  arrow.regular_expressions = true;
  arrow.block_ends = {"{", "=>"};
  LanguageSyntax rust = c;
  rust.multi_line_quotes = "\"";
  rust.lifetimes = true;
  LanguageSyntax triple = c;
  triple.triple_quotes = true;
  LanguageSyntax php = c;
  php.line_comments = {"//", "#"};
  php.multi_line_quotes = "\"'";
  LanguageSyntax css = c;
  css.line_comments = {};
  const LanguageSyntax python{.line_comments = {"#"},
                              .quotes = "\"'",
                              .triple_quotes = true,
                              .has_brackets = true,
                              .colon_blocks = true,
                              .indentation_scopes = true};
  const LanguageSyntax ruby{.line_comments = {"#"},
                            .quotes = "\"'",
                            .regular_expressions = true,
                            .has_brackets = true,
                            .block_ends = {"{", "do", "|"},
                            .block_starts = {"def", "class", "module", "if", "unless", "while", "else"}};
  const LanguageSyntax lua{.line_comments = {"--"},
                           .block_comment_open = "--[[",
                           .block_comment_close = "]]",
                           .quotes = "\"'",
                           .has_brackets = true,
                           .block_ends = {"then", "do", "else", "repeat"},
                           .block_starts = {"function", "local function"}};
  const LanguageSyntax json{.line_comments = {"//"},
                            .block_comment_open = "/*",
                            .block_comment_close = "*/",
                            .quotes = "\"",
                            .has_brackets = true,
                            .block_ends = {"{", "["}};
  const LanguageSyntax toml{
      .line_comments = {"#"}, .quotes = "\"'", .triple_quotes = true, .has_brackets = true};
  const LanguageSyntax sql{.line_comments = {"--"},
                           .block_comment_open = "/*",
                           .block_comment_close = "*/",
                           .quotes = "\"'",
                           .multi_line_quotes = "'",
                           .has_brackets = true};
  // Closing brackets stand alone in shell patterns, so balance says nothing there.
  const LanguageSyntax shell{.line_comments = {"#"}, .block_ends = {"then", "do", "{", "else"}};
  const LanguageSyntax indented{.line_comments = {"#"}, .colon_blocks = true, .indentation_scopes = true};
  const LanguageSyntax markup{.block_comment_open = "<!--", .block_comment_close = "-->"};
  return {
      {{"c", "cpp", "cuda-cpp", "objective-c", "objective-cpp", "java", "csharp", "dart", "proto3", "proto",
        "glsl", "zig"},
       c},
      {{"javascript", "javascriptreact", "typescript", "typescriptreact"}, arrow},
      {{"go"}, backtick},
      {{"rust"}, rust},
      {{"kotlin", "swift", "scala", "groovy"}, triple},
      {{"php"}, php},
      {{"css", "scss", "less"}, css},
      {{"python"}, python},
      {{"ruby"}, ruby},
      {{"lua"}, lua},
      {{"json", "jsonc"}, json},
      {{"toml"}, toml},
      {{"sql"}, sql},
      {{"shellscript", "sh", "bash", "zsh", "dockerfile", "cmake"}, shell},
      {{"yaml", "makefile"}, indented},
      {{"html", "xml", "vue", "svelte"}, markup},
  };
}

constexpr std::array<std::pair<std::string_view, std::string_view>, 62> kExtensions{{
    {"c", "c"},
    {"h", "cpp"},
    {"cc", "cpp"},
    {"cpp", "cpp"},
    {"cxx", "cpp"},
    {"hh", "cpp"},
    {"hpp", "cpp"},
    {"hxx", "cpp"},
    {"cu", "cuda-cpp"},
    {"cuh", "cuda-cpp"},
    {"m", "objective-c"},
    {"mm", "objective-cpp"},
    {"java", "java"},
    {"cs", "csharp"},
    {"dart", "dart"},
    {"proto", "proto3"},
    {"glsl", "glsl"},
    {"zig", "zig"},
    {"js", "javascript"},
    {"mjs", "javascript"},
    {"cjs", "javascript"},
    {"jsx", "javascriptreact"},
    {"ts", "typescript"},
    {"mts", "typescript"},
    {"cts", "typescript"},
    {"tsx", "typescriptreact"},
    {"go", "go"},
    {"rs", "rust"},
    {"kt", "kotlin"},
    {"kts", "kotlin"},
    {"swift", "swift"},
    {"scala", "scala"},
    {"groovy", "groovy"},
    {"gradle", "groovy"},
    {"php", "php"},
    {"css", "css"},
    {"scss", "scss"},
    {"less", "less"},
    {"py", "python"},
    {"pyi", "python"},
    {"pyw", "python"},
    {"rb", "ruby"},
    {"lua", "lua"},
    {"json", "json"},
    {"jsonc", "jsonc"},
    {"toml", "toml"},
    {"sql", "sql"},
    {"sh", "shellscript"},
    {"bash", "shellscript"},
    {"zsh", "shellscript"},
    {"cmake", "cmake"},
    {"yaml", "yaml"},
    {"yml", "yaml"},
    {"mk", "makefile"},
    {"html", "html"},
    {"htm", "html"},
    {"xml", "xml"},
    {"vue", "vue"},
    {"svelte", "svelte"},
    {"md", "markdown"},
    {"el", "emacs-lisp"},
    {"tex", "latex"},
}};

constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kFileNames{{
    {"Makefile", "makefile"},
    {"makefile", "makefile"},
    {"GNUmakefile", "makefile"},
    {"Dockerfile", "dockerfile"},
    {"CMakeLists.txt", "cmake"},
    {"Rakefile", "ruby"},
}};

}  // namespace

const LanguageSyntax& syntax_of(std::string_view language) {
  static const std::vector<NamedSyntax> kSyntaxes = make_syntaxes();
  static const LanguageSyntax kUnknown{};
  for (const NamedSyntax& named : kSyntaxes) {
    if (std::ranges::find(named.languages, language) != named.languages.end()) return named.syntax;
  }
  return kUnknown;
}

std::string_view language_of_path(std::string_view path) {
  const std::string_view name = path.substr(path.find_last_of("/\\") + 1);
  for (const auto& [file, language] : kFileNames) {
    if (name == file) return language;
  }
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return "plaintext";
  std::string extension{name.substr(dot + 1)};
  std::ranges::transform(extension, extension.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const auto& [known, language] : kExtensions) {
    if (extension == known) return language;
  }
  return "plaintext";
}

}  // namespace hearth::lsp
