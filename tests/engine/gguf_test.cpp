#include "engine/gguf.h"

#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <random>

#include "engine/tokenizer.h"
#include "tests/support/gguf_builder.h"

namespace hearth::engine {
namespace {

using testing::GgufBuilder;

std::span<const std::byte> as_bytes(const std::string& text) { return std::as_bytes(std::span(text)); }

Result<GgufFile> parse(const std::string& bytes) { return GgufFile::parse(as_bytes(bytes), "test.gguf"); }

// Parses, and when that succeeds looks at everything, as a user of the file would.
void use(std::span<const std::byte> bytes) {
  const auto file = GgufFile::parse(bytes, "test.gguf");
  if (!file) {
    EXPECT_TRUE(file.error().message.starts_with("test.gguf: ")) << file.error().message;
    return;
  }
  std::uint64_t sum = 0;
  for (const GgufTensor& tensor : file->tensors()) {
    if (!tensor.bytes.empty()) sum += static_cast<std::uint64_t>(tensor.bytes.front() ^ tensor.bytes.back());
  }
  EXPECT_LE(sum, file->tensors().size() * 255);
  const auto tokenizer = Tokenizer::from_gguf(*file);
  if (tokenizer) (*tokenizer)->encode("int main() { return 0; }");
}

GgufBuilder small_file() {
  GgufBuilder builder;
  builder.key("general.architecture", std::string("llama"))
      .key("general.alignment", std::uint32_t{32})
      .key("a.bool", true)
      .key("an.array", std::vector<std::int32_t>{1, -2, 3})
      .key("some.strings", std::vector<std::string>{"one", "two"})
      .f32_tensor("first", {3, 2}, {1, 2, 3, 4, 5, 6})
      .f32_tensor("second", {4}, {7, 8, 9, 10});
  return builder;
}

TEST(Gguf, GivesBackEveryTypeOfValue) {
  GgufBuilder builder;
  builder.key("u8", std::uint8_t{200})
      .key("i8", std::int8_t{-100})
      .key("u16", std::uint16_t{60000})
      .key("i16", std::int16_t{-30000})
      .key("u32", std::uint32_t{4000000000})
      .key("i32", std::int32_t{-2000000000})
      .key("u64", std::uint64_t{1} << 63)
      .key("i64", -(std::int64_t{1} << 62))
      .key("f32", 0.5f)
      .key("f64", 0.1)
      .key("yes", true)
      .key("no", false)
      .key("text", std::string("a\0b", 3))
      .key("u8s", std::vector<std::uint8_t>{0, 255})
      .key("i16s", std::vector<std::int16_t>{-1, 1})
      .key("u64s", std::vector<std::uint64_t>{5})
      .key("f32s", std::vector<float>{0.25f, -1})
      .key("bools", std::vector<bool>{true, false})
      .key("strings", std::vector<std::string>{"", "x"})
      .key("nothing", std::vector<std::int32_t>{});
  const std::string bytes = builder.build();
  const auto file = parse(bytes);
  ASSERT_TRUE(file) << file.error().message;
  const auto expect = [&](const char* key, const GgufValue& value) {
    ASSERT_NE(file->find(key), nullptr) << key;
    EXPECT_EQ(*file->find(key), value) << key;
  };
  expect("u8", std::uint64_t{200});
  expect("i8", std::int64_t{-100});
  expect("u16", std::uint64_t{60000});
  expect("i16", std::int64_t{-30000});
  expect("u32", std::uint64_t{4000000000});
  expect("i32", std::int64_t{-2000000000});
  expect("u64", std::uint64_t{1} << 63);
  expect("i64", -(std::int64_t{1} << 62));
  expect("f32", 0.5);
  expect("f64", 0.1);
  expect("yes", true);
  expect("no", false);
  expect("text", std::string("a\0b", 3));
  expect("u8s", std::vector<std::int64_t>{0, 255});
  expect("i16s", std::vector<std::int64_t>{-1, 1});
  expect("u64s", std::vector<std::int64_t>{5});
  expect("f32s", std::vector<double>{0.25, -1});
  expect("bools", std::vector<std::int64_t>{1, 0});
  expect("strings", std::vector<std::string>{"", "x"});
  expect("nothing", std::vector<std::int64_t>{});
  EXPECT_EQ(file->keys().front(), "u8");
  EXPECT_EQ(file->keys().size(), 20u);
}

TEST(Gguf, GivesBackTensorsWhereverTheyLie) {
  for (const std::uint64_t alignment : {1u, 8u, 32u, 256u}) {
    GgufBuilder builder;
    builder.alignment = alignment;
    builder.key("general.alignment", static_cast<std::uint32_t>(alignment));
    builder.f32_tensor("odd", {3}, {1, 2, 3}).f32_tensor("after", {2, 1, 2}, {4, 5, 6, 7});
    const std::string q8_0(34 * 2, 'q');
    builder.tensor("blocks", {32, 2}, 8, as_bytes(q8_0));
    builder.tensor("strange", {7}, 99, {});
    const std::string bytes = builder.build();
    const auto file = parse(bytes);
    ASSERT_TRUE(file) << file.error().message;
    ASSERT_EQ(file->tensors().size(), 4u);
    const GgufTensor* after = file->tensor("after");
    ASSERT_NE(after, nullptr);
    EXPECT_EQ(after->shape, (std::vector<std::uint64_t>{2, 1, 2}));
    EXPECT_EQ(after->weight_type, kernels::WeightType::kF32);
    float values[4];
    ASSERT_EQ(after->bytes.size(), sizeof values);
    std::memcpy(values, after->bytes.data(), sizeof values);
    EXPECT_EQ(values[3], 7);
    EXPECT_EQ(file->tensor("blocks")->bytes.size(), q8_0.size());
    EXPECT_EQ(file->tensor("strange")->ggml_type, 99u);
    EXPECT_FALSE(file->tensor("strange")->weight_type);
    EXPECT_TRUE(file->tensor("strange")->bytes.empty());
    EXPECT_EQ(file->tensor("none"), nullptr);
  }
}

TEST(Gguf, ReadsFilesWithoutTensorsAndTheVersionBefore) {
  GgufBuilder builder;
  builder.version = 2;
  builder.key("only", std::uint32_t{1});
  const std::string bytes = builder.build();
  const auto file = parse(bytes);
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_TRUE(file->tensors().empty());
}

TEST(Gguf, TypedGettersSayWhatTheyFound) {
  const std::string bytes = small_file().build();
  const auto file = parse(bytes);
  ASSERT_TRUE(file);
  EXPECT_EQ(*file->unsigned_at("general.alignment"), 32u);
  EXPECT_EQ(*file->number_at("general.alignment"), 32.0);
  EXPECT_EQ(*file->string_at("general.architecture"), "llama");
  EXPECT_EQ(file->bool_at("a.bool"), true);
  EXPECT_EQ(file->bool_at("general.alignment"), std::nullopt);
  EXPECT_EQ(file->unsigned_at("general.architecture").error().message,
            "test.gguf: the key \"general.architecture\" is \"llama\", wanted an unsigned integer");
  EXPECT_EQ(file->string_at("an.array").error().message,
            "test.gguf: the key \"an.array\" is an array of 3 integers, wanted a string");
  EXPECT_EQ(file->number_at("nowhere").error().message,
            "test.gguf: the key \"nowhere\" is missing, wanted a number");
}

// Each case is a file that is wrong in one way, and what the message must name.
struct Fault {
  const char* name;
  std::string bytes;
  std::vector<const char*> named;
};

std::string with(const GgufBuilder& builder, std::size_t at, const std::string& patch) {
  std::string bytes = builder.build();
  bytes.replace(at, patch.size(), patch);
  return bytes;
}

template <class T>
std::string raw(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

std::vector<Fault> faults() {
  const std::string four_floats(16, 'f');
  const auto floats = as_bytes(four_floats);
  const auto with_tensor = [&](std::vector<std::uint64_t> shape, std::uint32_t type, std::uint64_t offset) {
    return GgufBuilder().tensor_at("w", shape, type, offset, floats).build();
  };
  static const std::string empty_array_head = raw(std::uint64_t{1}) + "k" + raw(std::uint32_t{9});
  const auto with_array = [&](std::uint32_t type, std::uint64_t count) {
    return "GGUF" + raw(std::uint32_t{3}) + raw(std::uint64_t{0}) + raw(std::uint64_t{1}) + empty_array_head +
           raw(type) + raw(count) + std::string(64, '\0');
  };
  return {
      {"no bytes", "", {"0 bytes"}},
      {"magic", with(small_file(), 0, "GGML"), {"magic", "GGML"}},
      {"version 1", with(small_file(), 4, raw(std::uint32_t{1})), {"version 1"}},
      {"version 4", with(small_file(), 4, raw(std::uint32_t{4})), {"version 4"}},
      {"big endian", with(small_file(), 4, raw(std::uint32_t{0x03000000})), {"big-endian"}},
      {"tensor count",
       with(small_file(), 8, raw(~std::uint64_t{0})),
       {"tensor count", "18446744073709551615"}},
      {"key count", with(small_file(), 16, raw(std::uint64_t{1} << 40)), {"key count", "1099511627776"}},
      {"key length", with(small_file(), 24, raw(std::uint64_t{70000})), {"key 0", "70000"}},
      {"key twice", GgufBuilder().key("k", true).key("k", true).build(), {"\"k\"", "twice"}},
      {"alignment 0",
       GgufBuilder().key("general.alignment", std::uint32_t{0}).build(),
       {"general.alignment", "0"}},
      {"alignment 24",
       GgufBuilder().key("general.alignment", std::uint32_t{24}).build(),
       {"general.alignment", "24"}},
      {"alignment text",
       GgufBuilder().key("general.alignment", std::string("x")).build(),
       {"general.alignment"}},
      {"bool 2",
       "GGUF" + raw(std::uint32_t{3}) + raw(std::uint64_t{0}) + raw(std::uint64_t{1}) +
           raw(std::uint64_t{1}) + "k" + raw(std::uint32_t{7}) + "\2",
       {"\"k\"", "2"}},
      {"array of arrays", with_array(9, 1), {"\"k\"", "array of arrays"}},
      {"array of type 13", with_array(13, 1), {"\"k\"", "13"}},
      {"array of 2^62 floats", with_array(6, std::uint64_t{1} << 62), {"\"k\"", "4611686018427387904"}},
      {"array past the end", with_array(6, 17), {"\"k\"", "68 bytes"}},
      {"strings past the end", with_array(8, 9), {"\"k\"", "72 bytes"}},
      {"an element past 63 bits",
       GgufBuilder().key("k", std::vector<std::uint64_t>{~std::uint64_t{0}}).build(),
       {"\"k\""}},
      {"tensor twice",
       GgufBuilder().f32_tensor("w", {1}, {1}).f32_tensor("w", {1}, {1}).build(),
       {"\"w\"", "twice"}},
      {"no dimensions", with_tensor({}, 0, 0), {"\"w\"", "0 dimensions"}},
      {"five dimensions", with_tensor({1, 1, 1, 1, 1}, 0, 0), {"\"w\"", "5 dimensions"}},
      {"a dimension of 0", with_tensor({4, 0}, 0, 0), {"\"w\"", "0"}},
      {"a shape past 64 bits", with_tensor({1ull << 32, 1ull << 32, 4}, 0, 0), {"\"w\"", "4294967296"}},
      {"half a block", with_tensor({33}, 8, 0), {"\"w\"", "33", "Q8_0"}},
      {"offset", with_tensor({4}, 0, 32), {"\"w\"", "32"}},
      {"offset past 64 bits", with_tensor({4}, 0, ~std::uint64_t{31}), {"\"w\"", "18446744073709551584"}},
      {"unaligned offset", with_tensor({1}, 0, 4), {"\"w\"", "4", "alignment 32"}},
      {"more than there is", with_tensor({5}, 0, 0), {"\"w\"", "20 bytes"}},
      {"overlap",
       GgufBuilder()
           .tensor_at("v", {10}, 0, 0, as_bytes(std::string(64, 'f')))
           .tensor_at("w", {4}, 0, 32, {})
           .build(),
       {"\"v\"", "\"w\"", "overlap"}},
      {"the same place",
       GgufBuilder().tensor_at("v", {4}, 0, 0, floats).tensor_at("w", {4}, 0, 0, {}).build(),
       {"\"v\"", "\"w\"", "overlap"}},
  };
}

TEST(Gguf, NamesTheFieldAndTheValueOfEachFault) {
  for (const Fault& fault : faults()) {
    const auto file = parse(fault.bytes);
    ASSERT_FALSE(file) << fault.name;
    const std::string& message = file.error().message;
    EXPECT_TRUE(message.starts_with("test.gguf: ")) << message;
    for (const char* name : fault.named) {
      EXPECT_NE(message.find(name), std::string::npos) << fault.name << ": " << message << " lacks " << name;
    }
  }
}

TEST(Gguf, IsAnErrorWhereverItIsCutShort) {
  const std::string whole = small_file().build();
  ASSERT_TRUE(parse(whole));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::string cut = whole.substr(0, size);  // its own allocation, so that a sanitizer sees its end
    EXPECT_FALSE(parse(cut)) << size;
  }
}

TEST(Gguf, SurvivesAnyFourOrEightBytesSetToZeroTheirMaximumOrGarbage) {
  const std::string whole = small_file().build();
  std::mt19937_64 random(3);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const std::size_t width : {std::size_t{1}, std::size_t{4}, std::size_t{8}}) {
      if (at + width > whole.size()) continue;
      const std::uint64_t garbage[] = {0, ~std::uint64_t{0}, ~std::uint64_t{0} >> 1, random()};
      for (const std::uint64_t value : garbage) {
        std::string bytes = whole;
        std::memcpy(bytes.data() + at, &value, width);
        use(as_bytes(bytes));
      }
    }
  }
}

// A real file: vocabulary, keys and tensors.
std::string real_file() {
  std::ifstream in(HEARTH_SOURCE_DIR "/../shared/vectors/stories260K/stories260K-f32.gguf", std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(Gguf, IsAnErrorWhenARealFileIsCutAtEvery997thByte) {
  const std::string whole = real_file();
  if (whole.empty()) GTEST_SKIP() << "no ../shared/vectors/stories260K";
  ASSERT_TRUE(parse(whole));
  for (std::size_t size = 0; size < whole.size(); size += 997) {
    const auto file = GgufFile::parse(as_bytes(whole).first(size), "test.gguf");
    ASSERT_FALSE(file) << size;
    EXPECT_TRUE(file.error().message.starts_with("test.gguf: ")) << file.error().message;
  }
}

TEST(Gguf, SurvivesARealFilesHeaderFieldsSetToZeroTheirMaximumOrGarbage) {
  const std::string whole = real_file();
  if (whole.empty()) GTEST_SKIP() << "no ../shared/vectors/stories260K";
  std::string bytes = whole;
  std::mt19937_64 random(11);
  const std::size_t header = bytes.size() - 260032 * 4;  // all that is not the data of the tensors
  const auto set = [&](std::size_t at, std::size_t width, std::uint64_t value) {
    std::memcpy(bytes.data() + at, &value, width);
    use(as_bytes(bytes));
    bytes.replace(at, width, whole, at, width);
  };
  for (std::size_t at = 0; at + 8 < header; at += at < 200 || at + 300 > header ? 4 : 263) {
    for (const std::uint64_t value : {std::uint64_t{0}, ~std::uint64_t{0}, std::uint64_t{random()}}) {
      set(at, 4, value);
      set(at, 8, value);
    }
  }
  EXPECT_EQ(bytes, whole);
}

TEST(Gguf, OpensAFileAndSaysWhyItCannot) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "hearth-gguf-test";
  std::filesystem::create_directories(folder);
  const auto path = folder / "small.gguf";
  small_file().write(path);
  {
    auto file = GgufFile::open(path);
    ASSERT_TRUE(file) << file.error().message;
    const GgufFile moved = std::move(*file);
    EXPECT_EQ(moved.name(), path.string());
    EXPECT_EQ(moved.size_bytes(), std::filesystem::file_size(path));
    EXPECT_EQ(moved.tensor("second")->bytes.size(), 16u);
  }
  EXPECT_EQ(GgufFile::open(folder / "none.gguf").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(GgufFile::open(folder).error().code, ErrorCode::kUnreadable);
  std::ofstream(folder / "empty.gguf").flush();
  EXPECT_EQ(GgufFile::open(folder / "empty.gguf").error().code, ErrorCode::kMalformed);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace hearth::engine
