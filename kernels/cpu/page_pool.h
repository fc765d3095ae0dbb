// Pages of keys and values of two bytes in one reservation of memory. A page holds, for each layer and KV
// head, its keys, then its values; padded_dim is head_dim rounded up to 16, the padding zero.
//   kF16   K as (head_dim, 16 tokens), so that scores of 16 tokens are computed side by side, and V as
//          (16 tokens, padded_dim)
//   kBF16  in pairs that a dot product takes together: K as (head_dim / 2, 16 tokens, 2), V as
//          (8 pairs of tokens, padded_dim, 2)
// Bookkeeping belongs to the device's thread; compute threads read pages and write distinct slots.
#pragma once

#include <vector>

#include "kernels/cpu/memory.h"
#include "kernels/device.h"

namespace hearth::kernels {

class CpuPagePool : public PagePool {
 public:
  CpuPagePool(const ModelShape& shape, PageFormat format, int pages);

  std::optional<PageId> allocate() override;
  void release(PageId page) override;
  void copy(PageId from, PageId to, int tokens) override;
  void read(PageId page, std::span<std::byte> out) const override;
  void write(PageId page, std::span<const std::byte> in) override;
  PageFormat format() const override { return format_; }
  std::size_t page_bytes() const override { return page_halves_ * sizeof(std::uint16_t); }
  int capacity() const override { return static_cast<int>(is_free_.size()); }
  int in_use() const override { return capacity() - static_cast<int>(free_.size()); }

  // Of a head, as the kernels read them.
  std::uint16_t* keys(PageId page, int layer, int kv_head) const;
  std::uint16_t* values(PageId page, int layer, int kv_head) const;

  // Puts a token's key or value, (padded_dim) in the pool's format, into its slot of a head's.
  void store_key(std::uint16_t* keys, std::size_t slot, const std::uint16_t* key) const;
  void store_value(std::uint16_t* values, std::size_t slot, const std::uint16_t* value) const;

 private:
  PageFormat format_;
  std::size_t head_halves_;  // of its keys, and of its values
  std::size_t heads_, layers_, padded_dim_, page_halves_;
  Memory memory_;
  std::vector<PageId> free_;
  std::vector<bool> is_free_;
};

}  // namespace hearth::kernels
