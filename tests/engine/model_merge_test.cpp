#include "engine/model_merge.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>

#include "engine/gguf.h"
#include "engine/model_shape.h"
#include "engine/sha256.h"
#include "tests/support/random_model.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_adapter.h"

namespace hearth::engine {
namespace {

using testing::AdapterCase;
using testing::TemporaryFolder;

struct Merge {
  TemporaryFolder folder;
  std::filesystem::path base = folder.file("base.gguf", testing::tiny_base());
  std::filesystem::path out = folder / "out/merged.gguf";
  kernels::ThreadPool threads{2};

  std::string base_sha256() const { return *sha256_of_file(base); }

  Result<void> run(const std::string& adapter, kernels::WeightType type = kernels::WeightType::kF32,
                   std::stop_token stop = {}) {
    ModelOutput output;
    output.path = out;
    output.type = type;
    return merge_model(base, folder.file("adapter.gguf", adapter), output, threads, stop);
  }
};

std::vector<float> floats(const GgufFile& file, const char* name) {
  const GgufTensor* tensor = file.tensor(name);
  std::vector<float> values(tensor->bytes.size() / sizeof(float));
  std::memcpy(values.data(), tensor->bytes.data(), tensor->bytes.size());
  return values;
}

TEST(ModelMerge, AddsTheAdaptersProductTimesAlphaOverRank) {
  Merge merge;
  const auto merged = merge.run(AdapterCase{.base_sha256 = merge.base_sha256()}.build());
  ASSERT_TRUE(merged) << merged.error().message;
  const auto file = GgufFile::open(merge.out);
  ASSERT_TRUE(file) << file.error().message;
  // a = [1 2; 3 4], b = [1 0; 0 1; 10 100], scale 2: b a = [1 2; 3 4; 310 420].
  EXPECT_EQ(floats(*file, "blk.0.ffn_up.weight"), (std::vector<float>{3, 5, 7, 9, 621, 841}));
  EXPECT_EQ(floats(*file, "blk.0.ffn_down.weight"), std::vector<float>(6, 1.0f));
  EXPECT_EQ(floats(*file, "token_embd.weight"), (std::vector<float>{1, 2, 3, 4, -7, -8}));
}

TEST(ModelMerge, WritesTheMarkersAndWhereItCameFrom) {
  Merge merge;
  ASSERT_TRUE(merge.run(AdapterCase{.base_sha256 = merge.base_sha256()}.build()));
  const auto file = GgufFile::open(merge.out);
  ASSERT_TRUE(file);
  for (const auto& [key, value] :
       {std::pair<const char*, std::string>{"general.name", "merged"},
        {"general.license", "apache-2.0"},
        {"general.base_model.0.name", "tiny base"},
        {"general.base_model.0.organization", "somebody"},
        {"hearth.fim.order", "spm"},
        {"hearth.base.sha256", merge.base_sha256()},
        {"hearth.adapter.sha256", *sha256_of_file(merge.folder / "adapter.gguf")}}) {
    const auto found = file->string_at(key);
    ASSERT_TRUE(found) << key;
    EXPECT_EQ(*found, value) << key;
  }
  for (const auto& [key, value] : {std::pair{"tokenizer.ggml.fim_pre_token_id", 2u},
                                   {"tokenizer.ggml.eos_token_id", 0u},
                                   {"tokenizer.ggml.bos_token_id", 0u},
                                   {"tokenizer.ggml.padding_token_id", 0u},
                                   {"general.file_type", 0u}}) {
    const auto found = file->unsigned_at(key);
    ASSERT_TRUE(found) << key;
    EXPECT_EQ(*found, value) << key;
  }
  EXPECT_EQ(file->find("tokenizer.chat_template"), nullptr);
  EXPECT_EQ(file->find("general.organization"), nullptr);
}

TEST(ModelMerge, RefusesAnAdapterOfAnotherBase) {
  Merge merge;
  const std::string sha256 = merge.base_sha256();
  struct Case {
    AdapterCase adapter;
    ErrorCode code;
    std::string named;
  };
  for (const Case& c : {
           Case{{.base_sha256 = std::string(64, '0')}, ErrorCode::kMismatch, sha256},
           Case{{.base_sha256 = sha256, .architecture = "llama"},
                ErrorCode::kMismatch,
                "general.architecture"},
           Case{{.base_sha256 = sha256, .target = "blk.7.ffn_up.weight"},
                ErrorCode::kMismatch,
                "blk.7.ffn_up.weight"},
           Case{{.base_sha256 = sha256, .a_shape = {3, 2}}, ErrorCode::kMismatch, "blk.0.ffn_up.weight"},
           Case{{.base_sha256 = sha256, .ids = {3}}, ErrorCode::kMismatch, "hearth.rows.ids holds 3"},
           Case{{.base_sha256 = sha256, .rows_shape = {5, 1}}, ErrorCode::kMismatch, "rows of 5"},
           Case{{.base_sha256 = sha256, .type = "model"}, ErrorCode::kUnsupported, "general.type"},
           Case{{.base_sha256 = sha256, .b_shape = {3, 3}}, ErrorCode::kMalformed, "rank"},
           Case{{.base_sha256 = sha256, .with_b = false}, ErrorCode::kMalformed, "lora_b"},
           Case{{.base_sha256 = sha256, .ids = {2, 2}, .rows_shape = {2, 2}}, ErrorCode::kMalformed, "twice"},
           Case{{.base_sha256 = sha256, .ids = {1, 2}}, ErrorCode::kMalformed, "hearth.rows.ids"},
           Case{{.base_sha256 = sha256, .first_a = std::nanf("")}, ErrorCode::kMalformed, "not finite"},
       }) {
    const auto merged = merge.run(c.adapter.build());
    ASSERT_FALSE(merged) << c.named;
    EXPECT_EQ(merged.error().code, c.code) << merged.error().message;
    EXPECT_NE(merged.error().message.find(c.named), std::string::npos) << merged.error().message;
    EXPECT_NE(merged.error().message.find("adapter.gguf"), std::string::npos) << merged.error().message;
    EXPECT_FALSE(std::filesystem::exists(merge.out));
  }
}

TEST(ModelMerge, RefusesATruncatedAdapterAtEveryByte) {
  Merge merge;
  const std::string adapter = AdapterCase{.base_sha256 = merge.base_sha256()}.build();
  // The last tensor's bytes end the file, so every shorter file lacks something.
  for (std::size_t size = 0; size < adapter.size(); ++size) {
    ASSERT_FALSE(merge.run(adapter.substr(0, size))) << size;
  }
}

TEST(ModelMerge, RefusesAWeightThatTheTypeCannotHold) {
  Merge merge;
  const auto merged = merge.run(AdapterCase{.base_sha256 = merge.base_sha256(), .first_a = 1e30f}.build(),
                                kernels::WeightType::kF16);
  ASSERT_FALSE(merged);
  EXPECT_NE(merged.error().message.find("blk.0.ffn_up.weight"), std::string::npos) << merged.error().message;
  EXPECT_TRUE(std::filesystem::is_empty(merge.folder / "out"));
}

TEST(ModelMerge, LeavesNothingBehindWhenStopped) {
  Merge merge;
  std::stop_source source;
  source.request_stop();
  EXPECT_FALSE(merge.run(AdapterCase{.base_sha256 = merge.base_sha256()}.build(), kernels::WeightType::kF32,
                         source.get_token()));
  EXPECT_FALSE(std::filesystem::exists(merge.out));
}

TEST(QuantizeModel, RoundsMatricesAndKeepsVectorsAndTheHead) {
  const TemporaryFolder folder;
  testing::RandomModelOptions options;
  options.type = kernels::WeightType::kF16;
  options.d_ffn = 176;  // no whole number of blocks: ffn_down's rows
  const auto model = folder.file("model.gguf", testing::random_model(options));
  kernels::ThreadPool threads(3);
  ModelOutput output;
  output.path = folder / "small.gguf";
  output.type = kernels::WeightType::kQ5_0;
  output.name = "small";
  const auto written = quantize_model(model, {{"general.license", "apache-2.0"}}, output, threads, {});
  ASSERT_TRUE(written) << written.error().message;

  const auto file = GgufFile::open(output.path);
  ASSERT_TRUE(file) << file.error().message;
  ASSERT_TRUE(describe_model(*file)) << describe_model(*file).error().message;
  using kernels::WeightType;
  for (const auto& [name, type] : {std::pair{"blk.1.attn_q.weight", WeightType::kQ5_0},
                                   {"blk.0.ffn_down.weight", WeightType::kF16},
                                   {"blk.0.ffn_norm.weight", WeightType::kF32},
                                   {"token_embd.weight", WeightType::kQ8_0}}) {
    ASSERT_NE(file->tensor(name), nullptr) << name;
    EXPECT_EQ(file->tensor(name)->weight_type, type) << name;
  }
  EXPECT_EQ(*file->string_at("general.name"), "small");
  EXPECT_EQ(*file->string_at("general.license"), "apache-2.0");
  EXPECT_EQ(*file->unsigned_at("general.file_type"), 8u);
}

}  // namespace
}  // namespace hearth::engine
