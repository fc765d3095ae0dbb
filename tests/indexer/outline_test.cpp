#include "indexer/outline.h"

#include <gtest/gtest.h>

namespace hearth::indexer {
namespace {

// What a text defines and imports, in order.
std::string told(std::string_view language, std::string_view text) {
  Outliner outliner;
  const auto outline = outliner.outline(*language_named(language), text, std::chrono::seconds(10), {});
  if (!outline || !*outline) return "nothing";
  std::string said;
  for (const cache::SymbolRow& symbol : (*outline)->symbols)
    said += (symbol.container.empty() ? "" : symbol.container + '.') + symbol.name + ' ';
  for (const cache::ImportRow& import : (*outline)->imports) said += '<' + import.module + "> ";
  return said;
}

struct Case {
  const char* language;
  const char* text;
  const char* told;
};

// Bodies that import nothing are not walked: what follows them has to be found all the same.
constexpr Case kBodies[] = {
    {"python",
     "def f():\n    \"\"\"Doc.\"\"\"\n    def inner():\n        x = 1\n    return inner\n"
     "class A:\n    def m(self):\n        class B: pass\n    n = 1\ndef g(): pass\nx = 1\n",
     "f A A.m A.n g x "},
    {"python", "def f():\n    def g():\n        import os\n    def h(): pass\n    import sys\nimport re\n",
     "f <os> <sys> <re> "},
    {"javascript",
     "const f = () => { const g = () => 1; return g; };\nclass A { m() { return 1; } n() {} }\n",
     "f A A.m A.n "},
    {"javascript", "function f() { function g() { return 1; }\n return require('a'); }\nconst x = 1;\n",
     "f x <a> "},
    {"cpp",
     "namespace n {\nstruct A { int f() { struct B { int c; }; return 1; } int d; };\nint e() { return 2; "
     "}\n}\n",
     "n n.A n.A.f n.A.d n.e "},
    {"cpp", "int f() {\n#include \"table.h\"\n}\nint g();\n", "f g <\"table.h\"> "},
    {"rust", "fn f() { use a::b; fn g() {} }\nfn h() { let x = 1; }\nstruct S;\n", "f h S <a> "},
    {"lua", "function f() local function g() end return require('a') end\nfunction h() end\n", "f h <a> "},
    {"ruby", "class A\n  def f\n    require 'a'\n  end\n  def g\n    1\n  end\nend\n", "A A.f A.g <a> "},
    {"shellscript", "f() { . lib.sh; }\ng() { true; }\n", "f g <lib.sh> "},
};

TEST(Outline, TellsImportsOfFunctionBodiesAndWhatFollowsThem) {
  for (const Case& body : kBodies) EXPECT_EQ(body.told, told(body.language, body.text)) << body.text;
}

}  // namespace
}  // namespace hearth::indexer
