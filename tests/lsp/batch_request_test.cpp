#include "lsp/batch_request.h"

#include <gtest/gtest.h>

namespace hearth::lsp {
namespace {

TEST(BatchRequest, IsReadFromALine) {
  const BatchLine line = read_batch_line(
      R"({"id": "a/1", "path": "a.py", "prefix": "x = ", "suffix": "\n", "language": "ruby", "max_tokens": 9})",
      1);
  ASSERT_TRUE(line.request) << line.request.error().message;
  EXPECT_EQ(line.id, "a/1");
  EXPECT_EQ(line.request->prefix, "x = ");
  EXPECT_EQ(line.request->suffix, "\n");
  EXPECT_EQ(line.request->language, "ruby");
  EXPECT_EQ(line.request->max_tokens, 9);
}

TEST(BatchRequest, TakesTheLanguageOfThePath) {
  const BatchLine line = read_batch_line(R"({"id": 7, "path": "a.py", "prefix": "\u0000", "suffix": ""})", 1);
  ASSERT_TRUE(line.request) << line.request.error().message;
  EXPECT_EQ(line.id, 7);
  EXPECT_EQ(line.request->prefix, std::string(1, '\0'));
  EXPECT_EQ(line.request->language, "python");
  EXPECT_EQ(line.request->max_tokens, std::nullopt);
}

TEST(BatchRequest, NamesLineNumberAndFieldOfWhatIsWrong) {
  struct Case {
    const char* line;
    const char* part;
  };
  for (const Case& c : {
           Case{"{\"id\": 1", "not JSON"},
           Case{"[1]", "expected an object, found [1]"},
           Case{R"({"path": "a", "prefix": "", "suffix": ""})",
                "\"id\": expected a string or a number, found nothing"},
           Case{R"({"id": [], "path": "a", "prefix": "", "suffix": ""})", "found []"},
           Case{R"({"id": 1, "prefix": "", "suffix": ""})", "\"path\""},
           Case{R"({"id": 1, "path": "a", "prefix": 3, "suffix": ""})",
                "\"prefix\": expected a string, found 3"},
           Case{R"({"id": 1, "path": "a", "prefix": ""})", "\"suffix\""},
           Case{R"({"id": 1, "path": "a", "prefix": "", "suffix": "", "language": 1})", "\"language\""},
           Case{R"({"id": 1, "path": "a", "prefix": "", "suffix": "", "max_tokens": 0})", "\"max_tokens\""},
           Case{R"({"id": 1, "path": "a", "prefix": "", "suffix": "", "max_tokens": "8"})", "\"8\""},
       }) {
    const BatchLine line = read_batch_line(c.line, 12);
    ASSERT_FALSE(line.request) << c.line;
    EXPECT_TRUE(line.request.error().message.starts_with("line 12: ")) << line.request.error().message;
    EXPECT_NE(line.request.error().message.find(c.part), std::string::npos) << line.request.error().message;
  }
}

}  // namespace
}  // namespace hearth::lsp
