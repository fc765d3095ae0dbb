#include "indexer/unreadable_paths.h"

namespace hearth::indexer {
namespace {

std::string_view without_slash(std::string_view path) {
  return path.ends_with('/') ? path.substr(0, path.size() - 1) : path;
}

}  // namespace

void UnreadablePaths::add(std::string_view path) { paths_.emplace(without_slash(path)); }

bool UnreadablePaths::contains(std::string_view path) const {
  return paths_.find(without_slash(path)) != paths_.end();
}

bool UnreadablePaths::hide(std::string_view path) const {
  path = without_slash(path);
  for (std::size_t slash = path.find('/'); slash != std::string_view::npos;
       slash = path.find('/', slash + 1)) {
    if (contains(path.substr(0, slash))) return true;
  }
  return false;
}

}  // namespace hearth::indexer
