#include "kernels/cpu/memory.h"

#include <algorithm>
#include <cstdint>
#include <new>
#include <sys/mman.h>

namespace hearth::kernels {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kChunk = 32 * kHugePage;

}  // namespace

Memory::Memory(std::size_t bytes) {
  if (bytes == 0) return;
  const bool huge = bytes >= kHugePage;
  mapped_bytes_ = huge ? bytes + kHugePage : bytes;
  mapping_ = mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                  -1, 0);
  if (mapping_ == MAP_FAILED) {
    mapped_bytes_ = 0;
    throw std::bad_alloc();
  }
  data_ = static_cast<std::byte*>(mapping_);
  if (huge) {
    const auto address = reinterpret_cast<std::uintptr_t>(mapping_);
    data_ += (kHugePage - address % kHugePage) % kHugePage;
    madvise(data_, bytes, MADV_HUGEPAGE);  // a hint: without it everything still works
  }
}

Memory::~Memory() {
  if (mapped_bytes_ != 0) munmap(mapping_, mapped_bytes_);
}

std::shared_ptr<std::byte> Arena::allocate(std::size_t bytes) {
  bytes = (bytes + 63) / 64 * 64;
  if (used_ + bytes > size_) {
    size_ = std::max(bytes, kChunk);
    chunk_ = std::make_shared<Memory>(size_);
    used_ = 0;
  }
  std::byte* block = chunk_->as() + used_;
  used_ += bytes;
  return {chunk_, block};
}

}  // namespace hearth::kernels
