#include "engine/model_merge.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>

#include "engine/gguf.h"
#include "engine/lora_adapter.h"
#include "engine/model_rewrite.h"
#include "engine/model_shape.h"
#include "engine/sha256.h"

namespace hearth::engine {
namespace {

Error mismatch(const GgufFile& adapter, const GgufFile& base, const std::string& what) {
  return Error{ErrorCode::kMismatch,
               adapter.name() + ": " + what + ": this adapter does not belong to " + base.name()};
}

void set(GgufMetadata& metadata, std::string_view key, GgufValue value) {
  const auto found = std::ranges::find(metadata, key, &GgufMetadata::value_type::first);
  if (found != metadata.end()) {
    found->second = std::move(value);
  } else {
    metadata.emplace_back(key, std::move(value));
  }
}

// What the base says, but for what the writer decides.
GgufMetadata copy_metadata(const GgufFile& file) {
  GgufMetadata metadata;
  for (const std::string& key : file.keys()) {
    if (key == "general.alignment" || key == "general.file_type" || key == "general.quantization_version")
      continue;
    metadata.emplace_back(key, *file.find(key));
  }
  return metadata;
}

std::string output_name(const ModelOutput& output) {
  return output.name.empty() ? output.path.stem().string() : output.name;
}

// The base's chat template no longer fits, nor its name; what it was goes to general.base_model.*. A
// fill-in model begins with nothing and ends with the adapter's end of text, which BOS and padding
// become too, so that no program puts a chat marker before a prompt.
GgufMetadata merged_metadata(const GgufFile& base, const LoraAdapter& adapter, const ModelOutput& output) {
  GgufMetadata metadata = copy_metadata(base);
  const auto base_name = base.string_at("general.name");
  const auto organization = base.string_at("general.organization");
  std::erase_if(metadata, [](const auto& entry) {
    return entry.first.starts_with("tokenizer.chat_template") || entry.first == "general.organization";
  });
  set(metadata, "general.name", output_name(output));
  set(metadata, "general.base_model.count", std::uint64_t{1});
  if (base_name) set(metadata, "general.base_model.0.name", *base_name);
  if (organization) set(metadata, "general.base_model.0.organization", *organization);
  for (const auto& [key, value] : adapter.metadata) set(metadata, key, value);
  const auto end =
      std::ranges::find(adapter.metadata, "tokenizer.ggml.eos_token_id", &GgufMetadata::value_type::first);
  if (end != adapter.metadata.end()) {
    set(metadata, "tokenizer.ggml.bos_token_id", end->second);
    set(metadata, "tokenizer.ggml.padding_token_id", end->second);
  }
  return metadata;
}

std::optional<Error> belongs(const GgufFile& base, const std::string& base_sha256,
                             const ModelDescription& description, const GgufFile& adapter_file,
                             const LoraAdapter& adapter) {
  if (!adapter.base_sha256.empty() && adapter.base_sha256 != base_sha256) {
    return mismatch(adapter_file, base,
                    "hearth.base.sha256 is " + adapter.base_sha256 + ", the base has " + base_sha256);
  }
  if (adapter.architecture != description.architecture) {
    return mismatch(
        adapter_file, base,
        "general.architecture is " + adapter.architecture + ", the base has " + description.architecture);
  }
  for (const auto& [target, delta] : adapter.deltas) {
    const GgufTensor* tensor = base.tensor(target);
    if (tensor == nullptr) return mismatch(adapter_file, base, "the base has no tensor " + target);
    if (tensor->shape != std::vector{delta.cols, delta.rows}) {
      return mismatch(adapter_file, base,
                      "its change of tensor " + target + " has " + std::to_string(delta.rows) + " rows of " +
                          std::to_string(delta.cols) + ", not the base's shape");
    }
  }
  if (!adapter.row_ids.empty() && adapter.row_cols != static_cast<std::uint64_t>(description.shape.d_model)) {
    return mismatch(adapter_file, base,
                    "hearth.rows.token_embd has rows of " + std::to_string(adapter.row_cols) +
                        ", the base of " + std::to_string(description.shape.d_model));
  }
  for (const std::int64_t id : adapter.row_ids) {
    if (id >= description.shape.n_vocab) {
      return mismatch(adapter_file, base,
                      "hearth.rows.ids holds " + std::to_string(id) + ", the base has " +
                          std::to_string(description.shape.n_vocab) + " tokens");
    }
  }
  return std::nullopt;
}

// values += b[row] a. Several rows of `a` at once, so that the sums stay in registers.
void add_delta(const LoraDelta& delta, std::uint64_t row, std::span<float> values) {
  constexpr std::uint64_t kAtOnce = 8;
  std::vector<float> sums(values.size());
  const float* b = delta.b.data() + row * delta.rank;
  std::uint64_t r = 0;
  for (; r + kAtOnce <= delta.rank; r += kAtOnce) {
    const float* a = delta.a.data() + r * delta.cols;
    for (std::size_t col = 0; col < sums.size(); ++col) {
      float sum = sums[col];
      for (std::uint64_t k = 0; k < kAtOnce; ++k) sum += b[r + k] * a[k * delta.cols + col];
      sums[col] = sum;
    }
  }
  for (; r < delta.rank; ++r) {
    for (std::size_t col = 0; col < sums.size(); ++col) sums[col] += b[r] * delta.a[r * delta.cols + col];
  }
  for (std::size_t col = 0; col < sums.size(); ++col) values[col] += sums[col];
}

void change_row(const LoraAdapter& adapter, const GgufTensor& tensor, std::uint64_t row,
                std::span<float> values) {
  if (tensor.name == "token_embd.weight") {
    const auto found = std::ranges::find(adapter.row_ids, static_cast<std::int64_t>(row));
    if (found != adapter.row_ids.end()) {
      const auto index = static_cast<std::size_t>(found - adapter.row_ids.begin());
      std::ranges::copy(std::span(adapter.rows).subspan(index * adapter.row_cols, adapter.row_cols),
                        values.begin());
      return;
    }
  }
  if (const auto delta = adapter.deltas.find(tensor.name); delta != adapter.deltas.end()) {
    add_delta(delta->second, row, values);
  }
}

}  // namespace

Result<void> merge_model(const std::filesystem::path& base_path, const std::filesystem::path& adapter_path,
                         const ModelOutput& output, kernels::ThreadPool& threads, std::stop_token stop) {
  const auto base = GgufFile::open(base_path);
  if (!base) return base.error();
  const auto description = describe_model(*base);
  if (!description) return description.error();
  const auto adapter_file = GgufFile::open(adapter_path);
  if (!adapter_file) return adapter_file.error();
  const auto adapter = read_lora_adapter(*adapter_file);
  if (!adapter) return adapter.error();
  const auto base_sha256 = sha256_of_file(base_path, stop);
  if (!base_sha256) return base_sha256.error();
  const auto adapter_sha256 = sha256_of_file(adapter_path, stop);
  if (!adapter_sha256) return adapter_sha256.error();
  if (auto foreign = belongs(*base, *base_sha256, *description, *adapter_file, *adapter))
    return std::move(*foreign);

  ModelRewrite rewrite;
  rewrite.metadata = merged_metadata(*base, *adapter, output);
  set(rewrite.metadata, "hearth.base.sha256", *base_sha256);
  set(rewrite.metadata, "hearth.adapter.sha256", *adapter_sha256);
  rewrite.type = output.type;
  rewrite.change = [&](const GgufTensor& tensor, std::uint64_t row, std::span<float> values) {
    change_row(*adapter, tensor, row, values);
  };
  rewrite.progress = output.progress;
  return rewrite_model(*base, rewrite, output.path, threads, stop);
}

Result<void> quantize_model(const std::filesystem::path& model,
                            const std::vector<std::pair<std::string, std::string>>& metadata,
                            const ModelOutput& output, kernels::ThreadPool& threads, std::stop_token stop) {
  const auto file = GgufFile::open(model);
  if (!file) return file.error();
  if (const auto description = describe_model(*file); !description) return description.error();
  ModelRewrite rewrite;
  rewrite.metadata = copy_metadata(*file);
  if (!output.name.empty()) set(rewrite.metadata, "general.name", output.name);
  for (const auto& [key, value] : metadata) set(rewrite.metadata, key, value);
  rewrite.type = output.type;
  rewrite.progress = output.progress;
  return rewrite_model(*file, rewrite, output.path, threads, stop);
}

}  // namespace hearth::engine
