#include "engine/model_rewrite.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <string>

#include "engine/model_shape.h"
#include "kernels/quantize.h"

namespace hearth::engine {
namespace {

using kernels::WeightType;

constexpr std::uint64_t kRowsAtOnce = 2048;
constexpr float kLargestF16 = 65504.0f;

// llama.cpp's LLAMA_FTYPE numbers (include/llama.h).
std::uint64_t file_type(WeightType type) {
  switch (type) {
    case WeightType::kF32: return 0;
    case WeightType::kF16: return 1;
    case WeightType::kQ4_0: return 2;
    case WeightType::kQ4_1: return 3;
    case WeightType::kQ8_0: return 7;
    case WeightType::kQ5_0: return 8;
    case WeightType::kQ4_K: return 14;
    case WeightType::kQ5_K: return 16;
    case WeightType::kQ6_K: return 18;
    case WeightType::kBF16: return 32;
  }
  return 0;
}

// One tensor's rows through dequantise, change, quantise.
class TensorRewriter {
 public:
  TensorRewriter(const ModelRewrite& rewrite, const GgufTensor& tensor, WeightType to)
      : rewrite_(rewrite),
        tensor_(tensor),
        from_(matrix_view(tensor)),
        to_(to),
        from_size_(kernels::row_bytes(from_.type, static_cast<std::size_t>(from_.cols))),
        to_size_(kernels::row_bytes(to, static_cast<std::size_t>(from_.cols))) {}

  std::uint64_t rows() const { return static_cast<std::uint64_t>(from_.rows); }

  // False when a value cannot be stored.
  bool convert(std::uint64_t first, std::uint64_t count, kernels::ThreadPool& threads,
               std::vector<std::byte>& out) {
    out.resize(count * to_size_);
    std::atomic<bool> fits = true;
    threads.run([&](int index, int parts) {
      const std::uint64_t from =
          count * static_cast<std::uint64_t>(index) / static_cast<std::uint64_t>(parts);
      const std::uint64_t to =
          count * static_cast<std::uint64_t>(index + 1) / static_cast<std::uint64_t>(parts);
      std::vector<float> values(static_cast<std::size_t>(from_.cols));
      for (std::uint64_t row = from; row < to; ++row) {
        convert_row(first + row, values, std::span(out).subspan(row * to_size_, to_size_));
        if (!std::ranges::all_of(values, [&](float value) { return std::fabs(value) <= largest(); }))
          fits = false;
      }
    });
    return fits;
  }

 private:
  void convert_row(std::uint64_t row, std::vector<float>& values, std::span<std::byte> out) {
    kernels::dequantize_row(from_.type, from_.bytes.subspan(row * from_size_, from_size_), values);
    if (rewrite_.change && tensor_.shape.size() == 2) rewrite_.change(tensor_, row, values);
    kernels::quantize_row(to_, values, out);
  }

  float largest() const { return to_ == WeightType::kF32 ? std::numeric_limits<float>::max() : kLargestF16; }

  const ModelRewrite& rewrite_;
  const GgufTensor& tensor_;
  kernels::MatrixView from_;
  WeightType to_;
  std::size_t from_size_, to_size_;
};

}  // namespace

WeightType tensor_type(const GgufTensor& tensor, WeightType type) {
  if (tensor.shape.size() < 2) return WeightType::kF32;
  const bool shared_by_all = tensor.name == "token_embd.weight" || tensor.name == "output.weight";
  if (shared_by_all &&
      (type == WeightType::kQ5_0 || type == WeightType::kQ4_0 || type == WeightType::kQ4_1)) {
    type = WeightType::kQ8_0;
  }
  return tensor.shape[0] % static_cast<std::uint64_t>(kernels::block_elements(type)) == 0 ? type
                                                                                          : WeightType::kF16;
}

Result<void> rewrite_model(const GgufFile& base, const ModelRewrite& rewrite,
                           const std::filesystem::path& output, kernels::ThreadPool& threads,
                           std::stop_token stop) {
  GgufMetadata metadata = rewrite.metadata;
  metadata.emplace_back("general.file_type", file_type(rewrite.type));
  if (kernels::block_elements(rewrite.type) > 1)
    metadata.emplace_back("general.quantization_version", std::uint64_t{2});

  std::vector<GgufTensorPlan> plans;
  std::uint64_t total = 0;
  for (const GgufTensor& tensor : base.tensors()) {
    plans.push_back({tensor.name, tensor_type(tensor, rewrite.type), tensor.shape});
    total += plans.back().bytes();
  }
  auto writer = GgufWriter::create(output, metadata, plans);
  if (!writer) return writer.error();

  std::uint64_t done = 0;
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    TensorRewriter rewriter(rewrite, base.tensors()[i], plans[i].type);
    for (std::uint64_t first = 0; first < rewriter.rows(); first += kRowsAtOnce) {
      if (stop.stop_requested())
        return Error{ErrorCode::kInvalid, output.string() + ": interrupted, not written"};
      const std::uint64_t count = std::min(kRowsAtOnce, rewriter.rows() - first);
      if (!rewriter.convert(first, count, threads, bytes)) {
        return Error{ErrorCode::kMalformed, base.name() + ": tensor " + plans[i].name +
                                                " gets a weight that is not finite or too large for " +
                                                kernels::name(plans[i].type)};
      }
      if (auto written = writer->write(bytes); !written) return written;
      done += bytes.size();
      if (rewrite.progress) rewrite.progress(done, total);
    }
  }
  return writer->finish();
}

}  // namespace hearth::engine
