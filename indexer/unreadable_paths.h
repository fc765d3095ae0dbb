// Which of a workspace's entries a scan could not look at: what is known of them, and of all below them, can
// neither be confirmed nor be called gone. A value.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>

namespace hearth::indexer {

class UnreadablePaths {
 public:
  // As a scan tells them: a folder's path ends with '/'.
  void add(std::string_view path);

  bool empty() const { return paths_.empty(); }
  bool contains(std::string_view path) const;  // itself
  bool hide(std::string_view path) const;      // one of the folders above it

 private:
  std::set<std::string, std::less<>> paths_;  // without a slash at the end
};

}  // namespace hearth::indexer
