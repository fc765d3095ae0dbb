// Writes a GGUF v3 file (github.com/ggml-org/ggml, docs/gguf.md): the header at once, then the tensors'
// bytes as they come, so that no more than a piece of a tensor need be in memory. The file appears
// whole at `finish` or not at all. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/atomic_file.h"
#include "engine/error.h"
#include "engine/gguf.h"
#include "kernels/weight_type.h"

namespace hearth::engine {

// In file order. Numbers take the narrowest of the types that readers expect: UINT32, INT32 or FLOAT32
// where the value fits exactly, their 64-bit kin otherwise; arrays alike.
using GgufMetadata = std::vector<std::pair<std::string, GgufValue>>;

struct GgufTensorPlan {
  std::string name;
  kernels::WeightType type = kernels::WeightType::kF32;
  std::vector<std::uint64_t> shape;  // innermost dimension first; a whole number of blocks

  std::uint64_t bytes() const;
};

// The number that stands for a type in a GGUF file.
std::uint32_t ggml_type(kernels::WeightType type);

class GgufWriter {
 public:
  // `metadata` must not hold general.alignment: tensors are aligned to the default, 32.
  static Result<GgufWriter> create(const std::filesystem::path& target, const GgufMetadata& metadata,
                                   std::vector<GgufTensorPlan> tensors);

  // The next bytes of the tensors, in their order. A piece lies within one tensor.
  Result<void> write(std::span<const std::byte> bytes);

  // Every tensor must be complete.
  Result<void> finish();

 private:
  GgufWriter(AtomicFile file, std::vector<GgufTensorPlan> tensors);
  Result<void> pad();

  AtomicFile file_;
  std::vector<GgufTensorPlan> tensors_;
  std::size_t current_ = 0;          // the tensor being written
  std::uint64_t current_bytes_ = 0;  // how much of it is
};

}  // namespace hearth::engine
