#include "engine/gguf_writer.h"

#include <csignal>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "tests/support/gguf_builder.h"
#include "tests/support/temporary_folder.h"

namespace hearth::engine {
namespace {

using kernels::WeightType;
using testing::TemporaryFolder;

std::span<const std::byte> bytes_of(const std::vector<float>& values) {
  return std::as_bytes(std::span(values));
}

TEST(GgufWriter, WritesWhatTheFormatDescribesByteForByte) {
  const TemporaryFolder folder;
  const std::vector<float> first = {1, 2, 3}, second = {4, 5, 6, 7};
  const GgufMetadata metadata = {{"a.unsigned", std::uint64_t{7}},
                                 {"a.large", std::uint64_t{1} << 40},
                                 {"a.signed", std::int64_t{-7}},
                                 {"a.float", 0.5},
                                 {"a.double", 0.1},
                                 {"a.bool", true},
                                 {"a.text", std::string("text")},
                                 {"a.integers", std::vector<std::int64_t>{1, -2}},
                                 {"a.floats", std::vector<double>{0.25}},
                                 {"a.texts", std::vector<std::string>{"x", ""}}};
  auto writer = GgufWriter::create(folder / "new/model.gguf", metadata,
                                   {{"first", WeightType::kF32, {3}}, {"second", WeightType::kF32, {2, 2}}});
  ASSERT_TRUE(writer) << writer.error().message;
  ASSERT_TRUE(writer->write(bytes_of(first)));
  ASSERT_TRUE(writer->write(bytes_of(second).first(8)));
  ASSERT_TRUE(writer->write(bytes_of(second).subspan(8)));
  ASSERT_TRUE(writer->finish());

  testing::GgufBuilder expected;
  expected.key("a.unsigned", std::uint32_t{7})
      .key("a.large", std::uint64_t{1} << 40)
      .key("a.signed", std::int32_t{-7})
      .key("a.float", 0.5f)
      .key("a.double", 0.1)
      .key("a.bool", true)
      .key("a.text", std::string("text"))
      .key("a.integers", std::vector<std::int32_t>{1, -2})
      .key("a.floats", std::vector<float>{0.25f})
      .key("a.texts", std::vector<std::string>{"x", ""})
      .f32_tensor("first", {3}, first)
      .f32_tensor("second", {2, 2}, second);
  std::string wanted = expected.build();
  wanted.resize((wanted.size() + 31) / 32 * 32, '\0');
  // The builder rounds the offsets in the file; both lay the second tensor 32 bytes after the first.
  EXPECT_EQ(testing::read_text(folder / "new/model.gguf"), wanted);
}

TEST(GgufWriter, LeavesNothingBehindWhenNotFinished) {
  const TemporaryFolder folder;
  folder.file("model.gguf", "old");
  {
    auto writer = GgufWriter::create(folder / "model.gguf", {}, {{"t", WeightType::kF32, {3}}});
    ASSERT_TRUE(writer);
    ASSERT_TRUE(writer->write(bytes_of({1, 2})));
  }
  EXPECT_EQ(testing::read_text(folder / "model.gguf"), "old");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(GgufWriter, SaysWhichFileCannotBeWrittenAndWhy) {
  const TemporaryFolder folder;
  folder.file("plain", "a file, not a folder");
  const auto in_a_file = GgufWriter::create(folder / "plain/model.gguf", {}, {});
  ASSERT_FALSE(in_a_file);
  EXPECT_NE(in_a_file.error().message.find("plain"), std::string::npos);

  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before;
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small = {4096, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  const auto too_large = GgufWriter::create(folder / "large.gguf", {}, {{"t", WeightType::kF32, {4096}}});
  setrlimit(RLIMIT_FSIZE, &before);
  ASSERT_FALSE(too_large);
  EXPECT_EQ(too_large.error().code, ErrorCode::kUnreadable);
  EXPECT_NE(too_large.error().message.find("large.gguf"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder / "large.gguf"));
}

}  // namespace
}  // namespace hearth::engine
