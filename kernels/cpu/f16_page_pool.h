// Pages of fp16 keys and values in one reservation of memory. A page holds, for each layer and KV head,
// K as (head_dim, 16 tokens), so that scores of 16 tokens are computed side by side, and V as
// (16 tokens, padded_dim), padded_dim being head_dim rounded up to 16 and the padding zero.
// Bookkeeping belongs to the device's thread; compute threads read pages and write distinct slots.
#pragma once

#include <vector>

#include "kernels/cpu/memory.h"
#include "kernels/device.h"

namespace hearth::kernels {

class F16PagePool : public PagePool {
 public:
  F16PagePool(const ModelShape& shape, int pages);

  std::optional<PageId> allocate() override;
  void release(PageId page) override;
  void copy(PageId from, PageId to, int tokens) override;
  void read(PageId page, std::span<std::byte> out) const override;
  void write(PageId page, std::span<const std::byte> in) override;
  std::size_t page_bytes() const override { return page_halves_ * sizeof(std::uint16_t); }
  int capacity() const override { return static_cast<int>(is_free_.size()); }
  int in_use() const override { return capacity() - static_cast<int>(free_.size()); }

  std::uint16_t* keys(PageId page, int layer, int kv_head) const;
  std::uint16_t* values(PageId page, int layer, int kv_head) const;

 private:
  std::size_t key_halves_, value_halves_;
  std::size_t heads_, layers_, padded_dim_, page_halves_;
  Memory memory_;
  std::vector<PageId> free_;
  std::vector<bool> is_free_;
};

}  // namespace hearth::kernels
