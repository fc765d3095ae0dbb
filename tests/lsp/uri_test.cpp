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

TEST(Uri, HasOneSpellingOfWhatMeansTheSame) {
  for (const char* uri :
       {"file:///c:/a b.py", "file:///C:/a%20b.py", "file:///c%3A/a b.py", "file:///C%3a/a%20b.py"}) {
    EXPECT_EQ(canonical_uri(uri), "file:///c:/a%20b.py") << uri;
  }
  EXPECT_EQ(canonical_uri("file:///100%25/%C3%A9.py"), canonical_uri("file:///100%25/\u00e9.py"));
  EXPECT_NE(canonical_uri("file:///100%25"), canonical_uri("file:///100"));
  EXPECT_EQ(canonical_uri("untitled:Untitled-1"), "untitled:Untitled-1");
  for (const char* uri : {"vscode-notebook-cell:/a.ipynb#W0sZ", "file:///100%25", "file:///?"}) {
    EXPECT_EQ(canonical_uri(canonical_uri(uri)), canonical_uri(uri));
  }
}

TEST(Uri, FindsTheInnermostFolder) {
  const std::vector<std::string> roots{"/project", "/project/inner/"};
  EXPECT_EQ(folder_of_uri("file:///project/src/a.py", roots), "/project");
  EXPECT_EQ(folder_of_uri("file:///project/inner/b.py", roots), "/project/inner/");
  EXPECT_EQ(folder_of_uri("file:///projects/c.py", roots), "");
  EXPECT_EQ(folder_of_uri("untitled:Untitled-1", roots), "");
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
