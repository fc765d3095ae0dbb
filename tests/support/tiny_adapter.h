// A base model and an adapter whose numbers fit on a page, as GGUF bytes. A test makes the adapter wrong
// in one way at a time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/gguf_builder.h"

namespace hearth::testing {

// An arcee of one layer whose numbers fit on a page: every matrix is all ones.
inline std::string tiny_base() {
  GgufBuilder builder;
  builder.key("general.architecture", "arcee")
      .key("general.name", "tiny base")
      .key("general.organization", "somebody")
      .key("general.license", "apache-2.0")
      .key("general.file_type", std::uint32_t{0})
      .key("arcee.block_count", std::uint32_t{1})
      .key("arcee.embedding_length", std::uint32_t{2})
      .key("arcee.feed_forward_length", std::uint32_t{3})
      .key("arcee.context_length", std::uint32_t{16})
      .key("arcee.attention.head_count", std::uint32_t{1})
      .key("arcee.attention.layer_norm_rms_epsilon", 1e-5f)
      .key("tokenizer.chat_template", "chat")
      .key("tokenizer.ggml.bos_token_id", std::uint32_t{1})
      .key("tokenizer.ggml.eos_token_id", std::uint32_t{1});
  const auto ones = [&](const char* name, std::vector<std::uint64_t> shape) {
    const std::uint64_t count = shape.size() == 1 ? shape[0] : shape[0] * shape[1];
    builder.f32_tensor(name, std::move(shape), std::vector<float>(count, 1.0f));
  };
  builder.f32_tensor("token_embd.weight", {2, 3}, {1, 2, 3, 4, 5, 6});
  ones("blk.0.attn_norm.weight", {2});
  for (const char* name : {"q", "k", "v", "output"}) {
    ones(("blk.0.attn_" + std::string(name) + ".weight").c_str(), {2, 2});
  }
  ones("blk.0.ffn_norm.weight", {2});
  ones("blk.0.ffn_up.weight", {2, 3});
  ones("blk.0.ffn_down.weight", {3, 2});
  ones("output_norm.weight", {2});
  return builder.build();
}

struct AdapterCase {
  std::string base_sha256;
  std::string type = "adapter";
  std::string architecture = "arcee";
  std::string target = "blk.0.ffn_up.weight";
  std::vector<std::uint64_t> a_shape = {2, 2};  // rank 2
  std::vector<std::uint64_t> b_shape = {2, 3};
  std::vector<std::int32_t> ids = {2};
  std::vector<std::uint64_t> rows_shape = {2, 1};
  bool with_b = true;
  float first_a = 1;

  std::string build() const {
    const auto values = [](const std::vector<std::uint64_t>& shape, std::vector<float> first) {
      first.resize(shape[0] * shape[1], 0.0f);
      return first;
    };
    GgufBuilder builder;
    builder.key("general.architecture", architecture)
        .key("general.type", type)
        .key("adapter.type", "lora")
        .key("adapter.lora.alpha", 4.0f)
        .key("hearth.base.sha256", base_sha256)
        .key("hearth.rows.ids", ids)
        .key("hearth.fim.order", "spm")
        .key("tokenizer.ggml.fim_pre_token_id", std::uint32_t{2})
        .key("tokenizer.ggml.eos_token_id", std::uint32_t{0});
    builder.f32_tensor(target + ".lora_a", a_shape, values(a_shape, {first_a, 2, 3, 4}));
    if (with_b) builder.f32_tensor(target + ".lora_b", b_shape, values(b_shape, {1, 0, 0, 1, 10, 100}));
    builder.f32_tensor("hearth.rows.token_embd", rows_shape, values(rows_shape, {-7, -8}));
    return builder.build();
  }
};

}  // namespace hearth::testing
