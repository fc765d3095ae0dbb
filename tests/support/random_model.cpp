#include "tests/support/random_model.h"

#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include "engine/gguf_writer.h"
#include "kernels/quantize.h"
#include "tests/support/gguf_builder.h"

namespace hearth::testing {

namespace {

struct Vocabulary {
  std::vector<std::string> pieces;
  std::vector<float> scores;
  std::vector<std::int32_t> types;

  void add(std::string piece, std::int32_t type, float score) {
    pieces.push_back(std::move(piece));
    types.push_back(type);
    scores.push_back(score);
  }
};

Vocabulary vocabulary() {
  constexpr std::int32_t kNormal = 1, kUnknown = 2, kControl = 3, kByte = 6;
  Vocabulary v;
  v.add("<unk>", kUnknown, 0);
  for (const char* marker : {"<end>", "<pre>", "<suf>", "<mid>", "<pad>", "<sep>", "<repo>"})
    v.add(marker, kControl, 0);
  for (int byte = 0; byte < 256; ++byte) {
    char name[8];
    std::snprintf(name, sizeof name, "<0x%02X>", byte);
    v.add(name, kByte, 0);
  }
  float score = -1;
  const std::vector<std::string> words = {"re",
                                          "ret",
                                          "return",
                                          "\xE2\x96\x81r",
                                          "\xE2\x96\x81return",
                                          "in",
                                          "int",
                                          "\xE2\x96\x81i",
                                          "\xE2\x96\x81in",
                                          "\xE2\x96\x81int",
                                          "se",
                                          "self",
                                          "sel",
                                          "de",
                                          "def",
                                          "\xE2\x96\x81=",
                                          "\xE2\x96\x81\xE2\x96\x81",
                                          "\xE2\x96\x81\xE2\x96\x81\xE2\x96\x81\xE2\x96\x81",
                                          "\n\xE2\x96\x81",
                                          "()",
                                          "(self",
                                          "):",
                                          "fo",
                                          "for",
                                          "al",
                                          "val",
                                          "value",
                                          "val_",
                                          "\xE2\x96\x81v",
                                          "\xE2\x96\x81val",
                                          "\xE2\x96\x81value",
                                          "va"};
  for (const auto& word : words) v.add(word, kNormal, score -= 1);
  v.add("\xE2\x96\x81", kNormal, score -= 1);
  v.add("\n", kNormal, score -= 1);
  for (char c = 33; c < 127; ++c) v.add(std::string(1, c), kNormal, score -= 1);
  while (v.pieces.size() < 416) v.add("word" + std::to_string(v.pieces.size()), kNormal, score -= 1);
  return v;
}

}  // namespace

std::string random_model(const RandomModelOptions& options) {
  const auto& o = options;
  std::mt19937 random(o.seed);
  std::normal_distribution<float> normal;
  GgufBuilder builder;
  const std::string prefix = o.architecture + ".";
  const bool starcoder = o.architecture == "starcoder2";
  const auto u32 = [](int value) { return static_cast<std::uint32_t>(value); };
  builder.key("general.architecture", o.architecture)
      .key("general.name", std::string("random"))
      .key(prefix + "context_length", u32(o.context))
      .key(prefix + "embedding_length", u32(o.d_model))
      .key(prefix + "block_count", u32(o.n_layers))
      .key(prefix + "feed_forward_length", u32(o.d_ffn))
      .key(prefix + "attention.head_count", u32(o.n_heads))
      .key(prefix + "attention.head_count_kv", u32(o.n_kv_heads))
      .key(prefix + "attention.key_length", u32(o.head_dim))
      .key(prefix + "attention.value_length", u32(o.head_dim))
      .key(prefix + (starcoder ? "attention.layer_norm_epsilon" : "attention.layer_norm_rms_epsilon"), 1e-5f)
      .key(prefix + "rope.dimension_count", u32(o.head_dim))
      .key(prefix + "rope.freq_base", 10000.0f);
  if (!o.fim_order.empty()) builder.key("hearth.fim.order", o.fim_order);
  const Vocabulary v = vocabulary();
  builder.key("tokenizer.ggml.model", std::string("llama"))
      .key("tokenizer.ggml.tokens", v.pieces)
      .key("tokenizer.ggml.scores", v.scores)
      .key("tokenizer.ggml.token_type", v.types)
      .key("tokenizer.ggml.unknown_token_id", u32(0))
      .key("tokenizer.ggml.bos_token_id", u32(1))
      .key("tokenizer.ggml.eos_token_id", u32(1))
      .key("tokenizer.ggml.fim_pre_token_id", u32(2))
      .key("tokenizer.ggml.fim_suf_token_id", u32(3))
      .key("tokenizer.ggml.fim_mid_token_id", u32(4))
      .key("tokenizer.ggml.fim_pad_token_id", u32(5))
      .key("tokenizer.ggml.fim_sep_token_id", u32(6))
      .key("tokenizer.ggml.fim_rep_token_id", u32(7))
      .key("tokenizer.ggml.add_bos_token", false)
      .key("tokenizer.ggml.add_space_prefix", false);

  const auto vector = [&](const std::string& name, int n, float mean, float spread) {
    std::vector<float> values(n);
    for (float& value : values) value = mean + spread * normal(random);
    builder.f32_tensor(name, {static_cast<std::uint64_t>(n)}, values);
  };
  const auto matrix = [&](const std::string& name, int cols, int rows, float spread) {
    const bool blocks = cols % kernels::block_elements(o.type) == 0;
    const auto type = blocks ? o.type : kernels::WeightType::kF16;
    std::vector<std::byte> bytes(rows * kernels::row_bytes(type, cols));
    std::vector<float> row(cols);
    for (int r = 0; r < rows; ++r) {
      for (float& value : row) value = spread * normal(random);
      kernels::quantize_row(
          type, row,
          std::span(bytes).subspan(r * kernels::row_bytes(type, cols), kernels::row_bytes(type, cols)));
    }
    builder.tensor(name, {static_cast<std::uint64_t>(cols), static_cast<std::uint64_t>(rows)},
                   engine::ggml_type(type), bytes);
  };
  const auto norm = [&](const std::string& name) {
    vector(name + ".weight", o.d_model, 1, 0.1f);
    if (starcoder) vector(name + ".bias", o.d_model, 0, 0.2f);
  };
  const auto scaled = [](int cols) { return 1.0f / std::sqrt(static_cast<float>(cols)); };
  const int q_rows = o.n_heads * o.head_dim;
  const int kv_rows = o.n_kv_heads * o.head_dim;
  matrix("token_embd.weight", o.d_model, static_cast<int>(v.pieces.size()), 0.3f);
  norm("output_norm");
  if (!o.tied_output) matrix("output.weight", o.d_model, static_cast<int>(v.pieces.size()), 0.3f);
  for (int layer = 0; layer < o.n_layers; ++layer) {
    const std::string block = "blk." + std::to_string(layer) + ".";
    norm(block + "attn_norm");
    matrix(block + "attn_q.weight", o.d_model, q_rows, scaled(o.d_model));
    matrix(block + "attn_k.weight", o.d_model, kv_rows, scaled(o.d_model));
    matrix(block + "attn_v.weight", o.d_model, kv_rows, scaled(o.d_model));
    if (o.architecture == "qwen2" || starcoder) {
      vector(block + "attn_q.bias", q_rows, 0, 0.5f);
      vector(block + "attn_k.bias", kv_rows, 0, 0.5f);
      vector(block + "attn_v.bias", kv_rows, 0, 0.5f);
    }
    if (o.architecture == "qwen3") {
      vector(block + "attn_q_norm.weight", o.head_dim, 1.2f, 0.3f);
      vector(block + "attn_k_norm.weight", o.head_dim, 1.2f, 0.3f);
    }
    matrix(block + "attn_output.weight", q_rows, o.d_model, scaled(q_rows));
    norm(block + "ffn_norm");
    if (o.architecture != "arcee" && !starcoder) {
      matrix(block + "ffn_gate.weight", o.d_model, o.d_ffn, scaled(o.d_model));
    }
    matrix(block + "ffn_up.weight", o.d_model, o.d_ffn, scaled(o.d_model));
    matrix(block + "ffn_down.weight", o.d_ffn, o.d_model, scaled(o.d_ffn));
    if (starcoder) {
      vector(block + "attn_output.bias", o.d_model, 0, 0.2f);
      vector(block + "ffn_up.bias", o.d_ffn, 0, 0.3f);
      vector(block + "ffn_down.bias", o.d_model, 0, 0.2f);
    }
  }
  return builder.build();
}

}  // namespace hearth::testing
