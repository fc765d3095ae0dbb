#include "lsp/uri.h"

#include <gtest/gtest.h>

namespace hearth::lsp {
namespace {

TEST(Uri, GivesThePathsOfFiles) {
  EXPECT_EQ(path_of_uri("file:///home/me/a.py"), "/home/me/a.py");
  EXPECT_EQ(path_of_uri("file:///a%20b/%C3%A9%2b.py"), "/a b/\u00e9+.py");
  EXPECT_EQ(path_of_uri("file://localhost/a"), "/a");
  EXPECT_EQ(path_of_uri("file:///100%/%zz/%4"), "/100%/%zz/%4");
  EXPECT_EQ(path_of_uri("untitled:Untitled-1"), std::nullopt);
  EXPECT_EQ(path_of_uri("file://host"), std::nullopt);
  EXPECT_EQ(path_of_uri(""), std::nullopt);
}

TEST(Uri, ShowsModelsThePathInsideTheInnermostFolder) {
  const std::vector<std::string> roots{"/project", "/project/inner/"};
  EXPECT_EQ(path_in_workspace("file:///project/src/a.py", roots), "src/a.py");
  EXPECT_EQ(path_in_workspace("file:///project/inner/b.py", roots), "b.py");
  EXPECT_EQ(path_in_workspace("file:///projects/c.py", roots), "c.py");
  EXPECT_EQ(path_in_workspace("untitled:Untitled-1", roots), "Untitled-1");
  EXPECT_EQ(path_in_workspace("file:///x/d.py", {}), "d.py");
}

}  // namespace
}  // namespace hearth::lsp
