// Builds GGUF v3 files in memory for tests, byte by byte from the format's description, independent of
// the writer and the reader that the product uses. Nothing is checked: a test may build nonsense.
#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace hearth::testing {

class GgufBuilder {
 public:
  std::uint32_t version = 3;
  std::uint64_t alignment = 32;  // of the layout; the key is the caller's to add

  // bool, float, double, integers by their own width, anything that makes a string_view, and vectors.
  template <class T>
  GgufBuilder& key(std::string_view name, const T& value) {
    ++key_count_;
    put_string(keys_, name);
    put_typed(value);
    return *this;
  }

  // `shape` innermost dimension first. Tensors lie in the order they are added.
  GgufBuilder& tensor(std::string_view name, std::vector<std::uint64_t> shape, std::uint32_t ggml_type,
                      std::span<const std::byte> bytes) {
    data_.resize((data_.size() + alignment - 1) / alignment * alignment, '\0');
    return tensor_at(name, shape, ggml_type, data_.size(), bytes);
  }

  GgufBuilder& f32_tensor(std::string_view name, std::vector<std::uint64_t> shape,
                          const std::vector<float>& values) {
    return tensor(name, std::move(shape), 0, std::as_bytes(std::span(values)));
  }

  // The same with an offset that need not be true; the bytes are appended where the data ends.
  GgufBuilder& tensor_at(std::string_view name, const std::vector<std::uint64_t>& shape,
                         std::uint32_t ggml_type, std::uint64_t offset, std::span<const std::byte> bytes) {
    ++tensor_count_;
    put_string(tensors_, name);
    put(tensors_, static_cast<std::uint32_t>(shape.size()));
    for (const std::uint64_t extent : shape) put(tensors_, extent);
    put(tensors_, ggml_type);
    put(tensors_, offset);
    data_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return *this;
  }

  std::string build() const {
    std::string out = "GGUF";
    put(out, version);
    put(out, tensor_count_);
    put(out, key_count_);
    out += keys_ + tensors_;
    if (tensor_count_ > 0) out.resize((out.size() + alignment - 1) / alignment * alignment, '\0');
    return out + data_;
  }

  void write(const std::filesystem::path& path) const { std::ofstream(path, std::ios::binary) << build(); }

 private:
  template <class T>
  static constexpr std::uint32_t type_id() {
    if constexpr (std::is_same_v<T, bool>)
      return 7;
    else if constexpr (std::is_same_v<T, float>)
      return 6;
    else if constexpr (std::is_same_v<T, double>)
      return 12;
    else if constexpr (!std::is_integral_v<T>)
      return 8;
    else if constexpr (sizeof(T) == 1)
      return std::is_signed_v<T> ? 1 : 0;
    else if constexpr (sizeof(T) == 2)
      return std::is_signed_v<T> ? 3 : 2;
    else if constexpr (sizeof(T) == 4)
      return std::is_signed_v<T> ? 5 : 4;
    else
      return std::is_signed_v<T> ? 11 : 10;
  }

  template <class T>
  static void put(std::string& out, const T& value) {
    if constexpr (std::is_arithmetic_v<T>) {
      out.append(reinterpret_cast<const char*>(&value), sizeof value);
    } else {
      put_string(out, value);
    }
  }

  static void put_string(std::string& out, std::string_view text) {
    put(out, static_cast<std::uint64_t>(text.size()));
    out += text;
  }

  template <class T>
  void put_typed(const T& value) {
    put(keys_, type_id<T>());
    put(keys_, value);
  }

  template <class T>
  void put_typed(const std::vector<T>& values) {
    put(keys_, std::uint32_t{9});
    put(keys_, type_id<T>());
    put(keys_, static_cast<std::uint64_t>(values.size()));
    for (const auto& value : values) put(keys_, value);
  }

  std::string keys_, tensors_, data_;
  std::uint64_t key_count_ = 0;
  std::uint64_t tensor_count_ = 0;
};

}  // namespace hearth::testing
