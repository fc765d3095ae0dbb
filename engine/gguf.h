// A GGUF v3 file, read through mmap (github.com/ggml-org/ggml, docs/gguf.md). Every length, count and
// offset is checked against the file before it is used, so a truncated or lying file is an Error, never
// a crash. Immutable after `open`; any thread may read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/error.h"
#include "kernels/weight_type.h"

namespace hearth::engine {

// The tensor types that become weights, for messages.
inline constexpr const char* kWeightTypeNames = "F32, F16, BF16, Q8_0, Q5_0, Q4_0, Q4_1, Q4_K, Q5_K and Q6_K";

// Arrays of numbers are widened; arrays of arrays are refused.
using GgufValue = std::variant<std::uint64_t, std::int64_t, double, bool, std::string,
                               std::vector<std::int64_t>, std::vector<double>, std::vector<std::string>>;

struct GgufTensor {
  std::string name;
  std::uint32_t ggml_type = 0;  // as in the file; weight_type is empty for other types
  std::optional<kernels::WeightType> weight_type;
  std::vector<std::uint64_t> shape;  // innermost (contiguous) dimension first, 1 to 4 of them
  std::span<const std::byte> bytes;  // empty where weight_type is
};

class GgufFile {
 public:
  static Result<GgufFile> open(const std::filesystem::path& path);
  static Result<GgufFile> parse(std::span<const std::byte> bytes, std::string name);  // borrows the bytes

  GgufFile(GgufFile&&) noexcept;
  GgufFile& operator=(GgufFile&&) noexcept;
  ~GgufFile();

  const std::string& name() const;  // the path, for messages
  std::uint64_t size_bytes() const;
  std::uint64_t content_hash() const;  // XXH3 of all its bytes, which are read for it

  // Metadata in file order is kept in `keys()`. Typed getters give an Error that names file, key and
  // what was found when the key is absent or of another type; `find` gives nullptr when absent.
  const std::vector<std::string>& keys() const;
  const GgufValue* find(std::string_view key) const;
  Result<std::uint64_t> unsigned_at(std::string_view key) const;
  Result<double> number_at(std::string_view key) const;
  Result<std::string> string_at(std::string_view key) const;
  std::optional<bool> bool_at(std::string_view key) const;

  const std::vector<GgufTensor>& tensors() const;
  const GgufTensor* tensor(std::string_view name) const;

 private:
  struct Content;
  explicit GgufFile(std::unique_ptr<Content> content);
  std::unique_ptr<Content> content_;
};

}  // namespace hearth::engine
