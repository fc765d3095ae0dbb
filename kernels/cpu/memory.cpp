#include "kernels/cpu/memory.h"

#include <new>
#include <sys/mman.h>

namespace hearth::kernels {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

}  // namespace

Memory::Memory(std::size_t bytes) : bytes_(bytes) {
  if (bytes == 0) return;
  data_ = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data_ == MAP_FAILED) throw std::bad_alloc();
  // Only a hint: fewer address translations while weights and pages stream by.
  if (bytes >= kHugePage) madvise(data_, bytes, MADV_HUGEPAGE);
}

Memory::~Memory() {
  if (bytes_ != 0) munmap(data_, bytes_);
}

}  // namespace hearth::kernels
