#include "engine/model_verify.h"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <string_view>

#include "engine/sha256.h"
#include "engine/vocabulary_faults.h"
#include "tests/support/gguf_builder.h"
#include "tests/support/random_model.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_adapter.h"

namespace hearth::engine {
namespace {

using testing::GgufBuilder;
using testing::TemporaryFolder;
using namespace std::string_view_literals;

ModelReport verify(const std::filesystem::path& path) {
  kernels::ThreadPool threads(2);
  return verify_model(path, threads, {});
}

std::string all_messages(const std::vector<Error>& faults) {
  std::string text;
  for (const Error& fault : faults) text += fault.message + '\n';
  return text;
}

TEST(ModelVerify, HasNothingAgainstAWholeModelOrAdapter) {
  const TemporaryFolder folder;
  for (const char* architecture : testing::kArchitectures) {
    testing::RandomModelOptions options;
    options.architecture = architecture;
    options.type = kernels::WeightType::kQ5_0;
    const auto model = folder.file("model.gguf", testing::random_model(options));
    const ModelReport report = verify(model);
    EXPECT_TRUE(report.faults.empty()) << all_messages(report.faults);
    ASSERT_TRUE(report.description);
    EXPECT_EQ(report.description->architecture, architecture);
    EXPECT_EQ(report.sha256, *sha256_of_file(model));
  }
  const ModelReport adapter = verify(folder.file("adapter.gguf", testing::AdapterCase{}.build()));
  EXPECT_TRUE(adapter.faults.empty()) << all_messages(adapter.faults);
}

TEST(ModelVerify, NamesAFileThatIsNotThere) {
  const ModelReport report = verify("/nowhere/model.gguf");
  ASSERT_EQ(report.faults.size(), 1u);
  EXPECT_EQ(report.faults[0].code, ErrorCode::kNotFound);
  EXPECT_TRUE(report.sha256.empty());
}

TEST(ModelVerify, ListsEveryTensorThatIsWrong) {
  struct Case {
    std::function<void(GgufBuilder&)> tensors;
    std::vector<std::string> named;
  };
  const auto ones = [](GgufBuilder& builder, const char* name, std::vector<std::uint64_t> shape) {
    const std::uint64_t count = shape.size() == 1 ? shape[0] : shape[0] * shape[1];
    builder.f32_tensor(name, shape, std::vector<float>(count, 1.0f));
  };
  GgufBuilder builder;
  builder.key("general.architecture", "arcee")
      .key("arcee.block_count", std::uint32_t{1})
      .key("arcee.embedding_length", std::uint32_t{2})
      .key("arcee.feed_forward_length", std::uint32_t{3})
      .key("arcee.context_length", std::uint32_t{16})
      .key("arcee.attention.head_count", std::uint32_t{1})
      .key("arcee.attention.layer_norm_rms_epsilon", 1e-5f);
  ones(builder, "token_embd.weight", {2, 3});
  ones(builder, "blk.0.attn_norm.weight", {2});
  ones(builder, "blk.0.attn_q.weight", {2, 3});                                   // one row too many
  builder.tensor("blk.0.attn_k.weight", {2, 2}, 24, std::vector<std::byte>(16));  // ggml's I8
  builder.tensor("blk.0.ffn_norm.weight", {2}, 1, std::vector<std::byte>(4));     // F16
  builder.f32_tensor("blk.0.attn_v.weight", {2, 2}, {1, 1, std::nanf(""), 1});
  builder.f32_tensor("blk.0.ffn_down.weight", {3, 2},
                     {1, 1, 1, 1, std::numeric_limits<float>::infinity(), 1});
  ones(builder, "blk.0.ffn_up.weight", {2, 3});
  ones(builder, "output_norm.weight", {2});
  ones(builder, "blk.0.ffn_gate.weight", {2, 3});
  const TemporaryFolder folder;
  const std::string messages = all_messages(verify(folder.file("model.gguf", builder.build())).faults);
  for (const char* part :
       {"blk.0.attn_q.weight is 2 x 3, must be 2 x 2", "blk.0.attn_k.weight has ggml type 24",
        "blk.0.ffn_norm.weight is F16, must be F32", "blk.0.attn_output.weight is missing",
        "blk.0.ffn_gate.weight has no place in a arcee model",
        "blk.0.attn_v.weight: NaN or infinity at row 1, element 0",
        "blk.0.ffn_down.weight: NaN or infinity at row 1, element 1", "tokenizer.ggml.tokens is missing"}) {
    EXPECT_NE(messages.find(part), std::string::npos) << part << "\nis not in\n" << messages;
  }
}

void check_nan_in_a_scale(const testing::RandomModelOptions& options, std::size_t scale_at) {
  std::string bytes = testing::random_model(options);
  const auto file = GgufFile::parse(std::as_bytes(std::span(bytes)), "model.gguf");
  ASSERT_TRUE(file);
  const GgufTensor* tensor = file->tensor("blk.1.ffn_up.weight");
  ASSERT_NE(tensor, nullptr);
  const std::size_t at = reinterpret_cast<const char*>(tensor->bytes.data()) - bytes.data() +
                         kernels::row_bytes(options.type, tensor->shape[0]) * 3 + scale_at;
  bytes[at] = '\x00';
  bytes[at + 1] = '\x7e';  // fp16 NaN
  const TemporaryFolder folder;
  const ModelReport report = verify(folder.file("model.gguf", bytes));
  ASSERT_EQ(report.faults.size(), 1u) << all_messages(report.faults);
  EXPECT_NE(report.faults[0].message.find("blk.1.ffn_up.weight: NaN or infinity at row 3, element 0"),
            std::string::npos)
      << report.faults[0].message;
}

TEST(ModelVerify, FindsNaNInTheScaleOfAQuantisedBlock) {
  check_nan_in_a_scale({.type = kernels::WeightType::kQ8_0}, 0);
  testing::RandomModelOptions wide{.type = kernels::WeightType::kQ4_K, .d_model = 256};
  check_nan_in_a_scale(wide, 0);
  check_nan_in_a_scale(wide, 2);  // the minimum
  wide.type = kernels::WeightType::kQ6_K;
  check_nan_in_a_scale(wide, 208);
}

// A vocabulary of byte fallback or of byte-level merges, wrong in one way.
struct VocabularyCase {
  std::string model;
  std::vector<std::string> tokens;
  std::vector<float> scores;
  std::vector<std::int32_t> types;
  std::vector<std::string> merges;
  std::uint32_t eos = 0;

  static VocabularyCase spm() {
    VocabularyCase vocabulary{.model = "llama"};
    vocabulary.tokens = {"<unk>"};
    for (int byte = 0; byte < 256; ++byte) {
      char token[8];
      std::snprintf(token, sizeof token, "<0x%02X>", byte);
      vocabulary.tokens.emplace_back(token);
    }
    vocabulary.types.assign(vocabulary.tokens.size(), 6);
    vocabulary.types[0] = 2;
    vocabulary.scores.assign(vocabulary.tokens.size(), 0.0f);
    return vocabulary;
  }
  static VocabularyCase bpe() {
    return {.model = "gpt2", .tokens = {"a", "b", "ab"}, .types = {1, 1, 1}, .merges = {"a b"}};
  }

  std::vector<Error> faults() const {
    GgufBuilder builder;
    builder.key("tokenizer.ggml.model", model)
        .key("tokenizer.ggml.pre", std::string("gpt-2"))
        .key("tokenizer.ggml.tokens", tokens)
        .key("tokenizer.ggml.token_type", types)
        .key("tokenizer.ggml.eos_token_id", eos);
    if (!scores.empty()) builder.key("tokenizer.ggml.scores", scores);
    if (model == "gpt2") builder.key("tokenizer.ggml.merges", merges);
    const std::string bytes = builder.build();
    const auto file = GgufFile::parse(std::as_bytes(std::span(bytes)), "vocabulary.gguf");
    if (!file) return {file.error()};
    return vocabulary_faults(*file);
  }
};

TEST(VocabularyFaults, AreNoneInASoundVocabulary) {
  EXPECT_EQ(all_messages(VocabularyCase::spm().faults()), "");
  EXPECT_EQ(all_messages(VocabularyCase::bpe().faults()), "");
}

TEST(VocabularyFaults, AreFoundOneByOne) {
  struct Case {
    VocabularyCase vocabulary;
    std::function<void(VocabularyCase&)> spoil;
    std::string message;
  };
  const VocabularyCase spm = VocabularyCase::spm(), bpe = VocabularyCase::bpe();
  for (Case& c : std::vector<Case>{
           {spm, [](auto& v) { v.tokens[7] = v.tokens[6]; }, "has '<0x05>' twice, as 6 and 7"},
           {spm, [](auto& v) { v.tokens[66] = "A"; }, "has no '<0x41>'"},
           {spm, [](auto& v) { v.scores.pop_back(); }, "scores has 256 entries, there are 257 tokens"},
           {spm, [](auto& v) { v.scores[3] = std::nanf(""); }, "scores of token 3 is nan"},
           {spm, [](auto& v) { v.scores.clear(); }, "scores is missing"},
           {spm, [](auto& v) { v.types.pop_back(); }, "token_type has 256 entries, there are 257 tokens"},
           {spm, [](auto& v) { v.types[9] = 99; }, "token_type of token 9 is 99"},
           {spm, [](auto& v) { v.eos = 257; }, "tokenizer.ggml.eos_token_id is 257, there are 257 tokens"},
           {spm, [](auto& v) { v.tokens.clear(); }, "tokenizer.ggml.tokens is missing, empty"},
           {spm, [](auto& v) { v.model = "runes"; }, "runes"},
           {bpe, [](auto& v) { v.merges = {"ab"}; }, "tokenizer.ggml.merges[0] is 'ab', must be two pieces"},
           {bpe,
            [](auto& v) {
              v.merges = {"a b", "a c"};
            },
            "tokenizer.ggml.merges[1] is 'a c', but 'c' is no token"},
           {bpe, [](auto& v) { v.tokens[2] = "a"; }, "has 'a' twice"},
       }) {
    c.spoil(c.vocabulary);
    const std::string messages = all_messages(c.vocabulary.faults());
    EXPECT_NE(messages.find(c.message), std::string::npos) << c.message << "\nis not in\n" << messages;
  }
}

TEST(VocabularyFaults, AreCountedWhereTheyAreMany) {
  VocabularyCase vocabulary = VocabularyCase::spm();
  vocabulary.scores.assign(vocabulary.scores.size(), std::numeric_limits<float>::infinity());
  const std::vector<Error> faults = vocabulary.faults();
  EXPECT_EQ(faults.size(), 6u) << all_messages(faults);
  EXPECT_NE(all_messages(faults).find("and 252 more scores that are not finite"), std::string::npos);
}

TEST(ModelVerify, SaysAFaultOfEveryCutOfARealFile) {
  const std::filesystem::path real =
      std::filesystem::path(HEARTH_SOURCE_DIR) / "engine/models/hearth-code-20m.gguf";
  if (!std::filesystem::exists(real)) GTEST_SKIP() << real << " is not there";
  const TemporaryFolder folder;
  const std::filesystem::path cut = folder / "cut.gguf";
  std::filesystem::copy_file(real, cut);
  std::filesystem::permissions(cut, std::filesystem::perms::owner_all);
  // Every 997th byte of the header, where the structure is; some of the tensors' data.
  const std::uint64_t whole = std::filesystem::file_size(real);
  for (std::uint64_t size = whole - 1; size > 0;) {
    std::filesystem::resize_file(cut, size);
    const ModelReport report = verify(cut);
    ASSERT_FALSE(report.faults.empty()) << size;
    ASSERT_NE(report.faults[0].message.find("cut.gguf"), std::string::npos);
    const std::uint64_t step = size > 1'000'000 ? 997 * 997 : 997;
    size = size > step ? size - step : 0;
  }
}

// All over the header: whatever it then says, there is an answer and no crash.
TEST(ModelVerify, AnswersWhateverAHeaderFieldSays) {
  const std::string whole = testing::tiny_base();
  const TemporaryFolder folder;
  kernels::ThreadPool threads(1);
  for (std::size_t at = 0; at + 4 <= whole.size(); at += 3) {  // prime to every field's size
    for (const std::string_view value : {"\0\0\0\0"sv, "\xff\xff\xff\xff"sv, "\x7f\xa5\x13\xde"sv}) {
      std::string bytes = whole;
      bytes.replace(at, 4, value);
      const ModelReport report = verify_model(folder.file("model.gguf", bytes), threads, {});
      ASSERT_FALSE(report.faults.empty()) << "it has no tokenizer, so never none";
      for (const Error& fault : report.faults) ASSERT_NE(fault.message.find("model.gguf"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace hearth::engine
