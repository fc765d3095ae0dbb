// A low-rank adapter as llama.cpp reads it (general.type `adapter`, adapter.type `lora`): for a matrix W
// of the base, `W.lora_a` (rank, cols) and `W.lora_b` (rows, rank) stand for W + alpha / rank * b a.
// Hearth's own keys beside: `hearth.base.sha256` (the file it was trained on), `hearth.rows.ids` with
// tensor `hearth.rows.token_embd` (new embedding rows for these tokens), `hearth.fim.order`.
// Values of a file, checked on their own here; merging checks them against a base.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/error.h"
#include "engine/gguf.h"
#include "engine/gguf_writer.h"

namespace hearth::engine {

struct LoraDelta {
  std::uint64_t rows = 0, cols = 0, rank = 0;
  std::vector<float> a;  // (rank, cols)
  std::vector<float> b;  // (rows, rank), times alpha / rank
};

struct LoraAdapter {
  std::string architecture;
  std::string base_sha256;                  // empty where the file names none
  std::map<std::string, LoraDelta> deltas;  // by the base's tensor
  std::vector<std::int64_t> row_ids;        // tokens whose embedding is replaced
  std::vector<float> rows;                  // (row_ids, row_cols)
  std::uint64_t row_cols = 0;
  GgufMetadata metadata;  // tokenizer.* and hearth.fim.order: what the merged model says in the base's stead
};

// Everything dequantised; NaN and infinity are kMalformed.
Result<LoraAdapter> read_lora_adapter(const GgufFile& file);

}  // namespace hearth::engine
