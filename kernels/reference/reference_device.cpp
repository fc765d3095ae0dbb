#include "kernels/reference/reference_device.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>
#include <numeric>
#include <vector>

#include "kernels/quantize.h"

namespace hearth::kernels {
namespace {

using Vector = std::vector<double>;

constexpr float kLargestF16 = 65504.0f;

// A number as a page keeps it.
float as_stored(PageFormat format, double value) {
  if (format == PageFormat::kBF16) return bf16_to_f32(f32_to_bf16(static_cast<float>(value)));
  const float narrowed = std::clamp(static_cast<float>(value), -kLargestF16, kLargestF16);
  return f16_to_f32(f32_to_f16(narrowed));
}

struct Matrix : PackedMatrix {
  explicit Matrix(const MatrixView& view) : rows(view.rows), cols(view.cols) {
    const auto width = static_cast<std::size_t>(cols);
    values.resize(static_cast<std::size_t>(rows) * width);
    const std::size_t stride = row_bytes(view.type, width);
    for (std::size_t r = 0; r < static_cast<std::size_t>(rows); ++r) {
      dequantize_row(view.type, view.bytes.subspan(r * stride, stride),
                     std::span(values).subspan(r * width, width));
    }
  }

  const float* row(int r) const {
    return values.data() + static_cast<std::size_t>(r) * static_cast<std::size_t>(cols);
  }

  double dot(int r, const Vector& x) const {
    const float* w = row(r);
    double sum = 0;
    for (std::size_t c = 0; c < static_cast<std::size_t>(cols); ++c) sum += static_cast<double>(w[c]) * x[c];
    return sum;
  }

  Vector multiply(const Vector& x, std::span<const float> bias = {}) const {
    Vector out(static_cast<std::size_t>(rows));
    for (int r = 0; r < rows; ++r) {
      const auto i = static_cast<std::size_t>(r);
      out[i] = dot(r, x) + (bias.empty() ? 0.0 : static_cast<double>(bias[i]));
    }
    return out;
  }

  int rows, cols;
  std::vector<float> values;  // (rows, cols)
};

std::vector<float> owned(std::span<const float> values) { return {values.begin(), values.end()}; }

struct Norm {
  explicit Norm(const NormWeights& weights) : gain(owned(weights.gain)), bias(owned(weights.bias)) {}
  NormWeights view() const { return {gain, bias}; }
  std::vector<float> gain, bias;
};

struct Layer : PackedLayer {
  Layer(const ModelShape& model_shape, const LayerWeights& weights)
      : shape(model_shape),
        attention_norm(weights.attention_norm),
        ffn_norm(weights.ffn_norm),
        q_bias(owned(weights.q_bias)),
        k_bias(owned(weights.k_bias)),
        v_bias(owned(weights.v_bias)),
        o_bias(owned(weights.o_bias)),
        up_bias(owned(weights.up_bias)),
        down_bias(owned(weights.down_bias)),
        q_norm(owned(weights.q_norm)),
        k_norm(owned(weights.k_norm)),
        q(weights.q),
        k(weights.k),
        v(weights.v),
        o(weights.o),
        gate(weights.gate),
        up(weights.up),
        down(weights.down) {}

  ModelShape shape;
  Norm attention_norm, ffn_norm;
  std::vector<float> q_bias, k_bias, v_bias, o_bias, up_bias, down_bias, q_norm, k_norm;
  Matrix q, k, v, o, gate, up, down;
};

class Pool : public PagePool {
 public:
  Pool(const ModelShape& shape, PageFormat format, int pages)
      : shape_(shape),
        format_(format),
        layer_floats_(static_cast<std::size_t>(2 * kPageTokens * shape.n_kv_heads * shape.head_dim)),
        pages_(static_cast<std::size_t>(pages)) {
    for (int page = pages; page-- > 0;) free_.push_back(page);
  }

  std::optional<PageId> allocate() override {
    if (free_.empty()) return std::nullopt;
    const PageId page = free_.back();
    free_.pop_back();
    pages_[static_cast<std::size_t>(page)].resize(layer_floats_ * static_cast<std::size_t>(shape_.n_layers));
    return page;
  }

  void release(PageId page) override { free_.push_back(page); }

  void copy(PageId from, PageId to, int tokens) override {
    for (int layer = 0; layer < shape_.n_layers; ++layer) {
      for (int token = 0; token < tokens; ++token) {
        std::copy_n(slot(from, layer, token), 2 * token_floats(), slot(to, layer, token));
      }
    }
  }

  void read(PageId page, std::span<std::byte> out) const override {
    std::memcpy(out.data(), pages_[static_cast<std::size_t>(page)].data(), out.size());
  }
  void write(PageId page, std::span<const std::byte> in) override {
    std::memcpy(pages_[static_cast<std::size_t>(page)].data(), in.data(), in.size());
  }

  PageFormat format() const override { return format_; }
  std::size_t page_bytes() const override {
    return layer_floats_ * static_cast<std::size_t>(shape_.n_layers) * sizeof(float);
  }
  int capacity() const override { return static_cast<int>(pages_.size()); }
  int in_use() const override { return capacity() - static_cast<int>(free_.size()); }

  // K (n_kv_heads, head_dim), then V of the same shape.
  float* slot(PageId page, int layer, int token) {
    return pages_[static_cast<std::size_t>(page)].data() + static_cast<std::size_t>(layer) * layer_floats_ +
           static_cast<std::size_t>(token) * 2 * token_floats();
  }
  std::size_t token_floats() const { return static_cast<std::size_t>(shape_.n_kv_heads * shape_.head_dim); }

 private:
  ModelShape shape_;
  PageFormat format_;
  std::size_t layer_floats_;
  std::vector<std::vector<float>> pages_;
  std::vector<PageId> free_;
};

struct Activations : Workspace {
  Activations(const ModelShape& model_shape, int max_rows)
      : shape(model_shape), x(static_cast<std::size_t>(max_rows)) {}

  ModelShape shape;
  std::vector<Vector> x;  // (rows, d_model)
};

void rms_norm(std::span<double> x, std::span<const float> gain, float epsilon) {
  double sum = 0;
  for (double value : x) sum += value * value;
  const double scale = 1.0 / std::sqrt(sum / static_cast<double>(x.size()) + static_cast<double>(epsilon));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] *= scale * static_cast<double>(gain[i]);
}

// A layer norm is an RMS norm of what is left without the mean, and a bias (arXiv:1607.06450).
Vector normalize(const ModelShape& shape, const NormWeights& norm, Vector x) {
  if (shape.norm == NormStyle::kLayer) {
    const double mean = std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
    for (double& value : x) value -= mean;
  }
  rms_norm(x, norm.gain, shape.norm_epsilon);
  for (std::size_t i = 0; i < norm.bias.size(); ++i) x[i] += static_cast<double>(norm.bias[i]);
  return x;
}

void rope(const RopeParameters& rope, std::uint32_t position, double* head) {
  const int half = rope.dimensions / 2;
  for (int i = 0; i < half; ++i) {
    double angle = static_cast<double>(position) * static_cast<double>(rope.position_scale) *
                   std::pow(static_cast<double>(rope.base), -2.0 * i / rope.dimensions);
    if (!rope.frequency_factors.empty()) {
      angle /= static_cast<double>(rope.frequency_factors[static_cast<std::size_t>(i)]);
    }
    const bool adjacent = rope.style == RopeStyle::kAdjacent;
    double& a = head[adjacent ? 2 * i : i];
    double& b = head[adjacent ? 2 * i + 1 : i + half];
    const double a0 = a;
    a = a0 * std::cos(angle) - b * std::sin(angle);
    b = a0 * std::sin(angle) + b * std::cos(angle);
  }
}

// One head's output over positions 0 .. position, exact softmax in two passes.
void attend(const ModelShape& shape, const double* query, int head, int layer, std::uint32_t position,
            std::span<const PageRef> pages, Pool& pool, double* out) {
  const auto dim = static_cast<std::size_t>(shape.head_dim);
  const std::size_t offset = static_cast<std::size_t>(head / (shape.n_heads / shape.n_kv_heads)) * dim;
  const auto slot = [&](std::uint32_t p) {
    return pool.slot(pages[p / kPageTokens].page, layer, static_cast<int>(p % kPageTokens)) + offset;
  };
  Vector scores(position + 1);
  for (std::uint32_t p = 0; p <= position; ++p) {
    const float* key = slot(p);
    for (std::size_t d = 0; d < dim; ++d) scores[p] += query[d] * static_cast<double>(key[d]);
    scores[p] /= std::sqrt(static_cast<double>(dim));
  }
  const double largest = *std::max_element(scores.begin(), scores.end());
  double sum = 0;
  for (double& score : scores) sum += score = std::exp(score - largest);
  std::fill_n(out, dim, 0.0);
  for (std::uint32_t p = 0; p <= position; ++p) {
    const float* value = slot(p) + pool.token_floats();
    for (std::size_t d = 0; d < dim; ++d) out[d] += scores[p] / sum * static_cast<double>(value[d]);
  }
}

double activate(Activation activation, double gate, double up) {
  const double positive = std::max(up, 0.0);
  switch (activation) {
    case Activation::kSiluGated: return gate / (1.0 + std::exp(-gate)) * up;
    case Activation::kReluSquared: return positive * positive;
    case Activation::kGelu: {
      const double inner = std::sqrt(2.0 / std::numbers::pi) * (up + 0.044715 * up * up * up);
      return 0.5 * up * (1.0 + std::tanh(inner));
    }
  }
  return 0;
}

void add(Vector& x, const Vector& y) {
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += y[i];
}

bool is_allowed(const HeadQuery& query, std::size_t token) {
  return query.allowed.empty() || (query.allowed[token / 64] >> token % 64 & 1) != 0;
}

HeadAnswer answer(const HeadQuery& query, const Vector& logits) {
  HeadAnswer result;
  for (std::int32_t id : query.ids)
    result.logits.push_back(static_cast<float>(logits[static_cast<std::size_t>(id)]));
  std::vector<std::int32_t> allowed;
  for (std::size_t t = 0; t < logits.size(); ++t) {
    if (is_allowed(query, t)) allowed.push_back(static_cast<std::int32_t>(t));
  }
  const auto logit = [&](std::int32_t token) { return logits[static_cast<std::size_t>(token)]; };
  std::stable_sort(allowed.begin(), allowed.end(), [&](auto a, auto b) { return logit(a) > logit(b); });
  const auto count = std::min(allowed.size(), static_cast<std::size_t>(std::max(query.k, 0)));
  for (std::size_t i = 0; i < count; ++i) {
    result.top.push_back({allowed[i], static_cast<float>(logit(allowed[i]))});
  }
  if (allowed.empty()) {
    result.log_sum_exp = -std::numeric_limits<float>::infinity();
    return result;
  }
  const double largest = logit(allowed.front());
  double sum = 0, weighted = 0;
  for (std::int32_t token : allowed) {
    const double above = logit(token) - largest;
    sum += std::exp(above);
    weighted += std::exp(above) * above;
  }
  result.log_sum_exp = static_cast<float>(largest + std::log(sum));
  result.entropy = static_cast<float>(std::log(sum) - weighted / sum);
  return result;
}

class ReferenceDevice : public Device {
 public:
  std::string name() const override { return "reference"; }
  PageFormat fastest_pages() const override { return PageFormat::kF16; }

  std::unique_ptr<PackedMatrix> pack(const MatrixView& matrix) override {
    return std::make_unique<Matrix>(matrix);
  }
  std::unique_ptr<PackedLayer> pack(const ModelShape& shape, const LayerWeights& layer) override {
    return std::make_unique<Layer>(shape, layer);
  }
  std::unique_ptr<PagePool> make_page_pool(const ModelShape& shape, PageFormat format, int pages) override {
    return std::make_unique<Pool>(shape, format, pages);
  }
  std::unique_ptr<Workspace> make_workspace(const ModelShape& shape, int max_rows) override {
    return std::make_unique<Activations>(shape, max_rows);
  }

  void embed(const PackedMatrix& embedding, const Step& step, Workspace& workspace) override {
    const auto& matrix = static_cast<const Matrix&>(embedding);
    auto& x = static_cast<Activations&>(workspace).x;
    for (std::size_t r = 0; r < step.rows.size(); ++r) {
      const float* row = matrix.row(step.rows[r].token);
      x[r].assign(row, row + matrix.cols);
    }
  }

  void attention(const PackedLayer& packed, int layer_index, const Step& step, PagePool& pages,
                 Workspace& workspace) override {
    const auto& layer = static_cast<const Layer&>(packed);
    auto& pool = static_cast<Pool&>(pages);
    auto& x = static_cast<Activations&>(workspace).x;
    const ModelShape& shape = layer.shape;
    const auto dim = static_cast<std::size_t>(shape.head_dim);
    std::vector<Vector> queries;
    for (std::size_t r = 0; r < step.rows.size(); ++r) {
      const Row& row = step.rows[r];
      const Vector n = normalize(shape, layer.attention_norm.view(), x[r]);
      queries.push_back(layer.q.multiply(n, layer.q_bias));
      Vector k = layer.k.multiply(n, layer.k_bias);
      const Vector v = layer.v.multiply(n, layer.v_bias);
      const auto norm_and_rotate = [&](Vector& heads, std::span<const float> gain) {
        for (std::size_t at = 0; at < heads.size(); at += dim) {
          const std::span head(heads.data() + at, dim);
          if (!gain.empty()) rms_norm(head, gain, shape.norm_epsilon);
          rope(shape.rope, row.position, head.data());
        }
      };
      norm_and_rotate(queries.back(), layer.q_norm);
      norm_and_rotate(k, layer.k_norm);
      const PageId page = step.sequences[row.sequence][row.position / kPageTokens].page;
      float* slot = pool.slot(page, layer_index, static_cast<int>(row.position % kPageTokens));
      const auto stored = [&](double value) { return as_stored(pool.format(), value); };
      std::transform(k.begin(), k.end(), slot, stored);
      std::transform(v.begin(), v.end(), slot + pool.token_floats(), stored);
    }
    for (std::size_t r = 0; r < step.rows.size(); ++r) {
      const Row& row = step.rows[r];
      Vector out(queries[r].size());
      for (int h = 0; h < shape.n_heads; ++h) {
        const std::size_t offset = static_cast<std::size_t>(h) * dim;
        attend(shape, queries[r].data() + offset, h, layer_index, row.position, step.sequences[row.sequence],
               pool, out.data() + offset);
      }
      add(x[r], layer.o.multiply(out, layer.o_bias));
    }
  }

  void feed_forward(const PackedLayer& packed, const Step& step, Workspace& workspace) override {
    const auto& layer = static_cast<const Layer&>(packed);
    auto& x = static_cast<Activations&>(workspace).x;
    for (std::size_t r = 0; r < step.rows.size(); ++r) {
      const Vector n = normalize(layer.shape, layer.ffn_norm.view(), x[r]);
      Vector h = layer.up.multiply(n, layer.up_bias);
      const Vector gate = layer.gate.multiply(n);
      for (std::size_t i = 0; i < h.size(); ++i) {
        h[i] = activate(layer.shape.activation, gate.empty() ? 0.0 : gate[i], h[i]);
      }
      add(x[r], layer.down.multiply(h, layer.down_bias));
    }
  }

  std::vector<HeadAnswer> head(const NormWeights& norm, const PackedMatrix& output,
                               std::span<const HeadQuery> queries, Workspace& workspace) override {
    const auto& activations = static_cast<const Activations&>(workspace);
    std::vector<HeadAnswer> answers;
    for (const HeadQuery& query : queries) {
      const Vector n = normalize(activations.shape, norm, activations.x[query.row]);
      answers.push_back(answer(query, static_cast<const Matrix&>(output).multiply(n)));
    }
    return answers;
  }

  void hidden(const NormWeights& norm, std::uint32_t row, std::span<float> out,
              Workspace& workspace) override {
    const auto& activations = static_cast<const Activations&>(workspace);
    const Vector n = normalize(activations.shape, norm, activations.x[row]);
    std::transform(n.begin(), n.end(), out.begin(), [](double value) { return static_cast<float>(value); });
  }
};

}  // namespace

std::unique_ptr<Device> make_reference_device() { return std::make_unique<ReferenceDevice>(); }

}  // namespace hearth::kernels
