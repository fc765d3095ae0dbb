// Small random models for tests of devices: weights of any type and shape, and a runner that feeds
// tokens in whatever steps a test likes.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include "kernels/device.h"
#include "kernels/quantize.h"

namespace hearth::kernels {

inline std::vector<float> random_floats(std::mt19937& random, std::size_t n, float deviation,
                                        float mean = 0.0f) {
  std::normal_distribution<float> normal(mean, deviation);
  std::vector<float> values(n);
  for (float& value : values) value = normal(random);
  return values;
}

struct RandomMatrix {
  RandomMatrix() = default;
  RandomMatrix(std::mt19937& random, WeightType matrix_type, int matrix_rows, int matrix_cols)
      : type(matrix_type), rows(matrix_rows), cols(matrix_cols) {
    const auto width = static_cast<std::size_t>(cols);
    const std::size_t stride = row_bytes(type, width);
    bytes.resize(stride * static_cast<std::size_t>(rows));
    for (std::size_t r = 0; r < static_cast<std::size_t>(rows); ++r) {
      const std::vector<float> row = random_floats(random, width, 1.0f / std::sqrt(static_cast<float>(cols)));
      quantize_row(type, row, std::span(bytes).subspan(r * stride, stride));
    }
  }

  MatrixView view() const { return {type, rows, cols, bytes}; }

  WeightType type = WeightType::kF32;
  int rows = 0, cols = 0;
  std::vector<std::byte> bytes;
};

struct LayerTypes {
  WeightType q, k, v, o, gate, up, down;

  static LayerTypes all(WeightType type) { return {type, type, type, type, type, type, type}; }
};

// What only some architectures have.
enum class Extras : std::uint8_t { kNone, kBiases, kHeadNorms };

struct RandomNorm {
  RandomNorm() = default;
  RandomNorm(std::mt19937& random, const ModelShape& shape) {
    const auto d = static_cast<std::size_t>(shape.d_model);
    gain = random_floats(random, d, 0.2f, 1.0f);
    if (shape.norm == NormStyle::kLayer) bias = random_floats(random, d, 0.3f);
  }
  NormWeights view() const { return {gain, bias}; }

  std::vector<float> gain, bias;
};

struct RandomLayer {
  RandomLayer(std::mt19937& random, const ModelShape& shape, const LayerTypes& types, Extras extras) {
    const int q_rows = shape.n_heads * shape.head_dim;
    const int kv_rows = shape.n_kv_heads * shape.head_dim;
    attention_norm = {random, shape};
    ffn_norm = {random, shape};
    q = {random, types.q, q_rows, shape.d_model};
    k = {random, types.k, kv_rows, shape.d_model};
    v = {random, types.v, kv_rows, shape.d_model};
    o = {random, types.o, shape.d_model, q_rows};
    if (shape.activation == Activation::kSiluGated) gate = {random, types.gate, shape.d_ffn, shape.d_model};
    up = {random, types.up, shape.d_ffn, shape.d_model};
    down = {random, types.down, shape.d_model, shape.d_ffn};
    if (extras == Extras::kBiases) {
      const auto bias = [&](int n) { return random_floats(random, static_cast<std::size_t>(n), 0.5f); };
      q_bias = bias(q_rows);
      k_bias = bias(kv_rows);
      v_bias = bias(kv_rows);
      o_bias = bias(shape.d_model);
      up_bias = bias(shape.d_ffn);
      down_bias = bias(shape.d_model);
    }
    if (extras == Extras::kHeadNorms) {
      q_norm = random_floats(random, static_cast<std::size_t>(shape.head_dim), 0.3f, 1.0f);
      k_norm = random_floats(random, static_cast<std::size_t>(shape.head_dim), 0.3f, 1.0f);
    }
  }

  LayerWeights weights() const {
    return {.attention_norm = attention_norm.view(),
            .q = q.view(),
            .k = k.view(),
            .v = v.view(),
            .q_bias = q_bias,
            .k_bias = k_bias,
            .v_bias = v_bias,
            .q_norm = q_norm,
            .k_norm = k_norm,
            .o = o.view(),
            .o_bias = o_bias,
            .ffn_norm = ffn_norm.view(),
            .gate = gate.view(),
            .up = up.view(),
            .up_bias = up_bias,
            .down = down.view(),
            .down_bias = down_bias};
  }

  RandomNorm attention_norm, ffn_norm;
  std::vector<float> q_bias, k_bias, v_bias, o_bias, up_bias, down_bias, q_norm, k_norm;
  RandomMatrix q, k, v, o, gate, up, down;
};

struct RandomModel {
  RandomModel(unsigned seed, const ModelShape& model_shape, const LayerTypes& types,
              Extras extras = Extras::kNone)
      : shape(model_shape) {
    std::mt19937 random(seed);
    embedding = {random, types.q, shape.n_vocab, shape.d_model};
    for (int i = 0; i < shape.n_layers; ++i) layers.emplace_back(random, shape, types, extras);
    norm = {random, shape};
  }

  ModelShape shape;
  PageFormat pages = PageFormat::kF16;
  RandomMatrix embedding;  // the output matrix as well
  std::vector<RandomLayer> layers;
  RandomNorm norm;
};

// A model on a device, with sequences that grow step by step.
class Runner {
 public:
  Runner(Device& device, const RandomModel& model, int max_rows = 256, int pages = 512)
      : device_(device),
        model_(model),
        embedding_(device.pack(model.embedding.view())),
        pool_(device.make_page_pool(model.shape, model.pages, pages)),
        workspace_(device.make_workspace(model.shape, max_rows)) {
    for (const RandomLayer& layer : model.layers)
      layers_.push_back(device.pack(model.shape, layer.weights()));
  }

  struct Part {
    std::size_t sequence;
    std::vector<std::int32_t> tokens;
  };

  // Appends each part to its sequence, all in one step, and gives every row's hidden state.
  std::vector<std::vector<float>> step(const std::vector<Part>& parts) {
    std::vector<Row> rows;
    for (const Part& part : parts) {
      if (sequences_.size() <= part.sequence) sequences_.resize(part.sequence + 1);
      Sequence& sequence = sequences_[part.sequence];
      for (const std::int32_t token : part.tokens) {
        const std::uint32_t position = sequence.length++;
        if (position % kPageTokens == 0) {
          sequence.pages.push_back({.page = pool_->allocate().value(), .first_position = position});
        }
        rows.push_back({token, position, static_cast<std::uint32_t>(part.sequence)});
      }
    }
    std::vector<std::span<const PageRef>> pages;
    for (const Sequence& sequence : sequences_) pages.emplace_back(sequence.pages);
    const Step step{rows, pages};
    device_.embed(*embedding_, step, *workspace_);
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      device_.attention(*layers_[i], static_cast<int>(i), step, *pool_, *workspace_);
      device_.feed_forward(*layers_[i], step, *workspace_);
    }
    std::vector<std::vector<float>> states;
    for (std::uint32_t r = 0; r < rows.size(); ++r) {
      states.emplace_back(static_cast<std::size_t>(model_.shape.d_model));
      device_.hidden(model_.norm.view(), r, states.back(), *workspace_);
    }
    return states;
  }

  std::vector<HeadAnswer> head(const std::vector<HeadQuery>& queries) {
    return device_.head(model_.norm.view(), *embedding_, queries, *workspace_);
  }

  struct Sequence {
    std::vector<PageRef> pages;
    std::uint32_t length = 0;
  };
  std::vector<Sequence>& sequences() { return sequences_; }
  PagePool& pool() { return *pool_; }

 private:
  Device& device_;
  const RandomModel& model_;
  std::unique_ptr<PackedMatrix> embedding_;
  std::vector<std::unique_ptr<PackedLayer>> layers_;
  std::unique_ptr<PagePool> pool_;
  std::unique_ptr<Workspace> workspace_;
  std::vector<Sequence> sequences_;
};

inline std::vector<std::int32_t> random_tokens(std::mt19937& random, std::size_t n, int n_vocab) {
  std::uniform_int_distribution<std::int32_t> token(0, n_vocab - 1);
  std::vector<std::int32_t> tokens(n);
  for (std::int32_t& t : tokens) t = token(random);
  return tokens;
}

// Norm of the difference over norm of `truth`.
inline double relative_error(std::span<const float> value, std::span<const float> truth) {
  double difference = 0, norm = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const double d = static_cast<double>(value[i]) - static_cast<double>(truth[i]);
    difference += d * d;
    norm += static_cast<double>(truth[i]) * static_cast<double>(truth[i]);
  }
  return std::sqrt(difference / norm);
}

constexpr WeightType kAllTypes[] = {
    WeightType::kF32,  WeightType::kF16,  WeightType::kBF16, WeightType::kQ8_0, WeightType::kQ5_0,
    WeightType::kQ4_0, WeightType::kQ4_1, WeightType::kQ4_K, WeightType::kQ5_K, WeightType::kQ6_K};

// Odd wherever a shape may be odd: quantised matrices need inputs in multiples of their blocks.
inline ModelShape odd_shape(WeightType type) {
  const int block = block_elements(type);
  ModelShape shape;
  shape.n_layers = block > 1 ? 2 : 1;
  shape.d_model = block == 256 ? 256 : block == 32 ? 96 : 50;
  shape.n_heads = 8;
  shape.n_kv_heads = 2;
  shape.head_dim = block == 256 ? 32 : 20;
  shape.d_ffn = block == 256 ? 768 : block == 32 ? 160 : 75;
  shape.n_vocab = 1101;
  shape.max_positions = 2048;
  shape.rope.dimensions = 12;
  return shape;
}

}  // namespace hearth::kernels
