// The seam between the engine and arithmetic: a device packs weights into opaque handles, owns the
// pools that KV pages come from, and offers the fused operations of a transformer layer. Engine code
// never touches the bytes of a packed weight or of a page.
//
// Threads: a device and everything made from it belongs to one thread at a time (the engine's). The
// device may use a ThreadPool that was handed to it.
//
// Arithmetic is batch invariant: a row's result depends on its token, its position and the KV before
// it, never on the other rows of the step, on how a prompt was split into steps or on the number of
// threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/weight_type.h"

namespace hearth::kernels {

inline constexpr int kPageTokens = 16;

enum class Activation : std::uint8_t {
  kSiluGated,
  kReluSquared,
  kGelu,  // its tanh approximation (Hendrycks and Gimpel, arXiv:1606.08415)
};
enum class NormStyle : std::uint8_t {
  kRms,    // x / rms(x) * gain
  kLayer,  // (x - mean(x)) / deviation(x) * gain + bias
};
enum class RopeStyle : std::uint8_t {
  kAdjacent,   // rotates (0,1), (2,3), ... (GGUF llama, arcee)
  kHalfSplit,  // rotates (0, n/2), (1, n/2+1), ... (GGUF qwen2, qwen3, starcoder2)
};

struct RopeParameters {
  RopeStyle style = RopeStyle::kAdjacent;
  int dimensions = 0;  // rotated dimensions of a head, even, <= head_dim
  float base = 10000.0f;
  float position_scale = 1.0f;           // positions are multiplied by it (linear scaling: 1 / factor)
  std::vector<float> frequency_factors;  // (dimensions / 2) divisors, or empty
};

// The shape of a model, the same for all its layers.
struct ModelShape {
  int n_layers = 0;
  int d_model = 0;
  int n_heads = 0;
  int n_kv_heads = 0;
  int head_dim = 0;
  int d_ffn = 0;
  int n_vocab = 0;
  int max_positions = 0;
  NormStyle norm = NormStyle::kRms;
  float norm_epsilon = 1e-5f;
  Activation activation = Activation::kSiluGated;
  RopeParameters rope;
};

// F32, (d_model) each. RMS norms have no bias.
struct NormWeights {
  std::span<const float> gain, bias;
};

// A layer's weights as they lie in the model file. Biases are F32, as long as their matrix has rows; empty
// means absent.
struct LayerWeights {
  NormWeights attention_norm;
  MatrixView q, k, v;  // (heads * head_dim, d_model)
  std::span<const float> q_bias, k_bias, v_bias;
  std::span<const float> q_norm, k_norm;  // (head_dim): gains of each head's RMS norm; empty: no such norm
  MatrixView o;                           // (d_model, n_heads * head_dim)
  std::span<const float> o_bias;
  NormWeights ffn_norm;
  MatrixView gate;  // (d_ffn, d_model); rows == 0 where there is none
  MatrixView up;    // (d_ffn, d_model)
  std::span<const float> up_bias;
  MatrixView down;  // (d_model, d_ffn)
  std::span<const float> down_bias;
};

// Packed weights. They keep no reference to the views they were made from.
class PackedLayer {
 public:
  virtual ~PackedLayer() = default;
};
class PackedMatrix {
 public:
  virtual ~PackedMatrix() = default;
};

// How a page keeps its numbers: fp16, saturating, or bf16, whose dot products some machines compute at twice
// the rate, the other side rounded to bf16 as well.
enum class PageFormat : std::uint8_t { kF16, kBF16 };

using PageId = std::int32_t;

// A reference to a page as a step sees it. A page holds keys (after RoPE) and values of up to
// kPageTokens consecutive positions for every layer; `first_position` is a multiple of kPageTokens.
struct PageRef {
  std::uint8_t device = 0;
  PageId page = -1;
  std::uint32_t first_position = 0;
};

// A fixed-capacity pool of pages on one device.
class PagePool {
 public:
  virtual ~PagePool() = default;
  virtual std::optional<PageId> allocate() = 0;  // nullopt when the pool is full
  virtual void release(PageId page) = 0;
  // Copies the first `tokens` tokens of every layer.
  virtual void copy(PageId from, PageId to, int tokens) = 0;
  // A whole page out and in, page_bytes() of it. What one pool gave, every pool takes that a device of the
  // same name made for the same shape and format.
  virtual void read(PageId page, std::span<std::byte> out) const = 0;
  virtual void write(PageId page, std::span<const std::byte> in) = 0;
  virtual PageFormat format() const = 0;
  virtual std::size_t page_bytes() const = 0;
  virtual int capacity() const = 0;
  virtual int in_use() const = 0;
};

// One token of one sequence. Rows of a sequence are adjacent and ascend in position without gaps.
struct Row {
  std::int32_t token = 0;
  std::uint32_t position = 0;
  std::uint32_t sequence = 0;  // index into Step::sequences
};

// What is computed together: rows of any number of sequences, prefill chunks and decode rows alike.
// A sequence's pages cover positions 0 .. its last row's position, in order, the i-th page holding
// positions 16 i to 16 i + 15. A row's K and V are written to its position's slot; it attends to every
// position up to its own.
struct Step {
  std::span<const Row> rows;
  std::span<const std::span<const PageRef>> sequences;
};

// The activations of a step; made for a model's shape and a largest number of rows.
class Workspace {
 public:
  virtual ~Workspace() = default;
};

// A question to the output head about one row of the step.
struct HeadQuery {
  std::uint32_t row = 0;
  std::span<const std::uint64_t> allowed;  // bit t set: token t may be answered; empty: all may
  int k = 1;
  std::span<const std::int32_t> ids;  // tokens whose logits are wanted whatever `allowed` says
};

struct TokenLogit {
  std::int32_t token = -1;
  float logit = 0;
};

struct HeadAnswer {
  std::vector<TokenLogit> top;  // up to k allowed tokens, best first; ties by the lower id
  float log_sum_exp = 0;        // over allowed tokens
  float entropy = 0;            // nats, of the softmax over allowed tokens
  std::vector<float> logits;    // of HeadQuery::ids, in their order
};

class Device {
 public:
  virtual ~Device() = default;

  virtual std::string name() const = 0;  // "cpu avx2", "reference"
  virtual PageFormat fastest_pages() const = 0;

  virtual std::unique_ptr<PackedMatrix> pack(const MatrixView& matrix) = 0;
  virtual std::unique_ptr<PackedLayer> pack(const ModelShape& shape, const LayerWeights& layer) = 0;
  virtual std::unique_ptr<PagePool> make_page_pool(const ModelShape& shape, PageFormat format, int pages) = 0;
  virtual std::unique_ptr<Workspace> make_workspace(const ModelShape& shape, int max_rows) = 0;

  // x[r] = embedding[rows[r].token]. x, (rows, d_model) F32, lives in the workspace.
  virtual void embed(const PackedMatrix& embedding, const Step& step, Workspace& workspace) = 0;

  // x += o(attention(rope(q), rope(k), v)) with q, k, v from norm(x), and q and k normalised by head where
  // the layer has norms for that; writes K and V of the rows into their pages at `layer_index`. Scores are
  // scaled by 1 / sqrt(head_dim).
  virtual void attention(const PackedLayer& layer, int layer_index, const Step& step, PagePool& pages,
                         Workspace& workspace) = 0;

  // x += down(activation(gate(n), up(n))) with n = norm(x).
  virtual void feed_forward(const PackedLayer& layer, const Step& step, Workspace& workspace) = 0;

  // Logits are output . norm(x[row]) for the queried rows only.
  virtual std::vector<HeadAnswer> head(const NormWeights& norm, const PackedMatrix& output,
                                       std::span<const HeadQuery> queries, Workspace& workspace) = 0;

  // Copies x[row] after the norm: the hidden state that embeddings pool.
  virtual void hidden(const NormWeights& norm, std::uint32_t row, std::span<float> out,
                      Workspace& workspace) = 0;
};

}  // namespace hearth::kernels
