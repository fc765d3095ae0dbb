#include "engine/gguf_writer.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <limits>
#include <type_traits>

namespace hearth::engine {
namespace {

static_assert(std::endian::native == std::endian::little, "GGUF is written as it lies in memory");

constexpr std::uint64_t kAlignment = 32;

enum class ValueType : std::uint32_t {
  kUint32 = 4,
  kInt32 = 5,
  kFloat32 = 6,
  kBool = 7,
  kString = 8,
  kArray = 9,
  kUint64 = 10,
  kInt64 = 11,
  kFloat64 = 12,
};

std::uint64_t aligned(std::uint64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

bool fits_int32(std::int64_t value) {
  return value >= std::numeric_limits<std::int32_t>::min() &&
         value <= std::numeric_limits<std::int32_t>::max();
}

// NaN fits: verify, not the writer, objects to it.
bool fits_float(double value) {
  return value != value || static_cast<double>(static_cast<float>(value)) == value;
}

class Buffer {
 public:
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void put(T value) {
    const std::size_t at = bytes_.size();
    bytes_.resize(at + sizeof value);
    std::memcpy(bytes_.data() + at, &value, sizeof value);
  }
  void put_string(const std::string& text) {
    put(std::uint64_t{text.size()});
    const auto bytes = std::as_bytes(std::span(text));
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  void put_array_head(ValueType type, std::size_t count) {
    put(ValueType::kArray);
    put(type);
    put(std::uint64_t{count});
  }
  void align() { bytes_.resize(aligned(bytes_.size())); }
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

struct ValueWriter {
  Buffer& buffer;

  void operator()(std::uint64_t value) const {
    if (value <= std::numeric_limits<std::uint32_t>::max()) {
      tagged(ValueType::kUint32, static_cast<std::uint32_t>(value));
    } else {
      tagged(ValueType::kUint64, value);
    }
  }
  void operator()(std::int64_t value) const {
    if (fits_int32(value)) {
      tagged(ValueType::kInt32, static_cast<std::int32_t>(value));
    } else {
      tagged(ValueType::kInt64, value);
    }
  }
  void operator()(double value) const {
    if (fits_float(value)) {
      tagged(ValueType::kFloat32, static_cast<float>(value));
    } else {
      tagged(ValueType::kFloat64, value);
    }
  }
  void operator()(bool value) const { tagged(ValueType::kBool, static_cast<std::uint8_t>(value)); }
  void operator()(const std::string& value) const {
    buffer.put(ValueType::kString);
    buffer.put_string(value);
  }
  void operator()(const std::vector<std::int64_t>& values) const {
    const bool narrow = std::ranges::all_of(values, fits_int32);
    buffer.put_array_head(narrow ? ValueType::kInt32 : ValueType::kInt64, values.size());
    for (const std::int64_t value : values)
      narrow ? buffer.put(static_cast<std::int32_t>(value)) : buffer.put(value);
  }
  void operator()(const std::vector<double>& values) const {
    const bool narrow = std::ranges::all_of(values, fits_float);
    buffer.put_array_head(narrow ? ValueType::kFloat32 : ValueType::kFloat64, values.size());
    for (const double value : values) narrow ? buffer.put(static_cast<float>(value)) : buffer.put(value);
  }
  void operator()(const std::vector<std::string>& values) const {
    buffer.put_array_head(ValueType::kString, values.size());
    for (const std::string& value : values) buffer.put_string(value);
  }

 private:
  template <class T>
  void tagged(ValueType type, T value) const {
    buffer.put(type);
    buffer.put(value);
  }
};

Buffer header(const GgufMetadata& metadata, const std::vector<GgufTensorPlan>& tensors) {
  Buffer buffer;
  for (const char letter : {'G', 'G', 'U', 'F'}) buffer.put(letter);
  buffer.put(std::uint32_t{3});
  buffer.put(std::uint64_t{tensors.size()});
  buffer.put(std::uint64_t{metadata.size()});
  for (const auto& [key, value] : metadata) {
    buffer.put_string(key);
    std::visit(ValueWriter{buffer}, value);
  }
  std::uint64_t offset = 0;
  for (const GgufTensorPlan& tensor : tensors) {
    buffer.put_string(tensor.name);
    buffer.put(static_cast<std::uint32_t>(tensor.shape.size()));
    for (const std::uint64_t extent : tensor.shape) buffer.put(extent);
    buffer.put(ggml_type(tensor.type));
    buffer.put(offset);
    offset += aligned(tensor.bytes());
  }
  buffer.align();
  return buffer;
}

}  // namespace

std::uint64_t GgufTensorPlan::bytes() const {
  std::uint64_t elements = 1;
  for (const std::uint64_t extent : shape) elements *= extent;
  return kernels::row_bytes(type, elements);
}

std::uint32_t ggml_type(kernels::WeightType type) {
  switch (type) {
    case kernels::WeightType::kF32: return 0;
    case kernels::WeightType::kF16: return 1;
    case kernels::WeightType::kBF16: return 30;
    case kernels::WeightType::kQ8_0: return 8;
    case kernels::WeightType::kQ5_0: return 6;
    case kernels::WeightType::kQ4_0: return 2;
    case kernels::WeightType::kQ4_1: return 3;
    case kernels::WeightType::kQ4_K: return 12;
    case kernels::WeightType::kQ5_K: return 13;
    case kernels::WeightType::kQ6_K: return 14;
  }
  return 0;
}

Result<GgufWriter> GgufWriter::create(const std::filesystem::path& target, const GgufMetadata& metadata,
                                      std::vector<GgufTensorPlan> tensors) {
  const Buffer head = header(metadata, tensors);
  std::uint64_t size = head.bytes().size();
  for (const GgufTensorPlan& tensor : tensors) size += aligned(tensor.bytes());
  auto file = AtomicFile::create(target, size);
  if (!file) return file.error();
  if (auto written = file->write(head.bytes()); !written) return written.error();
  return GgufWriter(std::move(*file), std::move(tensors));
}

GgufWriter::GgufWriter(AtomicFile file, std::vector<GgufTensorPlan> tensors)
    : file_(std::move(file)), tensors_(std::move(tensors)) {}

Result<void> GgufWriter::write(std::span<const std::byte> bytes) {
  assert(current_ < tensors_.size() && current_bytes_ + bytes.size() <= tensors_[current_].bytes());
  if (auto written = file_.write(bytes); !written) return written;
  current_bytes_ += bytes.size();
  return current_bytes_ == tensors_[current_].bytes() ? pad() : Result<void>{};
}

Result<void> GgufWriter::pad() {
  const std::vector<std::byte> zeros(aligned(current_bytes_) - current_bytes_);
  ++current_;
  current_bytes_ = 0;
  return file_.write(zeros);
}

Result<void> GgufWriter::finish() {
  assert(current_ == tensors_.size());
  return file_.commit();
}

}  // namespace hearth::engine
