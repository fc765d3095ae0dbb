#include "engine/model.h"

#include <cstring>
#include <string>

namespace hearth::engine {

namespace {

// Norm gains and biases, copied out of the file because its bytes need not be aligned.
std::vector<float> floats(const GgufFile& file, const std::string& name) {
  const GgufTensor* tensor = file.tensor(name);
  if (tensor == nullptr) return {};
  std::vector<float> values(tensor->bytes.size() / sizeof(float));
  std::memcpy(values.data(), tensor->bytes.data(), values.size() * sizeof(float));
  return values;
}

kernels::MatrixView matrix(const GgufFile& file, const std::string& name) {
  const GgufTensor* tensor = file.tensor(name);
  return tensor == nullptr ? kernels::MatrixView{} : matrix_view(*tensor);
}

std::unique_ptr<kernels::PackedLayer> pack_layer(const GgufFile& file, kernels::Device& device,
                                                 const kernels::ModelShape& shape, int index) {
  const std::string block = "blk." + std::to_string(index) + ".";
  const auto attention_norm = floats(file, block + "attn_norm.weight");
  const auto attention_norm_bias = floats(file, block + "attn_norm.bias");
  const auto ffn_norm = floats(file, block + "ffn_norm.weight");
  const auto ffn_norm_bias = floats(file, block + "ffn_norm.bias");
  const auto q_bias = floats(file, block + "attn_q.bias");
  const auto k_bias = floats(file, block + "attn_k.bias");
  const auto v_bias = floats(file, block + "attn_v.bias");
  const auto q_norm = floats(file, block + "attn_q_norm.weight");
  const auto k_norm = floats(file, block + "attn_k_norm.weight");
  const auto o_bias = floats(file, block + "attn_output.bias");
  const auto up_bias = floats(file, block + "ffn_up.bias");
  const auto down_bias = floats(file, block + "ffn_down.bias");
  return device.pack(shape, kernels::LayerWeights{
                                .attention_norm = {attention_norm, attention_norm_bias},
                                .q = matrix(file, block + "attn_q.weight"),
                                .k = matrix(file, block + "attn_k.weight"),
                                .v = matrix(file, block + "attn_v.weight"),
                                .q_bias = q_bias,
                                .k_bias = k_bias,
                                .v_bias = v_bias,
                                .q_norm = q_norm,
                                .k_norm = k_norm,
                                .o = matrix(file, block + "attn_output.weight"),
                                .o_bias = o_bias,
                                .ffn_norm = {ffn_norm, ffn_norm_bias},
                                .gate = matrix(file, block + "ffn_gate.weight"),
                                .up = matrix(file, block + "ffn_up.weight"),
                                .up_bias = up_bias,
                                .down = matrix(file, block + "ffn_down.weight"),
                                .down_bias = down_bias,
                            });
}

kernels::PageFormat page_format(KvType type, const GgufFile& file, const kernels::Device& device) {
  if (type == KvType::kF16) return kernels::PageFormat::kF16;
  if (type == KvType::kBF16) return kernels::PageFormat::kBF16;
  const kernels::WeightType weights = matrix(file, "blk.0.attn_q.weight").type;
  const bool exact = weights == kernels::WeightType::kF32 || weights == kernels::WeightType::kF16;
  return exact ? kernels::PageFormat::kF16 : device.fastest_pages();
}

}  // namespace

Result<std::unique_ptr<Model>> Model::load(const std::filesystem::path& path, kernels::Device& device,
                                           const std::function<bool(double)>& progress, KvType kv_type) {
  auto file = GgufFile::open(path);
  if (!file) return file.error();
  return load(*file, device, progress, kv_type);
}

Result<std::unique_ptr<Model>> Model::load(const GgufFile& file, kernels::Device& device,
                                           const std::function<bool(double)>& progress, KvType kv_type) {
  auto description = describe_model(file);
  if (!description) return description.error();
  auto tokenizer = Tokenizer::from_gguf(file);
  if (!tokenizer) return tokenizer.error();
  const kernels::ModelShape& shape = description->shape;
  if ((*tokenizer)->size() > shape.n_vocab) {
    return Error{ErrorCode::kMismatch,
                 file.name() + ": tokenizer.ggml.tokens has " + std::to_string((*tokenizer)->size()) +
                     " entries, token_embd.weight " + std::to_string(shape.n_vocab) + " rows"};
  }
  std::unique_ptr<Model> model(
      new Model(device, page_format(kv_type, file, device), *description, std::move(*tokenizer)));
  const auto cancelled = [&] { return Error{ErrorCode::kInvalid, file.name() + ": loading was cancelled"}; };
  for (int i = 0; i < shape.n_layers; ++i) {
    if (!progress(static_cast<double>(i) / (shape.n_layers + 1))) return cancelled();
    model->layers_.push_back(pack_layer(file, device, shape, i));
  }
  model->embedding_ = device.pack(matrix(file, "token_embd.weight"));
  if (!description->tied_output) model->separate_output_ = device.pack(matrix(file, "output.weight"));
  model->output_norm_ = floats(file, "output_norm.weight");
  model->output_norm_bias_ = floats(file, "output_norm.bias");
  if (!progress(1)) return cancelled();
  return model;
}

std::unique_ptr<kernels::PagePool> Model::make_page_pool(int pages) const {
  return device_.make_page_pool(description_.shape, page_format_, pages);
}

std::optional<std::vector<kernels::HeadAnswer>> Model::run(const kernels::Step& step,
                                                           std::span<const kernels::HeadQuery> queries,
                                                           kernels::PagePool& pages,
                                                           kernels::Workspace& workspace,
                                                           const std::function<bool()>& interrupted) const {
  device_.embed(*embedding_, step, workspace);
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    if (interrupted()) return std::nullopt;
    device_.attention(*layers_[i], static_cast<int>(i), step, pages, workspace);
    if (interrupted()) return std::nullopt;
    device_.feed_forward(*layers_[i], step, workspace);
  }
  if (queries.empty()) return std::vector<kernels::HeadAnswer>{};
  if (interrupted()) return std::nullopt;
  const kernels::PackedMatrix& output = separate_output_ ? *separate_output_ : *embedding_;
  return device_.head({output_norm_, output_norm_bias_}, output, queries, workspace);
}

}  // namespace hearth::engine
