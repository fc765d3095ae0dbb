// KV simulated without a device: a pool whose pages remember, a token each, what was written.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "engine/prefix_tree.h"

namespace hearth::tests {

using engine::PrefixTree;
using engine::TokenId;
using kernels::kPageTokens;
using kernels::PageId;

class SimulatedPool final : public kernels::PagePool {
 public:
  explicit SimulatedPool(int capacity, kernels::PageFormat format = kernels::PageFormat::kF16)
      : capacity_(capacity), format_(format) {}

  std::optional<PageId> allocate() override {
    if (in_use() == capacity_) return std::nullopt;
    const PageId page = next_++;
    pages_[page].fill(-1);
    return page;
  }
  void release(PageId page) override { ASSERT_EQ(pages_.erase(page), 1u) << "released twice: page " << page; }
  void copy(PageId from, PageId to, int tokens) override {
    std::copy_n(pages_.at(from).begin(), tokens, pages_.at(to).begin());
  }
  void read(PageId page, std::span<std::byte> out) const override {
    std::memcpy(out.data(), pages_.at(page).data(), out.size());
  }
  void write(PageId page, std::span<const std::byte> in) override {
    std::memcpy(pages_.at(page).data(), in.data(), in.size());
  }
  kernels::PageFormat format() const override { return format_; }
  std::size_t page_bytes() const override { return sizeof(std::array<TokenId, kPageTokens>); }
  int capacity() const override { return capacity_; }
  int in_use() const override { return static_cast<int>(pages_.size()); }

  std::array<TokenId, kPageTokens>& at(PageId page) { return pages_.at(page); }

 private:
  int capacity_;
  kernels::PageFormat format_;
  PageId next_ = 0;
  std::map<PageId, std::array<TokenId, kPageTokens>> pages_;
};

inline std::vector<TokenId> numbers(int n, TokenId first = 0) {
  std::vector<TokenId> tokens(n);
  std::iota(tokens.begin(), tokens.end(), first);
  return tokens;
}

// Computes `tokens` behind the path, as a forward pass would.
inline bool compute(PrefixTree& tree, SimulatedPool& pool, PrefixTree::Path& path,
                    std::span<const TokenId> tokens) {
  if (!tree.reserve(path, static_cast<int>(tokens.size()))) return false;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const int position = path.size() + static_cast<int>(i);
    pool.at(path.pages()[position / kPageTokens].page)[position % kPageTokens] = tokens[i];
  }
  tree.commit(path, tokens);
  return true;
}

inline void expect_kv_of_its_tokens(SimulatedPool& pool, const PrefixTree::Path& path) {
  for (int i = 0; i < path.size(); ++i) {
    const auto& page = path.pages()[i / kPageTokens];
    ASSERT_EQ(page.first_position, static_cast<std::uint32_t>(i / kPageTokens * kPageTokens));
    ASSERT_EQ(pool.at(page.page)[i % kPageTokens], path.tokens()[i]) << "at position " << i;
  }
}

inline void remember(PrefixTree& tree, SimulatedPool& pool, const std::vector<TokenId>& tokens) {
  auto path = tree.open(tokens);
  ASSERT_TRUE(compute(tree, pool, path, std::span(tokens).subspan(path.size())));
  tree.close(path);
}

}  // namespace hearth::tests
