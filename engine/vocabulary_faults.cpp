#include "engine/vocabulary_faults.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "engine/tokenizer.h"

namespace hearth::engine {
namespace {

constexpr std::size_t kMostOfAKind = 5;

class Faults {
 public:
  explicit Faults(const GgufFile& file) : file_(file) {}

  void add(const std::string& what) {
    faults_.push_back({ErrorCode::kMalformed, file_.name() + ": " + what});
  }

  // One of possibly many of `kind`; the rest are counted.
  void add_one_of(const std::string& kind, const std::string& what) {
    if (++counts_[kind] <= kMostOfAKind) add(what);
  }

  std::vector<Error> take() {
    for (const auto& [kind, count] : counts_) {
      if (count > kMostOfAKind) add("and " + std::to_string(count - kMostOfAKind) + " more " + kind);
    }
    return std::move(faults_);
  }

 private:
  const GgufFile& file_;
  std::vector<Error> faults_;
  std::unordered_map<std::string, std::size_t> counts_;
};

template <class T>
const T* value_of(const GgufFile& file, std::string_view key) {
  const GgufValue* value = file.find(key);
  return value == nullptr ? nullptr : std::get_if<T>(value);
}

using Ids = std::unordered_map<std::string_view, std::size_t>;

Ids check_tokens(const std::vector<std::string>& tokens, Faults& faults) {
  Ids ids;
  for (std::size_t id = 0; id < tokens.size(); ++id) {
    const auto [first, added] = ids.emplace(tokens[id], id);
    if (!added) {
      faults.add_one_of("duplicate tokens", "tokenizer.ggml.tokens has '" + tokens[id] + "' twice, as " +
                                                std::to_string(first->second) + " and " + std::to_string(id));
    }
  }
  return ids;
}

void check_types(const GgufFile& file, std::size_t tokens, Faults& faults) {
  if (file.find("tokenizer.ggml.token_type") == nullptr) return;
  const auto* types = value_of<std::vector<std::int64_t>>(file, "tokenizer.ggml.token_type");
  if (types == nullptr) return faults.add("tokenizer.ggml.token_type is no array of integers");
  if (types->size() != tokens) {
    faults.add("tokenizer.ggml.token_type has " + std::to_string(types->size()) + " entries, there are " +
               std::to_string(tokens) + " tokens");
  }
  for (std::size_t id = 0; id < types->size(); ++id) {
    if ((*types)[id] < 0 || (*types)[id] > 6) {
      faults.add_one_of("unknown token types", "tokenizer.ggml.token_type of token " + std::to_string(id) +
                                                   " is " + std::to_string((*types)[id]) +
                                                   ", must be 0 to 6");
    }
  }
}

void check_scores(const GgufFile& file, std::size_t tokens, Faults& faults) {
  const auto* scores = value_of<std::vector<double>>(file, "tokenizer.ggml.scores");
  if (scores == nullptr) return faults.add("tokenizer.ggml.scores is missing or no array of floats");
  if (scores->size() != tokens) {
    faults.add("tokenizer.ggml.scores has " + std::to_string(scores->size()) + " entries, there are " +
               std::to_string(tokens) + " tokens");
  }
  for (std::size_t id = 0; id < scores->size(); ++id) {
    if (!std::isfinite((*scores)[id])) {
      faults.add_one_of("scores that are not finite", "tokenizer.ggml.scores of token " + std::to_string(id) +
                                                          " is " + std::to_string((*scores)[id]));
    }
  }
}

// Byte fallback needs them all; byte-level vocabularies may leave out bytes that no text has.
void check_bytes(const Ids& ids, Faults& faults) {
  for (int byte = 0; byte < 256; ++byte) {
    char token[8];
    std::snprintf(token, sizeof token, "<0x%02X>", byte);
    if (!ids.contains(token)) {
      faults.add_one_of("bytes without a token", "tokenizer.ggml.tokens has no '" + std::string(token) + "'");
    }
  }
}

void check_merges(const GgufFile& file, const Ids& ids, Faults& faults) {
  const auto* merges = value_of<std::vector<std::string>>(file, "tokenizer.ggml.merges");
  if (merges == nullptr) return faults.add("tokenizer.ggml.merges is missing or no array of strings");
  for (std::size_t rank = 0; rank < merges->size(); ++rank) {
    const std::string& merge = (*merges)[rank];
    const std::string where = "tokenizer.ggml.merges[" + std::to_string(rank) + "] is '" + merge + "'";
    const std::size_t blank = merge.find(' ', 1);
    if (blank == std::string::npos || blank + 1 >= merge.size()) {
      faults.add_one_of("malformed merges", where + ", must be two pieces with a blank between them");
      continue;
    }
    const std::string left = merge.substr(0, blank), right = merge.substr(blank + 1);
    for (const std::string& piece : {left, right, left + right}) {
      if (!ids.contains(piece)) {
        faults.add_one_of("merges of unknown pieces", where + ", but '" + piece + "' is no token");
        break;
      }
    }
  }
}

void check_special_ids(const GgufFile& file, std::size_t tokens, Faults& faults) {
  for (const std::string& key : file.keys()) {
    if (!key.starts_with("tokenizer.ggml.") || !key.ends_with("_token_id")) continue;
    const auto id = file.unsigned_at(key);
    if (!id) {
      faults.add(key + " is no token id");
    } else if (*id >= tokens) {
      faults.add(key + " is " + std::to_string(*id) + ", there are " + std::to_string(tokens) + " tokens");
    }
  }
}

}  // namespace

std::vector<Error> vocabulary_faults(const GgufFile& file) {
  Faults faults(file);
  const auto* tokens = value_of<std::vector<std::string>>(file, "tokenizer.ggml.tokens");
  const auto* model = value_of<std::string>(file, "tokenizer.ggml.model");
  if (tokens == nullptr || tokens->empty())
    faults.add("tokenizer.ggml.tokens is missing, empty or no array of strings");
  if (model == nullptr) faults.add("tokenizer.ggml.model is missing or no string");
  if (tokens == nullptr || tokens->empty() || model == nullptr) return faults.take();

  const Ids ids = check_tokens(*tokens, faults);
  check_types(file, tokens->size(), faults);
  check_special_ids(file, tokens->size(), faults);
  if (*model == "llama") {
    check_scores(file, tokens->size(), faults);
    check_bytes(ids, faults);
  }
  if (*model == "gpt2") check_merges(file, ids, faults);
  std::vector<Error> found = faults.take();
  if (found.empty()) {
    if (auto tokenizer = Tokenizer::from_gguf(file); !tokenizer) found.push_back(tokenizer.error());
  }
  return found;
}

}  // namespace hearth::engine
