// Zeroed memory straight from the system: what is never touched costs nothing, and large blocks may lie
// in huge pages, so that streaming weights misses no address translation.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

namespace hearth::kernels {

constexpr std::size_t round_up(std::size_t n, std::size_t multiple) {
  return (n + multiple - 1) / multiple * multiple;
}

// One block, aligned to a system page or, from 2 MiB on, to a huge page. Owned by one object at a time.
class Memory {
 public:
  Memory() = default;
  explicit Memory(std::size_t bytes);  // throws std::bad_alloc
  ~Memory();
  Memory(Memory&& other) noexcept { swap(other); }
  Memory& operator=(Memory&& other) noexcept {
    swap(other);
    return *this;
  }

  template <class T = std::byte>
  T* as() const {
    return reinterpret_cast<T*>(data_);
  }

 private:
  void swap(Memory& other) {
    std::swap(mapping_, other.mapping_);
    std::swap(mapped_bytes_, other.mapped_bytes_);
    std::swap(data_, other.data_);
  }

  void* mapping_ = nullptr;
  std::size_t mapped_bytes_ = 0;
  std::byte* data_ = nullptr;
};

// Cuts small blocks, aligned to 64 bytes, out of large ones. A large one lives as long as any block cut
// out of it. Belongs to one thread; blocks may be released by any.
class Arena {
 public:
  std::shared_ptr<std::byte> allocate(std::size_t bytes);

 private:
  std::shared_ptr<Memory> chunk_;
  std::size_t used_ = 0;
  std::size_t size_ = 0;
};

}  // namespace hearth::kernels
