#include "engine/lora_adapter.h"

#include <cmath>
#include <optional>
#include <set>
#include <string_view>

#include "engine/model_shape.h"
#include "kernels/quantize.h"

namespace hearth::engine {
namespace {

constexpr std::string_view kSuffixA = ".lora_a";
constexpr std::string_view kSuffixB = ".lora_b";
constexpr std::string_view kRowIds = "hearth.rows.ids";
constexpr std::string_view kRows = "hearth.rows.token_embd";

Error fault(ErrorCode code, const GgufFile& file, const std::string& what) {
  return Error{code, file.name() + ": " + what};
}

Result<void> expect_text(const GgufFile& file, const char* key, const char* wanted) {
  const auto value = file.string_at(key);
  if (!value) return value.error();
  if (*value == wanted) return {};
  return fault(ErrorCode::kUnsupported, file,
               std::string(key) + " is '" + *value + "', must be '" + wanted + "'");
}

Result<std::vector<float>> matrix_values(const GgufFile& file, const GgufTensor& tensor) {
  if (!tensor.weight_type || tensor.shape.size() != 2) {
    return fault(ErrorCode::kUnsupported, file,
                 "tensor " + tensor.name + " must be a matrix of one of the types " + kWeightTypeNames);
  }
  const kernels::MatrixView view = matrix_view(tensor);
  if (const auto where = kernels::find_non_finite(view)) {
    return fault(ErrorCode::kMalformed, file,
                 "tensor " + tensor.name + " is not finite at element " + std::to_string(*where));
  }
  const auto cols = static_cast<std::size_t>(view.cols);
  const std::size_t row_size = kernels::row_bytes(view.type, cols);
  std::vector<float> values(cols * static_cast<std::size_t>(view.rows));
  for (std::size_t row = 0; row < static_cast<std::size_t>(view.rows); ++row) {
    kernels::dequantize_row(view.type, view.bytes.subspan(row * row_size, row_size),
                            std::span(values).subspan(row * cols, cols));
  }
  return values;
}

Result<LoraDelta> read_delta(const GgufFile& file, const GgufTensor& a, const GgufTensor& b, double alpha) {
  LoraDelta delta;
  auto a_values = matrix_values(file, a);
  if (!a_values) return a_values.error();
  auto b_values = matrix_values(file, b);
  if (!b_values) return b_values.error();
  delta.cols = a.shape[0];
  delta.rank = a.shape[1];
  delta.rows = b.shape[1];
  if (delta.rank == 0 || b.shape[0] != delta.rank) {
    return fault(ErrorCode::kMalformed, file,
                 "tensor " + a.name + " has rank " + std::to_string(delta.rank) + ", " + b.name + " has " +
                     std::to_string(b.shape[0]));
  }
  delta.a = std::move(*a_values);
  delta.b = std::move(*b_values);
  const float scale = static_cast<float>(alpha / static_cast<double>(delta.rank));
  for (float& value : delta.b) value *= scale;
  return delta;
}

Result<void> read_rows(const GgufFile& file, LoraAdapter& adapter) {
  const GgufTensor* tensor = file.tensor(kRows);
  const GgufValue* value = file.find(kRowIds);
  if (tensor == nullptr && value == nullptr) return {};
  const auto* ids = value == nullptr ? nullptr : std::get_if<std::vector<std::int64_t>>(value);
  if (tensor == nullptr || ids == nullptr) {
    return fault(ErrorCode::kMalformed, file,
                 std::string(kRowIds) + " (an array of token ids) and tensor " + std::string(kRows) +
                     " must stand together");
  }
  auto values = matrix_values(file, *tensor);
  if (!values) return values.error();
  if (tensor->shape[1] != ids->size()) {
    return fault(ErrorCode::kMalformed, file,
                 std::string(kRowIds) + " has " + std::to_string(ids->size()) + " ids, tensor " +
                     std::string(kRows) + " has " + std::to_string(tensor->shape[1]) + " rows");
  }
  std::set<std::int64_t> seen;
  for (const std::int64_t id : *ids) {
    if (id < 0 || !seen.insert(id).second) {
      return fault(ErrorCode::kMalformed, file,
                   std::string(kRowIds) + " holds " + std::to_string(id) + (id < 0 ? "" : " twice"));
    }
  }
  adapter.row_ids = *ids;
  adapter.rows = std::move(*values);
  adapter.row_cols = tensor->shape[0];
  return {};
}

}  // namespace

Result<LoraAdapter> read_lora_adapter(const GgufFile& file) {
  LoraAdapter adapter;
  for (const auto& [key, wanted] : {std::pair{"general.type", "adapter"}, {"adapter.type", "lora"}}) {
    if (auto right = expect_text(file, key, wanted); !right) return right.error();
  }
  const auto architecture = file.string_at("general.architecture");
  if (!architecture) return architecture.error();
  adapter.architecture = *architecture;
  const auto alpha = file.number_at("adapter.lora.alpha");
  if (!alpha) return alpha.error();
  if (!std::isfinite(*alpha)) {
    return fault(ErrorCode::kMalformed, file, "adapter.lora.alpha is " + std::to_string(*alpha));
  }
  if (file.find("hearth.base.sha256") != nullptr) {
    const auto sha = file.string_at("hearth.base.sha256");
    if (!sha) return sha.error();
    adapter.base_sha256 = *sha;
  }
  for (const std::string& key : file.keys()) {
    if (key.starts_with("tokenizer.") || key == "hearth.fim.order") {
      adapter.metadata.emplace_back(key, *file.find(key));
    }
  }
  for (const GgufTensor& tensor : file.tensors()) {
    if (tensor.name == kRows) continue;
    const bool is_a = tensor.name.ends_with(kSuffixA);
    if (!is_a && !tensor.name.ends_with(kSuffixB)) {
      return fault(ErrorCode::kUnsupported, file,
                   "tensor " + tensor.name + " has no place in a LoRA adapter");
    }
    const std::string target = tensor.name.substr(0, tensor.name.size() - kSuffixA.size());
    const std::string partner_name = target + std::string(is_a ? kSuffixB : kSuffixA);
    const GgufTensor* partner = file.tensor(partner_name);
    if (partner == nullptr) {
      return fault(ErrorCode::kMalformed, file, "tensor " + tensor.name + " stands without " + partner_name);
    }
    if (!is_a) continue;
    auto delta = read_delta(file, tensor, *partner, *alpha);
    if (!delta) return delta.error();
    adapter.deltas.emplace(target, std::move(*delta));
  }
  if (auto rows = read_rows(file, adapter); !rows) return rows.error();
  return adapter;
}

}  // namespace hearth::engine
