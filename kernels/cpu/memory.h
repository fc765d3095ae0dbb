// A block of zeroed memory straight from the system, aligned to its pages: what is never touched costs
// nothing. Owned by one object at a time.
#pragma once

#include <cstddef>
#include <utility>

namespace hearth::kernels {

class Memory {
 public:
  Memory() = default;
  explicit Memory(std::size_t bytes);  // throws std::bad_alloc
  ~Memory();
  Memory(Memory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  Memory& operator=(Memory&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }

  template <class T = std::byte>
  T* as() const {
    return static_cast<T*>(data_);
  }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace hearth::kernels
