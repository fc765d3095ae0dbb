#include "kernels/cpu/page_pool.h"

#include <cassert>
#include <cstring>

#include "kernels/cpu/kernel_table.h"

namespace hearth::kernels {

static_assert(kPageSlots == kPageTokens);

CpuPagePool::CpuPagePool(const ModelShape& shape, PageFormat format, int pages)
    : format_(format),
      heads_(static_cast<std::size_t>(shape.n_kv_heads)),
      layers_(static_cast<std::size_t>(shape.n_layers)),
      padded_dim_(static_cast<std::size_t>((shape.head_dim + 15) / 16 * 16)),
      is_free_(static_cast<std::size_t>(pages), true) {
  // Keys are padded as well, so that every head's pages begin on a cache line.
  head_halves_ = padded_dim_ * kPageTokens;
  page_halves_ = layers_ * heads_ * 2 * head_halves_;
  memory_ = Memory(page_bytes() * is_free_.size());
  for (PageId page = pages; page-- > 0;) free_.push_back(page);
}

std::optional<PageId> CpuPagePool::allocate() {
  if (free_.empty()) return std::nullopt;
  const PageId page = free_.back();
  free_.pop_back();
  is_free_[static_cast<std::size_t>(page)] = false;
  return page;
}

void CpuPagePool::release(PageId page) {
  assert(!is_free_[static_cast<std::size_t>(page)]);
  is_free_[static_cast<std::size_t>(page)] = true;
  free_.push_back(page);
}

void CpuPagePool::copy(PageId from, PageId to, int tokens) {
  // What lies side by side comes along: nobody reads a slot before writing it, but for a number by which
  // nothing is multiplied.
  const std::size_t rows = format_ == PageFormat::kBF16 ? (tokens + 1) / 2 * 2 : tokens;
  const std::size_t value_bytes = rows * padded_dim_ * sizeof(std::uint16_t);
  for (int layer = 0; layer < static_cast<int>(layers_); ++layer) {
    for (int head = 0; head < static_cast<int>(heads_); ++head) {
      std::memcpy(keys(to, layer, head), keys(from, layer, head), head_halves_ * sizeof(std::uint16_t));
      std::memcpy(values(to, layer, head), values(from, layer, head), value_bytes);
    }
  }
}

void CpuPagePool::read(PageId page, std::span<std::byte> out) const {
  assert(out.size() == page_bytes());
  std::memcpy(out.data(), keys(page, 0, 0), out.size());
}

void CpuPagePool::write(PageId page, std::span<const std::byte> in) {
  assert(in.size() == page_bytes());
  std::memcpy(keys(page, 0, 0), in.data(), in.size());
}

std::uint16_t* CpuPagePool::keys(PageId page, int layer, int kv_head) const {
  const std::size_t head = static_cast<std::size_t>(layer) * heads_ + static_cast<std::size_t>(kv_head);
  return memory_.as<std::uint16_t>() + static_cast<std::size_t>(page) * page_halves_ +
         head * 2 * head_halves_;
}

std::uint16_t* CpuPagePool::values(PageId page, int layer, int kv_head) const {
  return keys(page, layer, kv_head) + head_halves_;
}

void CpuPagePool::store_key(std::uint16_t* keys, std::size_t slot, const std::uint16_t* key) const {
  if (format_ == PageFormat::kF16) {
    for (std::size_t d = 0; d < padded_dim_; ++d) keys[d * kPageTokens + slot] = key[d];
  } else {
    for (std::size_t d = 0; d < padded_dim_; d += 2)
      std::memcpy(keys + d * kPageTokens + 2 * slot, key + d, 2 * sizeof(std::uint16_t));
  }
}

void CpuPagePool::store_value(std::uint16_t* values, std::size_t slot, const std::uint16_t* value) const {
  if (format_ == PageFormat::kF16) {
    std::memcpy(values + slot * padded_dim_, value, padded_dim_ * sizeof(std::uint16_t));
  } else {
    std::uint16_t* const pairs = values + slot / 2 * 2 * padded_dim_ + slot % 2;
    for (std::size_t d = 0; d < padded_dim_; ++d) pairs[2 * d] = value[d];
  }
}

}  // namespace hearth::kernels
