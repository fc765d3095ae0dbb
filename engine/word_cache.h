// The words a tokenizer met lately and the tokens they came to, bounded. Thread-safe: whoever finds it
// taken by another thread goes without.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/tokenizer.h"

namespace hearth::engine {

class WordCache {
 public:
  // What one call of `encode` does with the cache; holds it until it goes out of scope.
  class Session {
   public:
    explicit Session(WordCache& cache) : cache_(cache), lock_(cache.mutex_, std::try_to_lock) {}

    // Appends the word's tokens: remembered ones, or what `encode(word, out)` appends.
    template <class Encode>
    void append(std::string_view word, std::vector<TokenId>& out, const Encode& encode) {
      if (!lock_.owns_lock() || word.size() > kMaxWordBytes) {
        encode(word, out);
        return;
      }
      auto it = cache_.words_.find(word);
      if (it == cache_.words_.end()) {
        if (cache_.words_.size() >= kMaxWords) cache_.words_.clear();
        std::vector<TokenId> tokens;
        encode(word, tokens);
        it = cache_.words_.emplace(std::string(word), std::move(tokens)).first;
      }
      out.insert(out.end(), it->second.begin(), it->second.end());
    }

   private:
    WordCache& cache_;
    std::unique_lock<std::mutex> lock_;
  };

 private:
  static constexpr std::size_t kMaxWords = 1 << 15;
  static constexpr std::size_t kMaxWordBytes = 64;  // longer ones hardly come back

  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };

  std::mutex mutex_;
  std::unordered_map<std::string, std::vector<TokenId>, Hash, std::equal_to<>> words_;  // under mutex_
};

}  // namespace hearth::engine
