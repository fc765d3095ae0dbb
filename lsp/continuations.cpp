#include "lsp/continuations.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>

namespace hearth::lsp {
namespace {

struct Rests {
  std::string_view languages;  // with blanks around each
  std::array<std::string_view, 6> texts;
};

// Operands and names first, then what a head lacks, then bodies.
constexpr std::array<Rests, 12> kRests{{
    {" c cpp cuda-cpp objective-c objective-cpp ", {";", " h;", " {}", " int h;", "\n#endif"}},
    {" java csharp ", {";", " h;", " {}", " void h() {}"}},
    {" javascript javascriptreact typescript typescriptreact ", {" h", " {}", ": h", " h() {}", " => h"}},
    {" go ", {" h", " {}", " h {}"}},
    {" rust ", {";", " h;", " {}", " struct h;", " => h,"}},
    {" php ", {";", " h;", " {}", " function h() {}"}},
    {" css scss less ", {";", ": h;", " {}", " h {}"}},
    {" python ", {" h", " pass", ": pass", " pass\nfinally: pass", "\nfinally: pass", "\ndef h(): pass"}},
    {" ruby ", {" h", "\nend", " h\nend", "\nend\nend"}},
    {" lua ", {" h", " = h", "()", " end", " then end", " do end"}},
    {" json jsonc ", {" 0", ": 0", "\"h\": 0"}},
    {" toml ", {" 0", " = 0"}},
}};

}  // namespace

std::vector<std::string_view> continuations(std::string_view language) {
  std::vector<std::string_view> texts{""};
  const std::string name = ' ' + std::string(language) + ' ';
  for (const Rests& rests : kRests) {
    if (rests.languages.find(name) == std::string_view::npos) continue;
    std::ranges::copy_if(rests.texts, std::back_inserter(texts), [](auto text) { return !text.empty(); });
  }
  return texts;
}

}  // namespace hearth::lsp
