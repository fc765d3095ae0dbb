#include "engine/sha256.h"

#include <gtest/gtest.h>
#include <string_view>

#include "tests/support/temporary_folder.h"

namespace hearth::engine {
namespace {

// FIPS 180-4's own example.
constexpr const char* kOfAbc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

TEST(Sha256, OfBytesAndOfAFileIsTheStandardsOwn) {
  EXPECT_EQ(sha256(std::as_bytes(std::span(std::string_view("abc")))), kOfAbc);
  const testing::TemporaryFolder folder;
  const auto of_file = sha256_of_file(folder.file("abc", "abc"));
  ASSERT_TRUE(of_file);
  EXPECT_EQ(*of_file, kOfAbc);
}

TEST(Sha256, NamesAFileThatIsNotThere) {
  const auto missing = sha256_of_file("/nowhere/model.gguf");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  EXPECT_NE(missing.error().message.find("/nowhere/model.gguf"), std::string::npos);
}

TEST(Sha256, StopsWhenAsked) {
  const testing::TemporaryFolder folder;
  std::stop_source source;
  source.request_stop();
  EXPECT_FALSE(sha256_of_file(folder.file("abc", "abc"), source.get_token()));
}

}  // namespace
}  // namespace hearth::engine
