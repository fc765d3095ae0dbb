#include "engine/model_shape.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>

namespace hearth::engine {
namespace {

struct Architecture {
  enum class Biases : std::uint8_t { kNone, kMaybeQkv, kQkv, kAll };
  enum class HeadNorms : std::uint8_t { kNone, kQk };

  std::string_view name;
  kernels::RopeStyle rope;
  kernels::NormStyle norm;
  kernels::Activation activation;
  Biases biases;
  HeadNorms head_norms = HeadNorms::kNone;
};

using enum kernels::RopeStyle;
using enum kernels::NormStyle;
using enum kernels::Activation;
using Biases = Architecture::Biases;
using HeadNorms = Architecture::HeadNorms;

constexpr std::array kArchitectures = {
    Architecture{"llama", kAdjacent, kRms, kSiluGated, Biases::kMaybeQkv},
    Architecture{"qwen2", kHalfSplit, kRms, kSiluGated, Biases::kQkv},
    Architecture{"qwen3", kHalfSplit, kRms, kSiluGated, Biases::kNone, HeadNorms::kQk},
    Architecture{"starcoder2", kHalfSplit, kLayer, kGelu, Biases::kAll},
    Architecture{"arcee", kAdjacent, kRms, kReluSquared, Biases::kMaybeQkv},
};

// Which order other people's families were trained on, by the text of their prefix marker.
struct FimFamily {
  std::string_view prefix_marker, suffix_marker, middle_marker;
  FimOrder order;
};

constexpr std::array kFimFamilies = {
    FimFamily{"<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>", FimOrder::kPrefixFirst},  // Qwen Coder
    FimFamily{"<fim_prefix>", "<fim_suffix>", "<fim_middle>", FimOrder::kPrefixFirst},  // StarCoder, Refact
    FimFamily{"<fim-prefix>", "<fim-suffix>", "<fim-middle>", FimOrder::kPrefixFirst},  // SantaCoder
    FimFamily{"<｜fim▁begin｜>", "<｜fim▁hole｜>", "<｜fim▁end｜>",
              FimOrder::kPrefixFirst},                                // DeepSeek Coder
    FimFamily{"▁<PRE>", "▁<SUF>", "▁<MID>", FimOrder::kPrefixFirst},  // Code Llama
};

constexpr std::uint64_t kLargestDimension = 1 << 24;
constexpr std::uint64_t kMostLayers = 4096;

const Architecture* find_architecture(std::string_view name) {
  const auto* found = std::ranges::find(kArchitectures, name, &Architecture::name);
  return found == kArchitectures.end() ? nullptr : found;
}

std::string architecture_names() {
  std::string names;
  for (const Architecture& architecture : kArchitectures) {
    const bool last = &architecture == &kArchitectures.back();
    names += (names.empty() ? "" : last ? " and " : ", ") + std::string(architecture.name);
  }
  return names;
}

Error fault(ErrorCode code, const GgufFile& file, const std::string& what) {
  return Error{code, file.name() + ": " + what};
}

Error bad_value(const GgufFile& file, const std::string& key, const std::string& value,
                const std::string& must) {
  return fault(ErrorCode::kMalformed, file, key + " is " + value + ", must be " + must);
}

Result<int> dimension_at(const GgufFile& file, const std::string& key,
                         std::uint64_t largest = kLargestDimension) {
  const auto value = file.unsigned_at(key);
  if (!value) return value.error();
  if (*value == 0 || *value > largest) {
    return bad_value(file, key, std::to_string(*value), "1 to " + std::to_string(largest));
  }
  return static_cast<int>(*value);
}

Result<int> dimension_or(const GgufFile& file, const std::string& key, int fallback) {
  if (file.find(key) == nullptr) return fallback;
  return dimension_at(file, key);
}

Result<float> positive_at(const GgufFile& file, const std::string& key) {
  const auto value = file.number_at(key);
  if (!value) return value.error();
  if (!std::isfinite(*value) || *value <= 0) {
    return bad_value(file, key, std::to_string(*value), "a finite number above 0");
  }
  return static_cast<float>(*value);
}

Result<float> position_scale(const GgufFile& file, const std::string& rope) {
  const std::string type_key = rope + "scaling.type";
  if (file.find(type_key) != nullptr) {
    const auto type = file.string_at(type_key);
    if (!type) return type.error();
    if (*type == "none") return 1.0f;
    if (*type != "linear") {
      return fault(ErrorCode::kUnsupported, file,
                   type_key + " is '" + *type + "', known are none and linear");
    }
  }
  for (const std::string& key : {rope + "scaling.factor", rope + "scale_linear"}) {
    if (file.find(key) == nullptr) continue;
    const auto number = file.number_at(key);
    if (!number) return number.error();
    if (*number == 0) return 1.0f;  // llama.cpp's word for "not scaled"
    const auto factor = positive_at(file, key);
    if (!factor) return factor.error();
    return 1.0f / *factor;
  }
  return 1.0f;
}

Result<std::vector<float>> frequency_factors(const GgufFile& file, int dimensions) {
  const GgufTensor* tensor = file.tensor("rope_freqs.weight");
  if (tensor == nullptr) return std::vector<float>{};
  const std::size_t count = static_cast<std::size_t>(dimensions) / 2;
  if (tensor->weight_type != kernels::WeightType::kF32 ||
      tensor->shape != std::vector<std::uint64_t>{count}) {
    return fault(ErrorCode::kMalformed, file,
                 "tensor rope_freqs.weight must be F32 of " + std::to_string(count) + " elements");
  }
  std::vector<float> factors(count);
  std::memcpy(factors.data(), tensor->bytes.data(), count * sizeof(float));
  for (const float factor : factors) {
    if (!std::isfinite(factor) || factor <= 0) {
      return fault(ErrorCode::kMalformed, file, "tensor rope_freqs.weight holds " + std::to_string(factor));
    }
  }
  return factors;
}

Result<kernels::RopeParameters> rope_parameters(const GgufFile& file, const Architecture& architecture,
                                                int head_dim) {
  const std::string prefix = std::string(architecture.name) + ".rope.";
  kernels::RopeParameters rope;
  rope.style = architecture.rope;
  const auto dimensions = dimension_or(file, prefix + "dimension_count", head_dim);
  if (!dimensions) return dimensions.error();
  if (*dimensions > head_dim || *dimensions % 2 != 0) {
    return bad_value(file, prefix + "dimension_count", std::to_string(*dimensions),
                     "even and at most the head's size, " + std::to_string(head_dim));
  }
  rope.dimensions = *dimensions;
  if (file.find(prefix + "freq_base") != nullptr) {
    const auto base = positive_at(file, prefix + "freq_base");
    if (!base) return base.error();
    rope.base = *base;
  }
  const auto scale = position_scale(file, prefix);
  if (!scale) return scale.error();
  rope.position_scale = *scale;
  auto factors = frequency_factors(file, rope.dimensions);
  if (!factors) return factors.error();
  rope.frequency_factors = std::move(*factors);
  return rope;
}

Result<int> head_size(const GgufFile& file, const std::string& prefix, const kernels::ModelShape& shape) {
  const std::string key = prefix + "attention.key_length";
  const std::string value = prefix + "attention.value_length";
  if (file.find(key) == nullptr) {
    if (shape.d_model % shape.n_heads != 0) {
      return bad_value(file, prefix + "attention.head_count", std::to_string(shape.n_heads),
                       "a divisor of " + prefix + "embedding_length, " + std::to_string(shape.d_model));
    }
    return shape.d_model / shape.n_heads;
  }
  const auto key_length = dimension_at(file, key, 4096);
  if (!key_length) return key_length.error();
  const auto value_length = dimension_or(file, value, *key_length);
  if (!value_length) return value_length.error();
  if (*key_length != *value_length) {
    return fault(ErrorCode::kUnsupported, file,
                 value + " is " + std::to_string(*value_length) + ", only the same as " + key + ", " +
                     std::to_string(*key_length) + ", is supported");
  }
  return *key_length;
}

bool names_fim_markers(const GgufFile& file) {
  for (const char* marker : {"fim_pre", "fim_suf", "fim_mid"}) {
    if (file.find("tokenizer.ggml." + std::string(marker) + "_token_id") == nullptr) return false;
  }
  return true;
}

Result<FimOrder> fim_order(const GgufFile& file) {
  if (file.find("hearth.fim.order") != nullptr) {
    const auto order = file.string_at("hearth.fim.order");
    if (!order) return order.error();
    for (const FimOrder known : {FimOrder::kNone, FimOrder::kSuffixFirst, FimOrder::kPrefixFirst}) {
      if (*order == name(known)) return known;
    }
    return bad_value(file, "hearth.fim.order", "'" + *order + "'", "none, spm or psm");
  }
  const GgufValue* value = file.find("tokenizer.ggml.tokens");
  const auto* tokens = value == nullptr ? nullptr : std::get_if<std::vector<std::string>>(value);
  if (tokens != nullptr) {
    const auto has = [&](std::string_view text) { return std::ranges::find(*tokens, text) != tokens->end(); };
    for (const FimFamily& family : kFimFamilies) {
      if (has(family.prefix_marker) && has(family.suffix_marker) && has(family.middle_marker))
        return family.order;
    }
  }
  return names_fim_markers(file) ? FimOrder::kPrefixFirst : FimOrder::kNone;
}

Result<int> vocabulary_size(const GgufFile& file) {
  const GgufTensor* embedding = file.tensor("token_embd.weight");
  if (embedding == nullptr) {
    return fault(file.tensors().empty() ? ErrorCode::kUnsupported : ErrorCode::kMalformed, file,
                 file.tensors().empty() ? "holds no tensors (a vocabulary only?)"
                                        : "tensor token_embd.weight is missing");
  }
  if (embedding->shape.size() != 2 || embedding->shape[1] == 0 || embedding->shape[1] > kLargestDimension) {
    return fault(ErrorCode::kMalformed, file, "tensor token_embd.weight is not a matrix with a row a token");
  }
  const std::uint64_t rows = embedding->shape[1];
  const GgufValue* value = file.find("tokenizer.ggml.tokens");
  const auto* tokens = value == nullptr ? nullptr : std::get_if<std::vector<std::string>>(value);
  if (tokens != nullptr && tokens->size() != rows) {
    return fault(ErrorCode::kMismatch, file,
                 "tokenizer.ggml.tokens has " + std::to_string(tokens->size()) +
                     " entries, tensor token_embd.weight " + std::to_string(rows) + " rows");
  }
  return static_cast<int>(rows);
}

std::string shape_text(std::span<const std::uint64_t> shape) {
  std::string text;
  for (const std::uint64_t extent : shape) text += (text.empty() ? "" : " x ") + std::to_string(extent);
  return text;
}

std::optional<Error> tensor_fault(const GgufFile& file, const GgufTensor& tensor,
                                  const ExpectedTensor& expected) {
  const bool vector = expected.cols == 0;
  const std::vector<std::uint64_t> shape =
      vector ? std::vector{expected.rows} : std::vector{expected.cols, expected.rows};
  if (tensor.shape != shape) {
    return fault(
        ErrorCode::kMalformed, file,
        "tensor " + tensor.name + " is " + shape_text(tensor.shape) + ", must be " + shape_text(shape));
  }
  if (!tensor.weight_type) {
    return fault(ErrorCode::kUnsupported, file,
                 "tensor " + tensor.name + " has ggml type " + std::to_string(tensor.ggml_type) +
                     ", supported are " + kWeightTypeNames);
  }
  if (vector && *tensor.weight_type != kernels::WeightType::kF32) {
    return fault(ErrorCode::kUnsupported, file,
                 "tensor " + tensor.name + " is " + kernels::name(*tensor.weight_type) + ", must be F32");
  }
  return std::nullopt;
}

}  // namespace

const char* name(FimOrder order) {
  switch (order) {
    case FimOrder::kNone: return "none";
    case FimOrder::kSuffixFirst: return "spm";
    case FimOrder::kPrefixFirst: return "psm";
  }
  return "";
}

std::vector<ExpectedTensor> expected_tensors(const ModelDescription& description) {
  using Need = ExpectedTensor::Need;
  const kernels::ModelShape& shape = description.shape;
  const Architecture& architecture = *find_architecture(description.architecture);
  const std::uint64_t d = shape.d_model, ffn = shape.d_ffn, vocabulary = shape.n_vocab;
  const std::uint64_t q = std::uint64_t{1} * shape.n_heads * shape.head_dim;
  const std::uint64_t kv = std::uint64_t{1} * shape.n_kv_heads * shape.head_dim;

  std::vector<ExpectedTensor> tensors = {{"token_embd.weight", vocabulary, d}};
  const auto add_norm = [&](const std::string& name) {
    tensors.push_back({name + ".weight", d, 0});
    if (shape.norm == kLayer) tensors.push_back({name + ".bias", d, 0});
  };
  const auto add_bias = [&](const std::string& name, std::uint64_t rows) {
    if (architecture.biases == Biases::kAll) tensors.push_back({name + ".bias", rows, 0});
  };
  for (int layer = 0; layer < shape.n_layers; ++layer) {
    const std::string block = "blk." + std::to_string(layer) + ".";
    add_norm(block + "attn_norm");
    tensors.push_back({block + "attn_q.weight", q, d});
    tensors.push_back({block + "attn_k.weight", kv, d});
    tensors.push_back({block + "attn_v.weight", kv, d});
    if (architecture.biases != Biases::kNone) {
      const Need need = architecture.biases == Biases::kMaybeQkv ? Need::kOptional : Need::kRequired;
      tensors.push_back({block + "attn_q.bias", q, 0, need});
      tensors.push_back({block + "attn_k.bias", kv, 0, need});
      tensors.push_back({block + "attn_v.bias", kv, 0, need});
    }
    if (architecture.head_norms == HeadNorms::kQk) {
      const auto head = static_cast<std::uint64_t>(shape.head_dim);
      tensors.push_back({block + "attn_q_norm.weight", head, 0});
      tensors.push_back({block + "attn_k_norm.weight", head, 0});
    }
    tensors.push_back({block + "attn_output.weight", d, q});
    add_bias(block + "attn_output", d);
    add_norm(block + "ffn_norm");
    if (shape.activation == kSiluGated) tensors.push_back({block + "ffn_gate.weight", ffn, d});
    tensors.push_back({block + "ffn_up.weight", ffn, d});
    add_bias(block + "ffn_up", ffn);
    tensors.push_back({block + "ffn_down.weight", d, ffn});
    add_bias(block + "ffn_down", d);
  }
  add_norm("output_norm");
  tensors.push_back({"output.weight", vocabulary, d, Need::kOptional});
  tensors.push_back(
      {"rope_freqs.weight", static_cast<std::uint64_t>(shape.rope.dimensions) / 2, 0, Need::kOptional});
  return tensors;
}

Result<ModelDescription> describe_metadata(const GgufFile& file) {
  ModelDescription description;
  if (const auto type = file.string_at("general.type"); type && *type != "model") {
    return fault(ErrorCode::kUnsupported, file, "general.type is '" + *type + "', a model is wanted");
  }
  const auto architecture_name = file.string_at("general.architecture");
  if (!architecture_name) return architecture_name.error();
  const Architecture* architecture = find_architecture(*architecture_name);
  if (architecture == nullptr) {
    return fault(
        ErrorCode::kUnsupported, file,
        "general.architecture is '" + *architecture_name + "', supported are " + architecture_names());
  }
  description.architecture = *architecture_name;
  const auto model_name = file.string_at("general.name");
  description.name = model_name ? *model_name : std::filesystem::path(file.name()).stem().string();

  const std::string prefix = *architecture_name + ".";
  kernels::ModelShape& shape = description.shape;
  struct Field {
    const char* key;
    int* target;
    std::uint64_t largest;
  };
  for (const Field& field : {Field{"block_count", &shape.n_layers, kMostLayers},
                             Field{"embedding_length", &shape.d_model, kLargestDimension},
                             Field{"feed_forward_length", &shape.d_ffn, kLargestDimension},
                             Field{"context_length", &shape.max_positions, kLargestDimension},
                             Field{"attention.head_count", &shape.n_heads, 4096}}) {
    const auto value = dimension_at(file, prefix + field.key, field.largest);
    if (!value) return value.error();
    *field.target = *value;
  }
  const std::string kv_key = prefix + "attention.head_count_kv";
  const auto kv_heads = dimension_or(file, kv_key, shape.n_heads);
  if (!kv_heads) return kv_heads.error();
  shape.n_kv_heads = *kv_heads;
  if (shape.n_heads % shape.n_kv_heads != 0) {
    return bad_value(file, kv_key, std::to_string(shape.n_kv_heads),
                     "a divisor of " + prefix + "attention.head_count, " + std::to_string(shape.n_heads));
  }
  const auto experts = file.unsigned_at(prefix + "expert_count");
  if (experts && *experts > 0) {
    return fault(
        ErrorCode::kUnsupported, file,
        prefix + "expert_count is " + std::to_string(*experts) + ", mixtures of experts are not supported");
  }
  const auto head_dim = head_size(file, prefix, shape);
  if (!head_dim) return head_dim.error();
  shape.head_dim = *head_dim;
  shape.norm = architecture->norm;
  const char* epsilon_key =
      shape.norm == kLayer ? "attention.layer_norm_epsilon" : "attention.layer_norm_rms_epsilon";
  const auto epsilon = positive_at(file, prefix + epsilon_key);
  if (!epsilon) return epsilon.error();
  shape.norm_epsilon = *epsilon;
  shape.activation = architecture->activation;
  auto rope = rope_parameters(file, *architecture, shape.head_dim);
  if (!rope) return rope.error();
  shape.rope = std::move(*rope);
  const auto vocabulary = vocabulary_size(file);
  if (!vocabulary) return vocabulary.error();
  shape.n_vocab = *vocabulary;
  description.tied_output = file.tensor("output.weight") == nullptr;
  const auto order = fim_order(file);
  if (!order) return order.error();
  description.fim_order = *order;
  return description;
}

std::vector<Error> tensor_faults(const GgufFile& file, const ModelDescription& description) {
  std::vector<Error> faults;
  std::map<std::string, ExpectedTensor, std::less<>> known;
  for (ExpectedTensor& expected : expected_tensors(description)) {
    const GgufTensor* tensor = file.tensor(expected.name);
    if (tensor == nullptr) {
      if (expected.need == ExpectedTensor::Need::kRequired) {
        faults.push_back(fault(ErrorCode::kMalformed, file, "tensor " + expected.name + " is missing"));
      }
    } else if (auto wrong = tensor_fault(file, *tensor, expected)) {
      faults.push_back(std::move(*wrong));
    }
    known.emplace(expected.name, std::move(expected));
  }
  for (const GgufTensor& tensor : file.tensors()) {
    if (!known.contains(tensor.name)) {
      faults.push_back(fault(ErrorCode::kUnsupported, file,
                             "tensor " + tensor.name + " has no place in a " + description.architecture +
                                 " model of " + std::to_string(description.shape.n_layers) + " layers"));
    }
  }
  return faults;
}

Result<ModelDescription> describe_model(const GgufFile& file) {
  auto description = describe_metadata(file);
  if (!description) return description;
  auto faults = tensor_faults(file, *description);
  if (!faults.empty()) return std::move(faults.front());
  return description;
}

kernels::MatrixView matrix_view(const GgufTensor& tensor) {
  kernels::MatrixView view;
  view.type = *tensor.weight_type;
  view.cols = static_cast<int>(tensor.shape[0]);
  view.rows = tensor.shape.size() < 2 ? 1 : static_cast<int>(tensor.shape[1]);
  view.bytes = tensor.bytes;
  return view;
}

}  // namespace hearth::engine
