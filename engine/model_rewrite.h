// Writes a model anew from another: other metadata, its matrices changed row by row and rounded to a
// type. The tensors stream through; the work is spread over a thread pool.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <stop_token>

#include "engine/error.h"
#include "engine/gguf.h"
#include "engine/gguf_writer.h"
#include "kernels/thread_pool.h"
#include "kernels/weight_type.h"

namespace hearth::engine {

struct ModelRewrite {
  GgufMetadata metadata;  // without general.file_type and general.quantization_version
  kernels::WeightType type = kernels::WeightType::kQ8_0;

  // Changes one dequantised row of a matrix in place; empty changes nothing. Several threads call it.
  std::function<void(const GgufTensor& tensor, std::uint64_t row, std::span<float> values)> change;

  // Told now and then how much is done.
  std::function<void(std::uint64_t bytes, std::uint64_t total)> progress;
};

// What `type` means for a tensor: vectors stay F32; with 5 bits and fewer the embedding and the head
// keep 8, as llama.cpp's quantiser has it; rows that are no whole number of blocks become F16.
kernels::WeightType tensor_type(const GgufTensor& tensor, kernels::WeightType type);

// `base` is a model that describe_model accepts. kMalformed where a changed weight is not finite or does
// not fit the type, kInvalid when stopped; then no file is left behind.
Result<void> rewrite_model(const GgufFile& base, const ModelRewrite& rewrite,
                           const std::filesystem::path& output, kernels::ThreadPool& threads,
                           std::stop_token stop);

}  // namespace hearth::engine
