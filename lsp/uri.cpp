#include "lsp/uri.h"

#include <charconv>

namespace hearth::lsp {
namespace {

std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    unsigned byte = 0;
    if (text[at] == '%' && at + 2 < text.size()) {
      const char* const end = text.data() + at + 3;
      const auto [stop, error] = std::from_chars(text.data() + at + 1, end, byte, 16);
      if (error == std::errc() && stop == end) {
        out += static_cast<char>(byte);
        at += 2;
        continue;
      }
    }
    out += text[at];
  }
  return out;
}

}  // namespace

std::optional<std::string> path_of_uri(std::string_view uri) {
  constexpr std::string_view kScheme = "file://";
  if (!uri.starts_with(kScheme)) return std::nullopt;
  uri.remove_prefix(kScheme.size());
  const std::size_t slash = uri.find('/');  // after the host, which is empty for local files
  if (slash == std::string_view::npos) return std::nullopt;
  return unescaped(uri.substr(slash));
}

std::string path_in_workspace(std::string_view uri, const std::vector<std::string>& roots) {
  const std::string path = path_of_uri(uri).value_or(unescaped(uri));
  std::size_t used = 0;
  for (const std::string& root : roots) {
    const std::string folder = root.ends_with('/') ? root : root + '/';
    if (path.starts_with(folder) && folder.size() > used) used = folder.size();
  }
  if (used == 0) used = path.find_last_of("/:") + 1;  // npos + 1 is 0
  return path.substr(used);
}

}  // namespace hearth::lsp
