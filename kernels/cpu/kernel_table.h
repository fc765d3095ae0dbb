// What differs between instruction sets: the inner loops, as functions over plain structs. Everything
// around them (packing, scheduling, pages) is compiled once for the baseline machine. The functions of
// one table are instances of the templates in *_kernels.h for one vector width; they allocate nothing,
// keep no state and may run on any number of threads.
//
// This header is included by sources compiled for newer machines, so it must define no function.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hearth::kernels {

constexpr int kTileRows = 8;       // rows of activations that share a load of weights
constexpr int kGroupOutputs = 32;  // outputs computed as one piece of work: one quantisation block
constexpr int kQuantBlock = 32;    // inputs that share a scale
constexpr int kBlocksOfSuper = 8;  // blocks of weights of the K types that share a scale
constexpr int kPageSlots = 16;     // tokens of a page
constexpr int kSplitPages = 16;    // pages whose attention is summed on its own, from position 0 on
constexpr int kSplitTokens = kSplitPages * kPageSlots;
constexpr int kAheadPages = 4;
constexpr int kPeakBytes = 1024;
constexpr int kMaxQueries = 24;  // queries that share a load of keys and values

// Weights of `lanes` output rows interleaved along the input; see packed_matrix.h for the layouts.
struct PanelView {
  const std::byte* panels = nullptr;
  std::size_t panel_bytes = 0;
  int cols = 0;
};

// The inputs of up to kTileRows rows, interleaved. Only the forms that the weights need are filled.
struct ActivationTile {
  float* values = nullptr;            // (cols, kTileRows)
  std::int32_t* pairs = nullptr;      // (cols / 2, kTileRows): two bf16 each, the first one low
  std::int8_t* codes = nullptr;       // (blocks, kTileRows, kQuantBlock), -127 .. 127
  float* scales = nullptr;            // (blocks, kTileRows)
  std::int32_t* sums = nullptr;       // (blocks, kTileRows): of the codes
  std::int32_t* half_sums = nullptr;  // (blocks, kTileRows): of 16 codes each, two int16
};

// out[r * out_stride + i] = dot(weights of output first_panel * lanes + i, inputs of row r)
using MatmulFunction = void (*)(const PanelView& weights, int first_panel, int panels,
                                const ActivationTile& inputs, int rows, float* out, std::size_t out_stride);

// Attention of some queries of one KV head to one split of their sequence, over pages of one format. With
// bf16_dots, the queries of BF16 pages are pairs of bf16, too, and stand for floats otherwise. Memory is
// asked for kAheadPages pages before it is read, so as many pages that will be read afterwards follow the
// split's own in `keys` and `values`.
struct AttentionSplit {
  int count = 0;  // of queries, 1 .. kMaxQueries
  // (head_dim, kMaxQueries), scaled by log2(e) / sqrt(head_dim), or (head_dim / 2, kMaxQueries) pairs;
  // head_dim rounded up to even for BF16 pages.
  const float* queries = nullptr;
  const int* visible = nullptr;                // tokens of the split each query attends to, 0 .. kSplitTokens
  const std::uint16_t* const* keys = nullptr;  // by page, as page_pool.h has them
  const std::uint16_t* const* values = nullptr;  // by page, behind its keys
  int head_dim = 0;
  int padded_dim = 0;                             // a multiple of 16
  float* scores = nullptr;                        // scratch, (queries, kSplitTokens)
  struct AttentionPartial* const* out = nullptr;  // by query
};

// The softmax over some positions, to be scaled by 1 / sum; scores are logarithms to the base 2.
// (padded_dim) sums of values follow it.
struct alignas(64) AttentionPartial {
  float max = 0;
  float sum = 0;  // of 2^(score - max); 0: no position
};

struct LogitStatistics {
  float max = 0;
  float sum = 0;       // of exp(logit - max)
  float weighted = 0;  // of exp(logit - max) (logit - max)
};

struct KernelTable {
  const char* name;
  int lanes;                  // of a panel: 8 or 16
  bool bf16_dots;             // products of BF16 weights, keys and values read pairs, not values
  MatmulFunction matmul[10];  // by WeightType

  // out = x / rms(x) * gain, or (x - mean(x)) / deviation(x) * gain + bias, over d floats, then zeros up to
  // `padded`. `out` may be x.
  void (*rms_norm)(const float* x, const float* gain, int d, int padded, float epsilon, float* out);
  void (*layer_norm)(const float* x, const float* gain, const float* bias, int d, int padded, float epsilon,
                     float* out);
  // Row `row` of a tile from `cols` floats, a multiple of kQuantBlock.
  void (*quantize)(const float* x, int cols, const ActivationTile& tile, int row);
  // h = silu(gate) * h, h = max(h, 0)^2 and h = gelu(h), over a multiple of 16 floats.
  void (*silu_gate)(const float* gate, float* h, int n);
  void (*relu_squared)(float* h, int n);
  void (*gelu)(float* h, int n);
  // To nearest even, fp16 saturating, over n floats (a multiple of 16); `out` may be x. By PageFormat.
  void (*to_page[2])(const float* x, std::uint16_t* out, int n);
  void (*attend[2])(const AttentionSplit& split);  // by PageFormat
  // Adds `next`, whose positions follow, to `total`.
  void (*merge)(AttentionPartial* total, const AttentionPartial* next, int padded_dim);
  // Over n logits, a multiple of 16; -infinity counts for nothing.
  LogitStatistics (*statistics)(const float* logits, int n);

  // The machine's own limits; see peak_kernels.h. `zeros` is kPeakBytes of zeros on a cache line.
  float (*peak_read)(const std::byte* from, std::size_t bytes);
  double (*peak_int8)(const std::byte* zeros, int rounds);
  double (*peak_int8_wide)(const std::byte* zeros, int rounds);
  double (*peak_f32)(const std::byte* zeros, int rounds);
  double (*peak_bf16)(const std::byte* zeros, int rounds);  // that of fp32 without bf16_dots
};

extern const KernelTable kPortableKernels;
extern const KernelTable kAvx2Kernels;
extern const KernelTable kAvxVnniKernels;
extern const KernelTable kAvx512Kernels;
extern const KernelTable kAvx512VnniKernels;
extern const KernelTable kAvx512Bf16Kernels;
extern const KernelTable kAmxKernels;

}  // namespace hearth::kernels
