#include "kernels/cpu/f16_page_pool.h"

#include <cassert>
#include <cstring>

#include "kernels/cpu/kernel_table.h"

namespace hearth::kernels {

static_assert(kPageSlots == kPageTokens);

F16PagePool::F16PagePool(const ModelShape& shape, int pages)
    : heads_(static_cast<std::size_t>(shape.n_kv_heads)),
      layers_(static_cast<std::size_t>(shape.n_layers)),
      padded_dim_(static_cast<std::size_t>((shape.head_dim + 15) / 16 * 16)),
      is_free_(static_cast<std::size_t>(pages), true) {
  // Keys are padded as well, so that every head's pages begin on a cache line.
  key_halves_ = value_halves_ = padded_dim_ * kPageTokens;
  page_halves_ = layers_ * heads_ * (key_halves_ + value_halves_);
  memory_ = Memory(page_bytes() * is_free_.size());
  for (PageId page = pages; page-- > 0;) free_.push_back(page);
}

std::optional<PageId> F16PagePool::allocate() {
  if (free_.empty()) return std::nullopt;
  const PageId page = free_.back();
  free_.pop_back();
  is_free_[static_cast<std::size_t>(page)] = false;
  return page;
}

void F16PagePool::release(PageId page) {
  assert(!is_free_[static_cast<std::size_t>(page)]);
  is_free_[static_cast<std::size_t>(page)] = true;
  free_.push_back(page);
}

void F16PagePool::copy(PageId from, PageId to, int tokens) {
  const std::size_t value_bytes = static_cast<std::size_t>(tokens) * padded_dim_ * sizeof(std::uint16_t);
  for (int layer = 0; layer < static_cast<int>(layers_); ++layer) {
    for (int head = 0; head < static_cast<int>(heads_); ++head) {
      // Keys of later tokens come along: they lie between, and nobody reads a slot before writing it.
      std::memcpy(keys(to, layer, head), keys(from, layer, head), key_halves_ * sizeof(std::uint16_t));
      std::memcpy(values(to, layer, head), values(from, layer, head), value_bytes);
    }
  }
}

void F16PagePool::read(PageId page, std::span<std::byte> out) const {
  assert(out.size() == page_bytes());
  std::memcpy(out.data(), keys(page, 0, 0), out.size());
}

void F16PagePool::write(PageId page, std::span<const std::byte> in) {
  assert(in.size() == page_bytes());
  std::memcpy(keys(page, 0, 0), in.data(), in.size());
}

std::uint16_t* F16PagePool::keys(PageId page, int layer, int kv_head) const {
  const std::size_t head = static_cast<std::size_t>(layer) * heads_ + static_cast<std::size_t>(kv_head);
  return memory_.as<std::uint16_t>() + static_cast<std::size_t>(page) * page_halves_ +
         head * (key_halves_ + value_halves_);
}

std::uint16_t* F16PagePool::values(PageId page, int layer, int kv_head) const {
  return keys(page, layer, kv_head) + key_halves_;
}

}  // namespace hearth::kernels
