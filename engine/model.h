// A model ready to run: description and tokenizer from its file, weights packed by a device.
// Immutable after `load` but for the device's own state; `run` belongs to the engine's thread.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "engine/error.h"
#include "engine/gguf.h"
#include "engine/kv_type.h"
#include "engine/model_shape.h"
#include "engine/tokenizer.h"
#include "kernels/device.h"

namespace hearth::engine {

class Model {
 public:
  // `device` outlives the model. `progress` is told the share that is loaded (0 to 1); when it answers
  // false, loading ends as an Error.
  static Result<std::unique_ptr<Model>> load(const std::filesystem::path& path, kernels::Device& device,
                                             const std::function<bool(double)>& progress,
                                             KvType kv_type = KvType::kAuto);
  static Result<std::unique_ptr<Model>> load(const GgufFile& file, kernels::Device& device,
                                             const std::function<bool(double)>& progress,
                                             KvType kv_type = KvType::kAuto);

  const ModelDescription& description() const { return description_; }
  const Tokenizer& tokenizer() const { return *tokenizer_; }
  kernels::Device& device() const { return device_; }
  std::unique_ptr<kernels::PagePool> make_page_pool(int pages) const;

  // One forward pass over the step's rows, answering `queries`. `interrupted` is asked between the
  // operations of a layer; once it says true the pass ends with nullopt and the KV it wrote is void.
  std::optional<std::vector<kernels::HeadAnswer>> run(const kernels::Step& step,
                                                      std::span<const kernels::HeadQuery> queries,
                                                      kernels::PagePool& pages, kernels::Workspace& workspace,
                                                      const std::function<bool()>& interrupted) const;

 private:
  Model(kernels::Device& device, kernels::PageFormat page_format, ModelDescription description,
        std::unique_ptr<const Tokenizer> tokenizer)
      : device_(device),
        page_format_(page_format),
        description_(std::move(description)),
        tokenizer_(std::move(tokenizer)) {}

  kernels::Device& device_;
  kernels::PageFormat page_format_;
  ModelDescription description_;
  std::unique_ptr<const Tokenizer> tokenizer_;
  std::unique_ptr<kernels::PackedMatrix> embedding_;
  std::unique_ptr<kernels::PackedMatrix> separate_output_;  // null when the head is the embedding
  std::vector<std::unique_ptr<kernels::PackedLayer>> layers_;
  std::vector<float> output_norm_, output_norm_bias_;  // (d_model); the second may be empty
};

}  // namespace hearth::engine
