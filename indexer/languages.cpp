#include "indexer/languages.h"

#include <array>

#include "indexer/query_files.h"

extern "C" {
const TSLanguage* tree_sitter_bash();
const TSLanguage* tree_sitter_c();
const TSLanguage* tree_sitter_c_sharp();
const TSLanguage* tree_sitter_cpp();
const TSLanguage* tree_sitter_css();
const TSLanguage* tree_sitter_go();
const TSLanguage* tree_sitter_html();
const TSLanguage* tree_sitter_java();
const TSLanguage* tree_sitter_javascript();
const TSLanguage* tree_sitter_json();
const TSLanguage* tree_sitter_lua();
const TSLanguage* tree_sitter_markdown();
const TSLanguage* tree_sitter_php();
const TSLanguage* tree_sitter_python();
const TSLanguage* tree_sitter_ruby();
const TSLanguage* tree_sitter_rust();
const TSLanguage* tree_sitter_toml();
const TSLanguage* tree_sitter_tsx();
const TSLanguage* tree_sitter_typescript();
const TSLanguage* tree_sitter_yaml();
}

namespace hearth::indexer {
namespace {

// clang-format off
constexpr std::array<Language, 20> kLanguages = {{
    {"python", " py pyi pyw ", " SConstruct ", tree_sitter_python, "python", "#",
     Visibility::kUnderscore, ImportRule::kPython},
    {"javascript", " js mjs cjs jsx ", "", tree_sitter_javascript, "javascript javascript_fields", "//",
     Visibility::kExport, ImportRule::kJavaScript},
    {"typescript", " ts mts cts ", "", tree_sitter_typescript, "javascript typescript", "//",
     Visibility::kExport, ImportRule::kJavaScript},
    {"typescriptreact", " tsx ", "", tree_sitter_tsx, "javascript typescript", "//",
     Visibility::kExport, ImportRule::kJavaScript},
    {"c", " c h ", "", tree_sitter_c, "c", "//", Visibility::kLinkage, ImportRule::kInclude},
    {"cpp", " cc cpp cxx hh hpp hxx ipp tpp inl cu cuh ", "", tree_sitter_cpp, "c cpp", "//",
     Visibility::kLinkage, ImportRule::kInclude},
    {"go", " go ", "", tree_sitter_go, "go", "//", Visibility::kCapital, ImportRule::kGo},
    {"rust", " rs ", "", tree_sitter_rust, "rust", "//", Visibility::kPub, ImportRule::kRust},
    {"java", " java ", "", tree_sitter_java, "java", "//", Visibility::kModifier, ImportRule::kJava},
    {"ruby", " rb rake gemspec ru ", " Rakefile Gemfile ", tree_sitter_ruby, "ruby", "#",
     Visibility::kRuby, ImportRule::kRuby},
    {"php", " php phtml ", "", tree_sitter_php, "php", "// #", Visibility::kModifier, ImportRule::kPhp},
    {"csharp", " cs csx ", "", tree_sitter_c_sharp, "c-sharp", "//", Visibility::kModifier, ImportRule::kNone},
    {"lua", " lua ", "", tree_sitter_lua, "lua", "--", Visibility::kLocal, ImportRule::kLua},
    {"shellscript", " sh bash zsh ", " .bashrc .profile PKGBUILD ", tree_sitter_bash, "bash", "#",
     Visibility::kAlways, ImportRule::kRelative},
    {"json", " json jsonc json5 ", "", tree_sitter_json, "json", "//"},
    {"toml", " toml ", "", tree_sitter_toml, "toml", "#"},
    {"yaml", " yaml yml ", "", tree_sitter_yaml, "yaml", "#"},
    {"html", " html htm xhtml ", "", tree_sitter_html, "html", "", Visibility::kAlways, ImportRule::kRelative},
    {"css", " css ", "", tree_sitter_css, "css", "", Visibility::kAlways, ImportRule::kRelative},
    {"markdown", " md markdown ", "", tree_sitter_markdown, "markdown", ""},
}};
// clang-format on

constexpr std::size_t kProbe = 8'192;  // bytes that tell C from C++

struct Interpreter {
  std::string_view program, language;
};
constexpr std::array<Interpreter, 9> kInterpreters = {{
    {"python", "python"},
    {"node", "javascript"},
    {"bash", "shellscript"},
    {"dash", "shellscript"},
    {"zsh", "shellscript"},
    {"sh", "shellscript"},
    {"ruby", "ruby"},
    {"php", "php"},
    {"lua", "lua"},
}};

bool lists(std::string_view list, std::string_view word) {
  return !word.empty() && list.find(' ' + std::string(word) + ' ') != std::string_view::npos;
}

bool looks_like_cpp(std::string_view text) {
  text = text.substr(0, kProbe);
  for (const std::string_view mark :
       {"\nclass ", "\nnamespace ", "\ntemplate", "std::", "\n#include <memory>", "\n#include <string>",
        "\n#include <vector>", "public:", "constexpr "}) {
    if (text.find(mark) != std::string_view::npos) return true;
  }
  return false;
}

const Language* by_interpreter(std::string_view text) {
  if (!text.starts_with("#!")) return nullptr;
  const std::string_view line = text.substr(0, text.find('\n'));
  for (const Interpreter& interpreter : kInterpreters) {
    for (const char before : {'/', ' '}) {
      if (line.find(before + std::string(interpreter.program)) != std::string_view::npos)
        return language_named(interpreter.language);
    }
  }
  return nullptr;
}

}  // namespace

const Language* language_named(std::string_view id) {
  for (const Language& language : kLanguages) {
    if (language.id == id) return &language;
  }
  return nullptr;
}

std::span<const Language> languages() { return kLanguages; }

const Language* language_of(std::string_view path, std::string_view text) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  for (const Language& language : kLanguages) {
    if (lists(language.file_names, name)) return &language;
  }
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return by_interpreter(text);
  std::string extension{name.substr(dot + 1)};
  for (char& c : extension) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  if (extension == "h" && looks_like_cpp(text)) return language_named("cpp");
  for (const Language& language : kLanguages) {
    if (lists(language.extensions, extension)) return &language;
  }
  return nullptr;
}

std::string query_of(const Language& language) {
  std::string text;
  std::string_view names = language.queries;
  while (!names.empty()) {
    const std::size_t blank = std::min(names.find(' '), names.size());
    text += query_file(names.substr(0, blank));
    names.remove_prefix(std::min(blank + 1, names.size()));
  }
  return text;
}

}  // namespace hearth::indexer
