// What a model file says it is, checked against what its architecture demands: the one place that
// knows the metadata keys and the tensors of llama, qwen2, qwen3, starcoder2 and arcee files. Loading and
// verifying share it. Pure functions of a GgufFile; any thread may call them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/error.h"
#include "engine/gguf.h"
#include "kernels/device.h"

namespace hearth::engine {

// The order a model was trained to see the text around the cursor in (DESIGN.md section 4).
enum class FimOrder : std::uint8_t {
  kNone,         // plain continuation only
  kSuffixFirst,  // "spm"
  kPrefixFirst,  // "psm"
};

const char* name(FimOrder order);

struct ModelDescription {
  std::string name;          // general.name, else the file's name
  std::string architecture;  // "llama", "qwen2", "qwen3", "starcoder2", "arcee"
  kernels::ModelShape shape;
  bool tied_output = true;  // no output.weight: the head is token_embd.weight
  FimOrder fim_order = FimOrder::kNone;
};

// A tensor that an architecture has. Matrices are (rows, cols) as kernels::MatrixView has them; vectors
// have cols == 0 and are F32.
struct ExpectedTensor {
  std::string name;
  std::uint64_t rows = 0;
  std::uint64_t cols = 0;
  enum class Need : std::uint8_t { kRequired, kOptional } need = Need::kRequired;
};

// Every tensor a file of this description may have, in a model's order.
std::vector<ExpectedTensor> expected_tensors(const ModelDescription& description);

// The metadata alone, with frequency factors where the file has them. The vocabulary's size is the
// number of rows of token_embd.weight. The Error names file, key and value.
Result<ModelDescription> describe_metadata(const GgufFile& file);

// Tensors that are missing, misshapen, of a type nothing here reads, or unknown to the architecture.
std::vector<Error> tensor_faults(const GgufFile& file, const ModelDescription& description);

// Metadata and tensors: what loading needs. The first fault is the Error.
Result<ModelDescription> describe_model(const GgufFile& file);

// The view of a tensor that tensor_faults has nothing against.
kernels::MatrixView matrix_view(const GgufTensor& tensor);

}  // namespace hearth::engine
