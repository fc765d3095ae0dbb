// What is wrong with a model file's tokenizer: sizes, scores, merges, special ids, duplicates, bytes
// that byte fallback lacks. A pure function; any thread may call it.
#pragma once

#include <vector>

#include "engine/error.h"
#include "engine/gguf.h"

namespace hearth::engine {

// Each message names the file, the key and the value. At most a few of each kind are listed.
std::vector<Error> vocabulary_faults(const GgufFile& file);

}  // namespace hearth::engine
