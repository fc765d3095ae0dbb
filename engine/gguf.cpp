#include "engine/gguf.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <limits>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <unordered_map>
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace hearth::engine {

namespace {

// The largest arrays in use are the merges of 256 k vocabularies; a count beyond this is a lie.
constexpr std::uint64_t kMaxArrayElements = std::uint64_t{1} << 23;
constexpr std::uint64_t kMaxNameBytes = 65535;  // the format's own limit for keys
constexpr std::uint64_t kDefaultAlignment = 32;
constexpr std::uint64_t kMinKeyBytes = 8 + 4 + 1;             // length, type, value
constexpr std::uint64_t kMinTensorBytes = 8 + 4 + 8 + 4 + 8;  // length, rank, shape, type, offset

enum class ValueType : std::uint32_t {
  kU8,
  kI8,
  kU16,
  kI16,
  kU32,
  kI32,
  kF32,
  kBool,
  kString,
  kArray,
  kU64,
  kI64,
  kF64
};

std::optional<kernels::WeightType> weight_type_of(std::uint32_t ggml_type) {
  using kernels::WeightType;
  switch (ggml_type) {
    case 0: return WeightType::kF32;
    case 1: return WeightType::kF16;
    case 2: return WeightType::kQ4_0;
    case 3: return WeightType::kQ4_1;
    case 6: return WeightType::kQ5_0;
    case 8: return WeightType::kQ8_0;
    case 12: return WeightType::kQ4_K;
    case 13: return WeightType::kQ5_K;
    case 14: return WeightType::kQ6_K;
    case 30: return WeightType::kBF16;
    default: return std::nullopt;
  }
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kShown = 80;
  std::string out = "\"";
  for (const char c : text.substr(0, kShown)) {
    out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  }
  return out + (text.size() > kShown ? "...\"" : "\"");
}

std::string found(const GgufValue& value) {
  struct Show {
    std::string operator()(std::uint64_t v) const { return std::to_string(v); }
    std::string operator()(std::int64_t v) const { return std::to_string(v); }
    std::string operator()(double v) const { return std::to_string(v); }
    std::string operator()(bool v) const { return v ? "true" : "false"; }
    std::string operator()(const std::string& v) const { return in_quotes(v); }
    std::string operator()(const std::vector<std::int64_t>& v) const { return array(v.size(), "integers"); }
    std::string operator()(const std::vector<double>& v) const { return array(v.size(), "floats"); }
    std::string operator()(const std::vector<std::string>& v) const { return array(v.size(), "strings"); }
    static std::string array(std::size_t size, const char* of) {
      return "an array of " + std::to_string(size) + " " + of;
    }
  };
  return std::visit(Show{}, value);
}

}  // namespace

struct GgufFile::Content {
  std::string name;
  std::span<const std::byte> bytes;
  void* mapping = nullptr;
  std::vector<std::string> keys;
  std::map<std::string, GgufValue, std::less<>> values;
  std::vector<GgufTensor> tensors;
  std::unordered_map<std::string_view, std::size_t> tensor_index;  // views of the tensors' own names

  ~Content() {
    if (mapping != nullptr) munmap(mapping, bytes.size());
  }
};

namespace {

struct Placement {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  std::size_t tensor = 0;
};

// Reads the header of one file front to back. `Failure` is thrown and caught inside this file only, so
// that each read stays one line.
struct Failure {
  Error error;
};

class Reader {
 public:
  Reader(std::string_view file, std::span<const std::byte> bytes) : file_(file), bytes_(bytes) {}

  [[noreturn]] void fail(const std::string& what, ErrorCode code = ErrorCode::kMalformed) const {
    throw Failure{{code, std::string(file_) + ": " + what}};
  }

  std::uint64_t position() const { return position_; }
  std::uint64_t remaining() const { return bytes_.size() - position_; }

  template <class T>
  T number(const std::string& field) {
    need(sizeof(T), field);
    T value;
    std::memcpy(&value, bytes_.data() + position_, sizeof(T));
    position_ += sizeof(T);
    return value;
  }

  std::string string(const std::string& field,
                     std::uint64_t limit = std::numeric_limits<std::uint64_t>::max()) {
    const auto length = number<std::uint64_t>("the length of " + field);
    if (length > limit) {
      fail(field + " has a length of " + std::to_string(length) + ", more than " + std::to_string(limit));
    }
    need(length, field);
    std::string value(reinterpret_cast<const char*>(bytes_.data() + position_), length);
    position_ += length;
    return value;
  }

  bool boolean(const std::string& field) {
    const auto value = number<std::uint8_t>(field);
    if (value > 1) fail(field + " is a bool with the value " + std::to_string(value));
    return value == 1;
  }

  void need(std::uint64_t size, const std::string& field) const {
    if (size > remaining()) {
      fail(field + " needs " + std::to_string(size) + " bytes at offset " + std::to_string(position_) +
           ", but the file has " + std::to_string(bytes_.size()));
    }
  }

 private:
  std::string_view file_;
  std::span<const std::byte> bytes_;
  std::uint64_t position_ = 0;
};

template <class T, class Read>
std::vector<T> elements(std::uint64_t count, Read read) {
  std::vector<T> out;
  out.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) out.push_back(read());
  return out;
}

GgufValue read_array(Reader& in, const std::string& field) {
  const auto type = in.number<std::uint32_t>("the element type of " + field);
  const auto count = in.number<std::uint64_t>("the element count of " + field);
  if (count > kMaxArrayElements) {
    in.fail(field + " has a count of " + std::to_string(count) + ", more than " +
            std::to_string(kMaxArrayElements));
  }
  const auto integers = [&]<class T>(T) {
    in.need(count * sizeof(T), field);
    return elements<std::int64_t>(count, [&] { return static_cast<std::int64_t>(in.number<T>(field)); });
  };
  switch (static_cast<ValueType>(type)) {
    case ValueType::kU8: return integers(std::uint8_t{});
    case ValueType::kI8: return integers(std::int8_t{});
    case ValueType::kU16: return integers(std::uint16_t{});
    case ValueType::kI16: return integers(std::int16_t{});
    case ValueType::kU32: return integers(std::uint32_t{});
    case ValueType::kI32: return integers(std::int32_t{});
    case ValueType::kI64: return integers(std::int64_t{});
    case ValueType::kU64:
      in.need(count * 8, field);
      return elements<std::int64_t>(count, [&] {
        const auto value = in.number<std::uint64_t>(field);
        if (value > std::uint64_t{std::numeric_limits<std::int64_t>::max()}) {
          in.fail(field + " has an element of " + std::to_string(value) + ", more than 63 bits hold");
        }
        return static_cast<std::int64_t>(value);
      });
    case ValueType::kF32:
      in.need(count * 4, field);
      return elements<double>(count, [&] { return double{in.number<float>(field)}; });
    case ValueType::kF64:
      in.need(count * 8, field);
      return elements<double>(count, [&] { return in.number<double>(field); });
    case ValueType::kBool:
      in.need(count, field);
      return elements<std::int64_t>(count, [&] { return std::int64_t{in.boolean(field)}; });
    case ValueType::kString:
      in.need(count * 8, field);  // each has at least its length
      return elements<std::string>(count, [&] { return in.string("an element of " + field); });
    case ValueType::kArray: in.fail(field + " is an array of arrays", ErrorCode::kUnsupported);
  }
  in.fail(field + " has an unknown element type " + std::to_string(type));
}

GgufValue read_value(Reader& in, const std::string& field) {
  const auto type = in.number<std::uint32_t>("the type of " + field);
  switch (static_cast<ValueType>(type)) {
    case ValueType::kU8: return std::uint64_t{in.number<std::uint8_t>(field)};
    case ValueType::kI8: return std::int64_t{in.number<std::int8_t>(field)};
    case ValueType::kU16: return std::uint64_t{in.number<std::uint16_t>(field)};
    case ValueType::kI16: return std::int64_t{in.number<std::int16_t>(field)};
    case ValueType::kU32: return std::uint64_t{in.number<std::uint32_t>(field)};
    case ValueType::kI32: return std::int64_t{in.number<std::int32_t>(field)};
    case ValueType::kU64: return in.number<std::uint64_t>(field);
    case ValueType::kI64: return in.number<std::int64_t>(field);
    case ValueType::kF32: return double{in.number<float>(field)};
    case ValueType::kF64: return in.number<double>(field);
    case ValueType::kBool: return in.boolean(field);
    case ValueType::kString: return in.string(field);
    case ValueType::kArray: return read_array(in, field);
  }
  in.fail(field + " has an unknown type " + std::to_string(type));
}

void read_magic_and_version(Reader& in) {
  if (in.remaining() < 4) in.fail("too short for a GGUF file: " + std::to_string(in.remaining()) + " bytes");
  const auto magic = in.number<std::uint32_t>("the magic");
  if (magic != 0x46554747) {  // "GGUF"
    in.fail("the magic is " + in_quotes({reinterpret_cast<const char*>(&magic), 4}) + ", not \"GGUF\"");
  }
  const auto version = in.number<std::uint32_t>("the version");
  if ((version & 0xffff) == 0 && version != 0) {
    in.fail("the version reads " + std::to_string(version) + ": a big-endian file", ErrorCode::kUnsupported);
  }
  if (version != 2 && version != 3) {
    in.fail("version " + std::to_string(version) + " of the format; 2 and 3 can be read",
            ErrorCode::kUnsupported);
  }
}

void check_count(const Reader& in, const char* field, std::uint64_t count, std::uint64_t each) {
  if (count > in.remaining() / each) {
    in.fail(std::string(field) + " is " + std::to_string(count) + ", more than " +
            std::to_string(in.remaining()) + " bytes can hold");
  }
}

// The tensor without its bytes, and where they should be.
std::pair<GgufTensor, Placement> read_tensor(Reader& in) {
  GgufTensor tensor;
  tensor.name = in.string("a tensor's name", kMaxNameBytes);
  const std::string field = "tensor " + in_quotes(tensor.name);
  const auto rank = in.number<std::uint32_t>("the rank of " + field);
  if (rank < 1 || rank > 4) in.fail(field + " has " + std::to_string(rank) + " dimensions, not 1 to 4");
  std::uint64_t count = 1;
  for (std::uint32_t i = 0; i < rank; ++i) {
    const auto extent = in.number<std::uint64_t>("the shape of " + field);
    if (extent == 0) in.fail(field + " has a dimension of 0");
    // The byte size of any type stays far below 64 bits under this bound.
    if (extent > (std::uint64_t{1} << 56) / count) {
      in.fail(field + " has a dimension of " + std::to_string(extent) +
              ": more elements than any file holds");
    }
    count *= extent;
    tensor.shape.push_back(extent);
  }
  tensor.ggml_type = in.number<std::uint32_t>("the type of " + field);
  tensor.weight_type = weight_type_of(tensor.ggml_type);
  Placement placement{.offset = in.number<std::uint64_t>("the offset of " + field)};
  if (tensor.weight_type) {
    const auto block = static_cast<std::uint64_t>(kernels::block_elements(*tensor.weight_type));
    if (tensor.shape[0] % block != 0) {
      in.fail(field + " has rows of " + std::to_string(tensor.shape[0]) + " elements, no multiple of " +
              std::to_string(block) + " as " + kernels::name(*tensor.weight_type) + " wants");
    }
    placement.size = count / block * static_cast<std::uint64_t>(kernels::block_bytes(*tensor.weight_type));
  }
  return {std::move(tensor), placement};
}

std::uint64_t alignment_of(const Reader& in, const std::map<std::string, GgufValue, std::less<>>& values) {
  const auto found_at = values.find("general.alignment");
  if (found_at == values.end()) return kDefaultAlignment;
  const auto* alignment = std::get_if<std::uint64_t>(&found_at->second);
  if (alignment == nullptr || !std::has_single_bit(*alignment) || *alignment > (1u << 30)) {
    in.fail("general.alignment is " + found(found_at->second) + ", not a power of two up to 2^30");
  }
  return *alignment;
}

void place_tensors(const Reader& in, std::span<const std::byte> data, std::uint64_t alignment,
                   std::vector<Placement>& placements, std::vector<GgufTensor>& tensors) {
  for (const Placement& p : placements) {
    const std::string field = "tensor " + in_quotes(tensors[p.tensor].name);
    if (p.offset % alignment != 0) {
      in.fail(field + " has the offset " + std::to_string(p.offset) + ", no multiple of the alignment " +
              std::to_string(alignment));
    }
    if (p.offset > data.size() || p.size > data.size() - p.offset) {
      in.fail(field + " takes " + std::to_string(p.size) + " bytes at offset " + std::to_string(p.offset) +
              ", but the data has " + std::to_string(data.size()));
    }
    if (p.size > 0) tensors[p.tensor].bytes = data.subspan(p.offset, p.size);
  }
  std::sort(placements.begin(), placements.end(),
            [](const Placement& a, const Placement& b) { return a.offset < b.offset; });
  for (std::size_t i = 1; i < placements.size(); ++i) {
    const Placement& a = placements[i - 1];
    const Placement& b = placements[i];
    if (a.offset + std::max<std::uint64_t>(a.size, 1) > b.offset) {
      in.fail("tensors " + in_quotes(tensors[a.tensor].name) + " and " + in_quotes(tensors[b.tensor].name) +
              " overlap at offset " + std::to_string(b.offset));
    }
  }
}

}  // namespace

GgufFile::GgufFile(std::unique_ptr<Content> content) : content_(std::move(content)) {}
GgufFile::GgufFile(GgufFile&&) noexcept = default;
GgufFile& GgufFile::operator=(GgufFile&&) noexcept = default;
GgufFile::~GgufFile() = default;

Result<GgufFile> GgufFile::open(const std::filesystem::path& path) {
  const auto refused = [&](const char* what, int error) {
    return Error{error == ENOENT ? ErrorCode::kNotFound : ErrorCode::kUnreadable,
                 path.string() + ": " + what + ": " + std::strerror(error)};
  };
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return refused("cannot be opened", errno);
  struct stat info {};
  if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size == 0) {
    const bool empty = S_ISREG(info.st_mode) && info.st_size == 0;
    ::close(fd);
    if (empty) return Error{ErrorCode::kMalformed, path.string() + ": the file is empty"};
    return Error{ErrorCode::kUnreadable, path.string() + ": not a regular file"};
  }
  const auto size = static_cast<std::size_t>(info.st_size);
  void* mapping = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  const int error = errno;
  ::close(fd);
  if (mapping == MAP_FAILED) return refused("cannot be mapped", error);
  auto file = parse({static_cast<const std::byte*>(mapping), size}, path.string());
  if (file) {
    file->content_->mapping = mapping;
  } else {
    munmap(mapping, size);
  }
  return file;
}

Result<GgufFile> GgufFile::parse(std::span<const std::byte> bytes, std::string name) {
  auto content = std::make_unique<Content>();
  content->name = std::move(name);
  content->bytes = bytes;
  Reader in(content->name, bytes);
  try {
    read_magic_and_version(in);
    const auto tensor_count = in.number<std::uint64_t>("the tensor count");
    const auto key_count = in.number<std::uint64_t>("the key count");
    check_count(in, "the tensor count", tensor_count, kMinTensorBytes);
    check_count(in, "the key count", key_count, kMinKeyBytes);
    for (std::uint64_t i = 0; i < key_count; ++i) {
      const std::string key = in.string("key " + std::to_string(i), kMaxNameBytes);
      if (!content->values.emplace(key, read_value(in, in_quotes(key))).second) {
        in.fail("the key " + in_quotes(key) + " is there twice");
      }
      content->keys.push_back(key);
    }
    const std::uint64_t alignment = alignment_of(in, content->values);
    std::vector<Placement> placements;
    for (std::uint64_t i = 0; i < tensor_count; ++i) {
      auto [tensor, placement] = read_tensor(in);
      placement.tensor = i;
      content->tensors.push_back(std::move(tensor));
      placements.push_back(placement);
    }
    for (std::size_t i = 0; i < content->tensors.size(); ++i) {
      const std::string& tensor = content->tensors[i].name;
      if (!content->tensor_index.emplace(tensor, i).second) {
        in.fail("the tensor " + in_quotes(tensor) + " is there twice");
      }
    }
    const std::uint64_t start = (in.position() + alignment - 1) / alignment * alignment;
    place_tensors(in, bytes.subspan(std::min<std::uint64_t>(start, bytes.size())), alignment, placements,
                  content->tensors);
  } catch (const Failure& failure) {
    return failure.error;
  }
  return GgufFile(std::move(content));
}

const std::string& GgufFile::name() const { return content_->name; }
std::uint64_t GgufFile::size_bytes() const { return content_->bytes.size(); }
std::uint64_t GgufFile::content_hash() const {
  return XXH3_64bits(content_->bytes.data(), content_->bytes.size());
}
const std::vector<std::string>& GgufFile::keys() const { return content_->keys; }
const std::vector<GgufTensor>& GgufFile::tensors() const { return content_->tensors; }

const GgufValue* GgufFile::find(std::string_view key) const {
  const auto it = content_->values.find(key);
  return it == content_->values.end() ? nullptr : &it->second;
}

const GgufTensor* GgufFile::tensor(std::string_view name) const {
  const auto it = content_->tensor_index.find(name);
  return it == content_->tensor_index.end() ? nullptr : &content_->tensors[it->second];
}

namespace {

Error unfit(const GgufFile& file, std::string_view key, const char* wanted) {
  const GgufValue* value = file.find(key);
  return {ErrorCode::kMalformed, file.name() + ": the key " + in_quotes(key) +
                                     (value != nullptr ? " is " + found(*value) : " is missing") +
                                     ", wanted " + wanted};
}

}  // namespace

Result<std::uint64_t> GgufFile::unsigned_at(std::string_view key) const {
  const GgufValue* value = find(key);
  if (value != nullptr) {
    if (const auto* number = std::get_if<std::uint64_t>(value)) return *number;
    if (const auto* number = std::get_if<std::int64_t>(value); number != nullptr && *number >= 0) {
      return static_cast<std::uint64_t>(*number);
    }
  }
  return unfit(*this, key, "an unsigned integer");
}

Result<double> GgufFile::number_at(std::string_view key) const {
  const GgufValue* value = find(key);
  if (value != nullptr) {
    if (const auto* number = std::get_if<double>(value)) return *number;
    if (const auto* number = std::get_if<std::uint64_t>(value)) return static_cast<double>(*number);
    if (const auto* number = std::get_if<std::int64_t>(value)) return static_cast<double>(*number);
  }
  return unfit(*this, key, "a number");
}

Result<std::string> GgufFile::string_at(std::string_view key) const {
  const GgufValue* value = find(key);
  if (value != nullptr) {
    if (const auto* text = std::get_if<std::string>(value)) return *text;
  }
  return unfit(*this, key, "a string");
}

std::optional<bool> GgufFile::bool_at(std::string_view key) const {
  const GgufValue* value = find(key);
  const auto* flag = value != nullptr ? std::get_if<bool>(value) : nullptr;
  return flag != nullptr ? std::optional(*flag) : std::nullopt;
}

}  // namespace hearth::engine
