#include "engine/model_shape.h"

#include <gtest/gtest.h>

#include "tests/support/gguf_builder.h"
#include "tests/support/random_model.h"

namespace hearth::engine {
namespace {

using testing::GgufBuilder;

// The metadata of a model of one layer and its embedding; a case adds or leaves out a key.
struct Metadata {
  std::string architecture = "llama";
  std::string without;
  std::function<void(GgufBuilder&)> with = [](GgufBuilder&) {};

  std::string build() const {
    GgufBuilder builder;
    const std::string prefix = architecture + ".";
    builder.key("general.architecture", architecture);
    for (const auto& [key, value] : {std::pair<std::string, std::uint32_t>{"block_count", 1},
                                     {"embedding_length", 8},
                                     {"feed_forward_length", 12},
                                     {"context_length", 64},
                                     {"attention.head_count", 2}}) {
      if (key != without) builder.key(prefix + key, value);
    }
    if (without != "epsilon") builder.key(prefix + "attention.layer_norm_rms_epsilon", 1e-6f);
    with(builder);
    builder.f32_tensor("token_embd.weight", {8, 3}, std::vector<float>(24));
    return builder.build();
  }
};

Result<ModelDescription> describe(const std::string& bytes) {
  const auto file = GgufFile::parse(std::as_bytes(std::span(bytes)), "case.gguf");
  if (!file) return file.error();
  return describe_metadata(*file);
}

TEST(ModelShape, ReadsEveryArchitectureWholly) {
  for (const auto& [architecture, rope, activation] :
       {std::tuple{"llama", kernels::RopeStyle::kAdjacent, kernels::Activation::kSiluGated},
        {"qwen2", kernels::RopeStyle::kHalfSplit, kernels::Activation::kSiluGated},
        {"qwen3", kernels::RopeStyle::kHalfSplit, kernels::Activation::kSiluGated},
        {"starcoder2", kernels::RopeStyle::kHalfSplit, kernels::Activation::kGelu},
        {"arcee", kernels::RopeStyle::kAdjacent, kernels::Activation::kReluSquared}}) {
    testing::RandomModelOptions options;
    options.architecture = architecture;
    options.tied_output = false;
    const std::string bytes = testing::random_model(options);
    const auto file = GgufFile::parse(std::as_bytes(std::span(bytes)), "random.gguf");
    ASSERT_TRUE(file);
    const auto description = describe_model(*file);
    ASSERT_TRUE(description) << description.error().message;
    EXPECT_EQ(description->architecture, architecture);
    EXPECT_EQ(description->shape.rope.style, rope);
    EXPECT_EQ(description->shape.activation, activation);
    EXPECT_EQ(description->shape.norm, architecture == std::string("starcoder2") ? kernels::NormStyle::kLayer
                                                                                 : kernels::NormStyle::kRms);
    EXPECT_EQ(description->shape.n_layers, options.n_layers);
    EXPECT_EQ(description->shape.d_ffn, options.d_ffn);
    EXPECT_EQ(description->shape.head_dim, options.head_dim);
    EXPECT_EQ(description->shape.n_vocab, 416);
    EXPECT_FALSE(description->tied_output);
    EXPECT_EQ(description->fim_order, FimOrder::kSuffixFirst);
  }
}

TEST(ModelShape, TakesTheFormatsDefaults) {
  const auto description = describe(Metadata{}.build());
  ASSERT_TRUE(description) << description.error().message;
  EXPECT_EQ(description->name, "case");
  EXPECT_EQ(description->shape.n_kv_heads, 2);
  EXPECT_EQ(description->shape.head_dim, 4);
  EXPECT_EQ(description->shape.rope.dimensions, 4);
  EXPECT_EQ(description->shape.rope.base, 10000.0f);
  EXPECT_EQ(description->shape.rope.position_scale, 1.0f);
  EXPECT_EQ(description->fim_order, FimOrder::kNone);
  EXPECT_TRUE(description->tied_output);
}

TEST(ModelShape, ReadsRopeScalingAndHeadSizes) {
  const auto description = describe(Metadata{.with = [](GgufBuilder& builder) {
                                      builder.key("llama.rope.scaling.type", "linear")
                                          .key("llama.rope.scaling.factor", 4.0f)
                                          .key("llama.rope.freq_base", 5e5f)
                                          .key("llama.attention.key_length", std::uint32_t{16})
                                          .key("llama.attention.value_length", std::uint32_t{16})
                                          .key("llama.rope.dimension_count", std::uint32_t{8})
                                          .key("llama.attention.head_count_kv", std::uint32_t{1})
                                          .f32_tensor("rope_freqs.weight", {4}, {1, 2, 3, 4});
                                    }}.build());
  ASSERT_TRUE(description) << description.error().message;
  EXPECT_EQ(description->shape.head_dim, 16);
  EXPECT_EQ(description->shape.n_kv_heads, 1);
  EXPECT_EQ(description->shape.rope.position_scale, 0.25f);
  EXPECT_EQ(description->shape.rope.base, 5e5f);
  EXPECT_EQ(description->shape.rope.dimensions, 8);
  EXPECT_EQ(description->shape.rope.frequency_factors, (std::vector<float>{1, 2, 3, 4}));
}

TEST(ModelShape, KnowsTheFillInOrderOfEachFamily) {
  using Tokens = std::vector<std::string>;
  for (const auto& [tokens, order] :
       {std::pair{Tokens{"<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>"}, FimOrder::kPrefixFirst},
        {Tokens{"<｜fim▁begin｜>", "<｜fim▁hole｜>", "<｜fim▁end｜>"}, FimOrder::kPrefixFirst},
        {Tokens{"<fim_prefix>", "<fim_suffix>", "<fim_middle>"}, FimOrder::kPrefixFirst},
        {Tokens{"<fim_prefix>", "<fim_suffix>", "else"}, FimOrder::kNone}}) {
    const auto description = describe(Metadata{.with = [&](GgufBuilder& builder) {
                                        builder.key("tokenizer.ggml.tokens", tokens);
                                      }}.build());
    ASSERT_TRUE(description) << description.error().message;
    EXPECT_EQ(description->fim_order, order) << tokens.front();
  }
}

TEST(ModelShape, NamesTheFileTheKeyAndTheValueThatAreWrong) {
  struct Case {
    Metadata metadata;
    std::vector<std::string> named;
  };
  const auto with = [](const char* key, auto value) {
    return Metadata{.with = [=](GgufBuilder& builder) { builder.key(key, value); }};
  };
  for (const Case& c : {
           Case{{.architecture = "mamba"},
                {"general.architecture", "mamba", "qwen2, qwen3, starcoder2 and arcee"}},
           Case{{.architecture = "starcoder2"}, {"starcoder2.attention.layer_norm_epsilon"}},
           Case{{.without = "block_count"}, {"llama.block_count"}},
           Case{{.without = "epsilon"}, {"layer_norm_rms_epsilon"}},
           Case{with("llama.attention.head_count_kv", std::uint32_t{0}), {"head_count_kv", "0"}},
           Case{with("llama.attention.head_count_kv", std::uint32_t{3}), {"head_count_kv", "3"}},
           Case{with("llama.attention.head_count_kv", std::uint32_t{4294967295}),
                {"head_count_kv", "4294967295"}},
           Case{with("llama.rope.dimension_count", std::uint32_t{3}), {"rope.dimension_count", "3"}},
           Case{with("llama.rope.dimension_count", std::uint32_t{6}), {"rope.dimension_count", "6"}},
           Case{with("llama.rope.scaling.type", "yarn"), {"rope.scaling.type", "yarn"}},
           Case{with("llama.rope.scaling.factor", -2.0f), {"rope.scaling.factor", "-2"}},
           Case{with("llama.rope.freq_base", std::numeric_limits<float>::quiet_NaN()),
                {"rope.freq_base", "nan"}},
           Case{with("llama.expert_count", std::uint32_t{8}), {"expert_count", "8"}},
           Case{with("hearth.fim.order", "sideways"), {"hearth.fim.order", "sideways"}},
           Case{with("general.type", "adapter"), {"general.type", "adapter"}},
           Case{with("tokenizer.ggml.tokens", std::vector<std::string>{"a"}),
                {"tokenizer.ggml.tokens", "1", "3"}},
       }) {
    const auto description = describe(c.metadata.build());
    ASSERT_FALSE(description) << c.named.front();
    const std::string& message = description.error().message;
    EXPECT_NE(message.find("case.gguf"), std::string::npos) << message;
    for (const std::string& part : c.named) EXPECT_NE(message.find(part), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace hearth::engine
