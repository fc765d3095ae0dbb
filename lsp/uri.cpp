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

std::string canonical_uri(std::string_view uri) {
  constexpr std::string_view kPlain = "-._~/:@!$&'()*+,;=[]";
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  for (const char c : unescaped(uri)) {
    const auto byte = static_cast<unsigned char>(c);
    const bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (word || kPlain.find(c) != std::string_view::npos) {
      out += c;
    } else {
      out += {'%', kHex[byte >> 4U], kHex[byte & 15U]};
    }
  }
  constexpr std::string_view kFile = "file:///";
  if (out.starts_with(kFile) && out.size() > kFile.size() + 1 && out[kFile.size() + 1] == ':') {
    char& drive = out[kFile.size()];
    if (drive >= 'A' && drive <= 'Z') drive = static_cast<char>(drive - 'A' + 'a');
  }
  return out;
}

std::string document_name(std::string_view uri) { return path_of_uri(uri).value_or(std::string(uri)); }

std::string folder_of_uri(std::string_view uri, const std::vector<std::string>& roots) {
  const std::string path = path_of_uri(uri).value_or("");
  std::string found;
  for (const std::string& root : roots) {
    const std::string folder = root.ends_with('/') ? root : root + '/';
    if (path.starts_with(folder) && root.size() > found.size()) found = root;
  }
  return found;
}

std::string path_in_workspace(std::string_view uri, const std::vector<std::string>& roots) {
  const std::string path = path_of_uri(uri).value_or(unescaped(uri));
  const std::string folder = folder_of_uri(uri, roots);
  if (folder.empty()) return path.substr(path.find_last_of("/:") + 1);  // npos + 1 is 0
  return path.substr(folder.size() + (folder.ends_with('/') ? 0 : 1));
}

}  // namespace hearth::lsp
